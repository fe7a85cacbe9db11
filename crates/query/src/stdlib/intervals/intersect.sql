-- Where intervals overlap. An interval has the columns id, ts and dur; dur must not be negative.

INCLUDE PERFETTO MODULE std.metasql.unparenthesize;

-- A column of the input of an operator.
CREATE PERFETTO MACRO _ii_key(key ColumnName)
RETURNS Expr
AS _ii_input.$key;

-- A table as the input of an operator: id, ts, dur, and the columns that name the partition.
CREATE PERFETTO MACRO _ii_rows(intervals TableOrSubquery, keys ColumnNameList)
RETURNS Expr
AS (
  SELECT __intrinsic_rows(
    _ii_input.id, _ii_input.ts, _ii_input.dur __intrinsic_token_apply_prefix!(_ii_key, $keys)
  )
  FROM $intervals AS _ii_input
);

-- A column of the result under another name.
CREATE PERFETTO MACRO _ii_as(result ColumnName, name ColumnName)
RETURNS _ProjectionFragment
AS $result AS $name;

-- The first of two texts: it lists as many columns as there are tables.
CREATE PERFETTO MACRO _ii_first(result ColumnName, counted Expr)
RETURNS _ProjectionFragment
AS $result;

-- Intersects up to 15 tables: a row for each combination of intervals, one of each table, that overlap.
--
-- Columns: ts and dur of the overlap, id_0, id_1, … of the intervals, and those of agg_columns. Only intervals that
-- have the same values in agg_columns are combined; there can be 4 of them.
CREATE PERFETTO MACRO _interval_intersect(
  -- Tables or subqueries in parentheses.
  tabs _TableNameList,
  -- Columns in parentheses; () combines all intervals.
  agg_columns ColumnNameList
)
RETURNS TableOrSubquery
AS (
  SELECT
    ts,
    dur,
    __intrinsic_token_apply!(
      _ii_first,
      (id_0, id_1, id_2, id_3, id_4, id_5, id_6, id_7, id_8, id_9, id_10, id_11, id_12, id_13, id_14),
      $tabs
    )
    __intrinsic_token_apply_prefix!(_ii_as, (key_0, key_1, key_2, key_3), $agg_columns)
  FROM __intrinsic_interval_intersect(
    __intrinsic_token_apply!(
      _ii_rows,
      $tabs,
      (
        $agg_columns, $agg_columns, $agg_columns, $agg_columns, $agg_columns, $agg_columns, $agg_columns, $agg_columns,
        $agg_columns, $agg_columns, $agg_columns, $agg_columns, $agg_columns, $agg_columns, $agg_columns
      )
    )
  )
);

-- The parts of intervals within one interval: id, ts, dur.
CREATE PERFETTO MACRO _interval_intersect_single(
  -- The start of the one interval.
  ts Expr,
  -- Its duration.
  dur Expr,
  -- The intervals.
  t TableOrSubquery
)
RETURNS TableOrSubquery
AS (
  SELECT id_0 AS id, ts, dur
  FROM _interval_intersect!(($t, (SELECT 0 AS id, $ts AS ts, $dur AS dur)), ())
);

-- Intervals whose columns have other names, with the names that _interval_intersect expects.
CREATE PERFETTO MACRO _ii_renamed(
  intervals TableOrSubquery,
  id ColumnName,
  ts ColumnName,
  dur ColumnName,
  keys ColumnNameList
)
RETURNS TableOrSubquery
AS (
  SELECT $id AS id, $ts AS ts, $dur AS dur __intrinsic_token_apply_prefix!(_ii_as, $keys, $keys)
  FROM $intervals
);

-- Intersects two tables as _interval_intersect does; their columns can have any names.
CREATE PERFETTO MACRO _interval_intersect_with_col_names(
  -- The first table, and its columns with the id, the start and the duration.
  tab1 TableOrSubquery,
  id_col1 ColumnName,
  ts_col1 ColumnName,
  dur_col1 ColumnName,
  -- The second table, and its columns.
  tab2 TableOrSubquery,
  id_col2 ColumnName,
  ts_col2 ColumnName,
  dur_col2 ColumnName,
  -- Columns in parentheses that name the partition.
  agg_columns ColumnNameList
)
RETURNS TableOrSubquery
AS _interval_intersect!(
  (
    _ii_renamed!($tab1, $id_col1, $ts_col1, $dur_col1, $agg_columns),
    _ii_renamed!($tab2, $id_col2, $ts_col2, $dur_col2, $agg_columns)
  ),
  $agg_columns
);

-- Cuts time wherever an interval begins or ends, and lists the intervals of each piece.
--
-- Columns: ts and dur of the piece, its number group_id (from 1), the id of an interval, and interval_ends_at_ts: 0 if
-- the interval covers the piece, 1 if it ends where the piece begins.
CREATE PERFETTO MACRO interval_self_intersect(
  -- The intervals.
  intervals TableOrSubquery
)
RETURNS TableOrSubquery
AS (
  WITH
    _isi_interval AS (SELECT id, ts, ts + dur AS ts_end FROM $intervals),
    _isi_cut AS (SELECT ts FROM _isi_interval UNION SELECT ts_end FROM _isi_interval),
    _isi_piece AS (
      SELECT
        row_number() OVER (ORDER BY ts) AS id,
        ts,
        lead(ts, 1, ts) OVER (ORDER BY ts) - ts AS dur
      FROM _isi_cut
    )
  SELECT ts, dur, id_0 AS group_id, id_1 AS id, 0 AS interval_ends_at_ts
  FROM _interval_intersect!((_isi_piece, $intervals), ())
  WHERE dur > 0
  UNION ALL
  SELECT ts, dur, piece.id, interval.id, 1
  FROM _isi_piece AS piece
  JOIN (SELECT DISTINCT id, ts_end FROM _isi_interval) AS interval ON interval.ts_end = piece.ts
);
