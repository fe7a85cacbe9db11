-- Whether the battery was charged.

INCLUDE PERFETTO MODULE counters.intervals;
INCLUDE PERFETTO MODULE intervals.fill_gaps;

-- The states that the trace tells: the values of the counter BatteryStatus, as in Android's class BatteryManager.
CREATE PERFETTO TABLE _charging_state_known AS
SELECT
  ts,
  dur,
  CASE value
    WHEN 2 THEN 'charging'
    WHEN 3 THEN 'discharging'
    WHEN 4 THEN 'not_charging'
    WHEN 5 THEN 'full'
  END AS short,
  CASE value
    WHEN 2 THEN 'Charging'
    WHEN 3 THEN 'Discharging'
    WHEN 4 THEN 'Not charging'
    WHEN 5 THEN 'Full'
  END AS long
FROM counter_leading_intervals!((
  SELECT counter.id, ts, 0 AS track_id, value
  FROM counter
  JOIN counter_track AS track ON track.id = counter.track_id
  WHERE track.name = 'BatteryStatus'
))
WHERE dur > 0;

-- The state of the battery during the whole trace.
CREATE PERFETTO TABLE android_charging_states(
  -- The row.
  id LONG,
  -- When the state began.
  ts TIMESTAMP,
  -- How long it lasted.
  dur DURATION,
  -- charging, discharging, not_charging (with a charger), full or unknown.
  short_charging_state STRING,
  -- For people.
  charging_state STRING
)
AS
SELECT
  row_number() OVER () AS id,
  ts,
  dur,
  ifnull(short, 'unknown') AS short_charging_state,
  ifnull(long, 'Unknown') AS charging_state
FROM _intervals_fill_gaps!((NULL), (short, long), _charging_state_known);
