-- How long a counter has a value.

-- Turns the values of counters into intervals: id, ts, dur, track_id, value, next_value, delta_value. An interval lasts until
-- the value changes, the last one until the end of the trace. delta_value is the change from the value before.
CREATE PERFETTO MACRO counter_leading_intervals(
  -- The values: id, ts, track_id, value.
  counter_table TableOrSubquery
)
RETURNS TableOrSubquery
AS (
  SELECT
    id,
    ts,
    lead(ts, 1, trace_end()) OVER _cli_track - ts AS dur,
    track_id,
    CAST(value AS REAL) AS value,
    lead(CAST(value AS REAL)) OVER _cli_track AS next_value,
    CAST(value - value_before AS REAL) AS delta_value
  FROM (
    SELECT *, lag(value) OVER (PARTITION BY track_id ORDER BY ts, id) AS value_before FROM $counter_table
  )
  WHERE value IS NOT value_before
  WINDOW _cli_track AS (PARTITION BY track_id ORDER BY ts, id)
);
