-- Intervals for the times that have none.

INCLUDE PERFETTO MODULE std.metasql.unparenthesize;

-- NULL in place of a column.
CREATE PERFETTO MACRO _ifg_null(column Expr)
RETURNS Expr
AS NULL;

-- Adds intervals to those of each group, so that they cover the whole trace: ts, dur, and the columns listed. In an added
-- interval, data_cols are NULL. The intervals of a group must not overlap.
--
-- A row without ts makes sure that its group is there. If there are no rows at all, one row covers the trace.
CREATE PERFETTO MACRO _intervals_fill_gaps(
  -- The columns that name a group, in parentheses; (NULL) for one group.
  group_cols ColumnNameList,
  -- The columns that are kept, in parentheses.
  data_cols ColumnNameList,
  -- The intervals: ts, dur, and the columns listed.
  data TableOrSubquery
)
RETURNS TableOrSubquery
AS (
  WITH
    _ifg_data AS MATERIALIZED (
      SELECT
        ts, dur, metasql_unparenthesize_exprlist!($group_cols), metasql_unparenthesize_exprlist!($data_cols)
      FROM $data
    ),
    -- Where each interval of a group begins and ends; the trace's start and end are the first end and the last start.
    _ifg_edge AS (
      SELECT ts AS start, ts + dur AS finish, metasql_unparenthesize_exprlist!($group_cols) FROM _ifg_data
      UNION ALL
      SELECT DISTINCT NULL, trace_start(), metasql_unparenthesize_exprlist!($group_cols) FROM _ifg_data
      UNION ALL
      SELECT NULL, trace_start(), __intrinsic_token_apply!(_ifg_null, $group_cols)
      WHERE NOT EXISTS (SELECT 1 FROM _ifg_data)
    )
  SELECT * FROM (
    SELECT * FROM _ifg_data
    UNION ALL
    SELECT
      finish AS ts,
      lead(start, 1, trace_end()) OVER (
        PARTITION BY metasql_unparenthesize_exprlist!($group_cols) ORDER BY start
      ) - finish AS dur,
      metasql_unparenthesize_exprlist!($group_cols),
      __intrinsic_token_apply!(_ifg_null, $data_cols)
    FROM _ifg_edge
    WHERE finish IS NOT NULL
  )
  WHERE dur > 0
  ORDER BY ts
);
