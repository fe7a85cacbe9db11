-- Clocks of devices, by the event devfreq_frequency.

INCLUDE PERFETTO MODULE counters.intervals;

-- The clock of devices.
CREATE PERFETTO FUNCTION _get_devfreq_counters(
  -- A pattern for GLOB.
  device_name STRING
)
RETURNS TABLE(
  -- The value of the counter.
  id LONG,
  -- When it changed.
  ts TIMESTAMP,
  -- How long it stayed.
  dur DURATION,
  -- The frequency, kHz.
  freq LONG
)
AS
SELECT id, ts, dur, cast_int!(value) AS freq
FROM counter_leading_intervals!((
  SELECT id, ts, track_id, value
  FROM counter
  WHERE
    track_id IN (
      SELECT id
      FROM track
      WHERE
        type = 'linux_device_frequency'
        AND extract_arg(dimension_arg_set_id, 'linux_device') GLOB $device_name
    )
));

-- The clock of what the CPUs of a cluster share (DSU of ARM).
CREATE PERFETTO TABLE linux_devfreq_dsu_counter(
  -- The value of the counter.
  id LONG,
  -- When it changed.
  ts TIMESTAMP,
  -- How long it stayed.
  dur DURATION,
  -- The frequency, kHz.
  dsu_freq LONG
)
AS
SELECT id, ts, dur, freq AS dsu_freq FROM _get_devfreq_counters('*devfreq_dsu')
UNION ALL
SELECT id, ts, dur, freq FROM _get_devfreq_counters('*dsufreq');
