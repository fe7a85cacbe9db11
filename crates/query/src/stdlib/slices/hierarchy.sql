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
  SELECT id FROM __intrinsic_ancestors($slice_id)
  UNION ALL
  SELECT $slice_id
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
