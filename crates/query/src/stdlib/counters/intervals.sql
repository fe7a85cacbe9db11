-- How long a counter has a value.

-- Turns the values of counters into intervals: id, ts, dur, track_id, value, next_value, delta_value. An interval lasts until the
-- next value, the last one until the end of the trace. delta_value is the change from the value before.
--
-- Of a run of equal values, the first two and the last one have an interval, so that changes of values can be drawn, too.
CREATE PERFETTO MACRO counter_leading_intervals(
  -- The values: id, ts, track_id, value.
  counter_table TableOrSubquery
)
RETURNS TableOrSubquery
AS (
  SELECT c0 AS id, c1 AS ts, c2 AS dur, c3 AS track_id, c4 AS value, c5 AS next_value, c6 AS delta_value
  FROM __intrinsic_table_ptr(__intrinsic_counter_intervals('leading', trace_end(), (
    SELECT __intrinsic_counter_per_track_agg(id, ts, track_id, value)
    FROM (SELECT id, ts, track_id, value FROM $counter_table ORDER BY ts)
  )))
  WHERE __intrinsic_table_ptr_bind(c0, 'id')
    AND __intrinsic_table_ptr_bind(c1, 'ts')
    AND __intrinsic_table_ptr_bind(c2, 'dur')
    AND __intrinsic_table_ptr_bind(c3, 'track_id')
    AND __intrinsic_table_ptr_bind(c4, 'value')
    AND __intrinsic_table_ptr_bind(c5, 'next_value')
    AND __intrinsic_table_ptr_bind(c6, 'delta_value')
);
