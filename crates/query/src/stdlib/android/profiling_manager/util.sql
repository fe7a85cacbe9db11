-- Times between slices, in traces that an app recorded of itself.

-- The time from each slice to the next one of another name.
CREATE PERFETTO FUNCTION _android_generate_start_to_end_slices(
  -- A GLOB pattern: where the time begins.
  start_pattern STRING,
  -- A GLOB pattern: where it ends.
  end_pattern STRING,
  -- Whether the time includes the slice that ends it.
  inclusive BOOL
)
RETURNS TABLE(
  -- The slice that begins the time.
  name STRING,
  ts TIMESTAMP,
  dur DURATION
)
AS
WITH
  first AS (SELECT id, name, ts FROM slice WHERE name GLOB $start_pattern),
  last AS MATERIALIZED (SELECT ts, iif($inclusive, dur, 0) AS more FROM slice WHERE name GLOB $end_pattern)
SELECT name, ts, ts_end - ts AS dur
FROM (
  -- The row of the smallest time counts.
  SELECT first.id, first.name, first.ts, min(last.ts), last.ts + last.more AS ts_end
  FROM first
  JOIN last ON last.ts > first.ts
  GROUP BY first.id
)
ORDER BY ts, id;
