-- Intervals from points in time.

-- An interval from each start to the first end after it: ts, dur. A start without an end after it has none.
CREATE PERFETTO MACRO _interval_create(
  -- The starts: ts.
  starts_table TableOrSubquery,
  -- The ends: ts.
  ends_table TableOrSubquery
)
RETURNS TableOrSubquery
AS (
  SELECT ts, ts_end - ts AS dur
  FROM (
    -- Later points come first: the frame holds those after this one.
    SELECT
      ts,
      is_start,
      min(iif(is_start, NULL, ts)) OVER (ORDER BY ts DESC RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS ts_end
    FROM (
      SELECT ts, 1 AS is_start FROM $starts_table
      UNION ALL
      SELECT ts, 0 FROM $ends_table
    )
  )
  WHERE is_start AND ts_end IS NOT NULL
  ORDER BY ts
);
