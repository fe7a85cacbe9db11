-- When GPUs of the kind Mali slept.

INCLUDE PERFETTO MODULE counters.intervals;

-- The states.
CREATE PERFETTO TABLE android_mali_gpu_power_state(
  -- When it began.
  ts TIMESTAMP,
  -- How long it lasted.
  dur DURATION,
  -- The state, as the driver numbers it.
  power_state LONG
)
AS
SELECT ts, dur, cast_int!(value) AS power_state
FROM counter_leading_intervals!((
  SELECT id, ts, track_id, value
  FROM counter
  WHERE track_id IN (SELECT id FROM counter_track WHERE name = 'mali_gpu_power_state')
));
