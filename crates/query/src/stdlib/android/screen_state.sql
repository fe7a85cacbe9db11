-- Whether the screen was on.

INCLUDE PERFETTO MODULE counters.intervals;
INCLUDE PERFETTO MODULE intervals.fill_gaps;

-- The values of the counter ScreenState, as in Android's class Display.
CREATE PERFETTO TABLE _screen_state_name AS
WITH
  name(value, simple, short, long) AS (
    VALUES
      (1, 'off', 'off', 'Screen off'),
      (2, 'on', 'on', 'Screen on'),
      (3, 'doze', 'doze', 'Always-on display (doze)'),
      (4, 'doze', 'doze-suspend', 'Always-on display (doze-suspend)'),
      (5, 'on', 'on-vr', 'Screen on (VR)'),
      (6, 'on', 'on-suspend', 'Screen on (suspend)')
  )
SELECT value, simple, short, long
FROM name;

-- The states that the trace tells.
CREATE PERFETTO TABLE _screen_state_known AS
SELECT ts, dur, simple, short, long
FROM counter_leading_intervals!((
  SELECT counter.id, ts, 0 AS track_id, value
  FROM counter
  JOIN counter_track AS track ON track.id = counter.track_id
  WHERE track.name = 'ScreenState'
))
LEFT JOIN _screen_state_name USING (value)
WHERE dur > 0;

-- The state of the screen during the whole trace.
CREATE PERFETTO TABLE android_screen_state(
  -- The row.
  id ID,
  -- When the state began.
  ts TIMESTAMP,
  -- How long it lasted.
  dur DURATION,
  -- on, off, doze (it shows little, all the time) or unknown.
  simple_screen_state STRING,
  -- Also doze-suspend, on-vr and on-suspend.
  short_screen_state STRING,
  -- For people.
  screen_state STRING
)
AS
SELECT
  row_number() OVER () AS id,
  ts,
  dur,
  ifnull(simple, 'unknown') AS simple_screen_state,
  ifnull(short, 'unknown') AS short_screen_state,
  ifnull(long, 'Unknown') AS screen_state
FROM _intervals_fill_gaps!((NULL), (simple, short, long), _screen_state_known);
