-- How the system saves the battery while nobody uses the device
-- (https://developer.android.com/training/monitoring-device-state/doze-standby).

INCLUDE PERFETTO MODULE counters.intervals;

-- The states of counters of a name.
CREATE PERFETTO MACRO _doze_states(
  -- The name.
  name Expr
)
RETURNS TableOrSubquery
AS (
  SELECT id, ts, dur, value
  FROM counter_leading_intervals!((
    SELECT counter.id, ts, 0 AS track_id, value
    FROM counter
    JOIN counter_track AS track ON track.id = counter.track_id
    WHERE track.name = $name
  ))
);

-- The light states: soon after the last use.
CREATE PERFETTO TABLE android_light_idle_state(
  -- The value of the counter.
  id LONG,
  -- When the state began.
  ts TIMESTAMP,
  -- How long it lasted.
  dur DURATION,
  -- active, inactive, idle, waiting_for_network, idle_maintenance, override (the deep states count) or unmapped.
  light_idle_state STRING
)
AS
SELECT
  id,
  ts,
  dur,
  CASE value
    WHEN 0 THEN 'active'
    WHEN 1 THEN 'inactive'
    WHEN 4 THEN 'idle'
    WHEN 5 THEN 'waiting_for_network'
    WHEN 6 THEN 'idle_maintenance'
    WHEN 7 THEN 'override'
    ELSE 'unmapped'
  END AS light_idle_state
FROM _doze_states!('DozeLightState');

-- The deep states: after a longer time, and only if the device does not move.
CREATE PERFETTO TABLE android_deep_idle_state(
  -- The value of the counter.
  id LONG,
  -- When the state began.
  ts TIMESTAMP,
  -- How long it lasted.
  dur DURATION,
  -- active, inactive, idle_pending, sensing, locating, idle, idle_maintenance, quick_doze_delay or unmapped.
  deep_idle_state STRING
)
AS
SELECT
  id,
  ts,
  dur,
  CASE value
    WHEN 0 THEN 'active'
    WHEN 1 THEN 'inactive'
    WHEN 2 THEN 'idle_pending'
    WHEN 3 THEN 'sensing'
    WHEN 4 THEN 'locating'
    WHEN 5 THEN 'idle'
    WHEN 6 THEN 'idle_maintenance'
    WHEN 7 THEN 'quick_doze_delay'
    ELSE 'unmapped'
  END AS deep_idle_state
FROM _doze_states!('DozeDeepState');
