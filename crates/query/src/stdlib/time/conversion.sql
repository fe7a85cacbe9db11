-- Conversions between durations in nanoseconds and other units. Fractions are cut off.

-- A duration of nanoseconds, in nanoseconds.
CREATE PERFETTO FUNCTION time_from_ns(
  -- The duration, nanoseconds.
  nanos LONG
)
-- The duration, nanoseconds.
RETURNS TIMESTAMP
AS SELECT $nanos * 1;

-- A duration of microseconds, in nanoseconds.
CREATE PERFETTO FUNCTION time_from_us(
  -- The duration, microseconds.
  microseconds LONG
)
-- The duration, nanoseconds.
RETURNS LONG
AS SELECT $microseconds * 1000;

-- A duration of milliseconds, in nanoseconds.
CREATE PERFETTO FUNCTION time_from_ms(
  -- The duration, milliseconds.
  milliseconds LONG
)
-- The duration, nanoseconds.
RETURNS TIMESTAMP
AS SELECT $milliseconds * 1000000;

-- A duration of seconds, in nanoseconds.
CREATE PERFETTO FUNCTION time_from_s(
  -- The duration, seconds.
  seconds LONG
)
-- The duration, nanoseconds.
RETURNS TIMESTAMP
AS SELECT $seconds * 1000000000;

-- A duration of minutes, in nanoseconds.
CREATE PERFETTO FUNCTION time_from_min(
  -- The duration, minutes.
  minutes LONG
)
-- The duration, nanoseconds.
RETURNS TIMESTAMP
AS SELECT $minutes * 60000000000;

-- A duration of hours, in nanoseconds.
CREATE PERFETTO FUNCTION time_from_hours(
  -- The duration, hours.
  hours LONG
)
-- The duration, nanoseconds.
RETURNS TIMESTAMP
AS SELECT $hours * 3600000000000;

-- A duration of days, in nanoseconds.
CREATE PERFETTO FUNCTION time_from_days(
  -- The duration, days.
  days LONG
)
-- The duration, nanoseconds.
RETURNS LONG
AS SELECT $days * 86400000000000;

-- A duration in whole nanoseconds.
CREATE PERFETTO FUNCTION time_to_ns(
  -- The duration, nanoseconds.
  nanos DURATION
)
-- The duration, whole nanoseconds.
RETURNS LONG
AS SELECT $nanos / 1;

-- A duration in whole microseconds.
CREATE PERFETTO FUNCTION time_to_us(
  -- The duration, nanoseconds.
  nanos DURATION
)
-- The duration, whole microseconds.
RETURNS LONG
AS SELECT $nanos / 1000;

-- A duration in whole milliseconds.
CREATE PERFETTO FUNCTION time_to_ms(
  -- The duration, nanoseconds.
  nanos DURATION
)
-- The duration, whole milliseconds.
RETURNS LONG
AS SELECT $nanos / 1000000;

-- A duration in whole seconds.
CREATE PERFETTO FUNCTION time_to_s(
  -- The duration, nanoseconds.
  nanos DURATION
)
-- The duration, whole seconds.
RETURNS LONG
AS SELECT $nanos / 1000000000;

-- A duration in whole minutes.
CREATE PERFETTO FUNCTION time_to_min(
  -- The duration, nanoseconds.
  nanos DURATION
)
-- The duration, whole minutes.
RETURNS LONG
AS SELECT $nanos / 60000000000;

-- A duration in whole hours.
CREATE PERFETTO FUNCTION time_to_hours(
  -- The duration, nanoseconds.
  nanos DURATION
)
-- The duration, whole hours.
RETURNS LONG
AS SELECT $nanos / 3600000000000;

-- A duration in whole days.
CREATE PERFETTO FUNCTION time_to_days(
  -- The duration, nanoseconds.
  nanos DURATION
)
-- The duration, whole days.
RETURNS LONG
AS SELECT $nanos / 86400000000000;
