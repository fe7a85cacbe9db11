-- Slices and those around or within them.

-- A slice and the slices that enclose it.
CREATE PERFETTO FUNCTION _slice_ancestor_and_self(
  -- The slice.
  slice_id JOINID(slice.id)
)
RETURNS TABLE(
  id JOINID(slice.id),
  ts TIMESTAMP,
  dur DURATION,
  track_id JOINID(track.id),
  category STRING,
  name STRING,
  depth LONG,
  parent_id JOINID(slice.id),
  arg_set_id ARGSETID,
  thread_ts TIMESTAMP,
  thread_dur LONG
)
AS
WITH family(id) AS (
  SELECT $slice_id
  UNION ALL
  SELECT id FROM __intrinsic_ancestors($slice_id)
)
SELECT
  slice.id, slice.ts, slice.dur, slice.track_id, slice.category, slice.name, slice.depth, slice.parent_id,
  slice.arg_set_id, slice.thread_ts, slice.thread_dur
FROM family
CROSS JOIN slice ON slice.id = family.id;

-- A slice and the slices within it.
CREATE PERFETTO FUNCTION _slice_descendant_and_self(
  -- The slice.
  slice_id JOINID(slice.id)
)
RETURNS TABLE(
  id JOINID(slice.id),
  ts TIMESTAMP,
  dur DURATION,
  track_id JOINID(track.id),
  category STRING,
  name STRING,
  depth LONG,
  parent_id JOINID(slice.id),
  arg_set_id ARGSETID,
  thread_ts TIMESTAMP,
  thread_dur LONG
)
AS
WITH family(id) AS (
  SELECT $slice_id
  UNION ALL
  SELECT id FROM __intrinsic_descendants($slice_id)
)
SELECT
  slice.id, slice.ts, slice.dur, slice.track_id, slice.category, slice.name, slice.depth, slice.parent_id,
  slice.arg_set_id, slice.thread_ts, slice.thread_dur
FROM family
CROSS JOIN slice ON slice.id = family.id;

-- Slices without those whose column is NULL. The others get the nearest slice around them that is left as parent.
CREATE PERFETTO MACRO _slice_remove_nulls_and_reparent(
  -- Slices: id, parent_id, depth, and the column.
  slice_table TableOrSubquery,
  -- The column.
  column_name ColumnName
)
RETURNS TableOrSubquery
AS (
  WITH left_over AS (SELECT * FROM $slice_table WHERE $column_name IS NOT NULL)
  SELECT id, parent_id, depth, $column_name FROM left_over WHERE depth = 0
  UNION ALL
  SELECT id, around_id, max(around_depth), $column_name
  FROM (
    SELECT
      inner_slice.id,
      around.id AS around_id,
      iif(outer_slice.id IS NULL, 0, around.depth) AS around_depth,
      inner_slice.$column_name
    FROM left_over AS inner_slice
    JOIN ancestor_slice(inner_slice.id) AS around
    LEFT JOIN left_over AS outer_slice ON outer_slice.id = around.id
  )
  GROUP BY id
);
