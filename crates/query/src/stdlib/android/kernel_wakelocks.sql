-- Wakelocks: what keeps the device awake.

INCLUDE PERFETTO MODULE counters.intervals;
INCLUDE PERFETTO MODULE android.suspend;
INCLUDE PERFETTO MODULE intervals.intersect;

-- Between two changes of a wakelock: how much longer it was held.
CREATE PERFETTO TABLE _kernel_wakelock_held AS
SELECT
  c.id,
  c.ts,
  c.dur,
  track.name,
  extract_arg(track.dimension_arg_set_id, 'wakelock_type') AS type,
  cast_int!(c.next_value - c.value) AS held_dur
FROM counter_leading_intervals!((
  SELECT id, ts, track_id, value
  FROM counter
  WHERE track_id IN (SELECT id FROM track WHERE type = 'android_kernel_wakelock')
)) AS c
JOIN track ON track.id = c.track_id
WHERE c.dur > 0 AND c.next_value IS NOT NULL;

-- When the machine that recorded was awake.
CREATE PERFETTO TABLE _kernel_wakelock_awake AS
SELECT row_number() OVER () AS id, ts, dur
FROM android_suspend_state
WHERE power_state = 'awake' AND machine_id = 0 AND dur > 0;

-- How long wakelocks were held, and which part of the time that the device was awake.
CREATE PERFETTO TABLE android_kernel_wakelocks(
  -- When the time began.
  ts TIMESTAMP,
  -- How long it lasted.
  dur DURATION,
  -- How long the device was awake in it.
  awake_dur DURATION,
  -- The wakelock.
  name STRING,
  -- kernel or native.
  type STRING,
  -- How long the wakelock was held in it.
  held_dur DURATION,
  -- The part of awake_dur for which it was held, up to 1.
  held_ratio DOUBLE
)
AS
WITH awake AS (
  SELECT id_0 AS id, sum(dur) AS awake_dur
  FROM _interval_intersect!((_kernel_wakelock_held, _kernel_wakelock_awake), ())
  GROUP BY id_0
)
SELECT
  ts,
  dur,
  ifnull(awake_dur, 0) AS awake_dur,
  name,
  type,
  held_dur,
  max(min(held_dur * 1.0 / awake_dur, 1.0), 0.0) AS held_ratio
FROM _kernel_wakelock_held
LEFT JOIN awake USING (id)
ORDER BY ts, name, type;
