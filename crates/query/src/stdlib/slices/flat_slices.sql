-- Slices of threads without nesting: at each time, only the innermost counts.

INCLUDE PERFETTO MODULE intervals.overlap;
INCLUDE PERFETTO MODULE slices.with_context;

-- When which slice was the innermost of its thread.
CREATE PERFETTO TABLE _slice_flattened(
  -- The innermost slice.
  slice_id JOINID(slice.id),
  ts TIMESTAMP,
  -- Until another slice is the innermost, or none.
  dur DURATION,
  -- How many slices of its track enclose it.
  depth LONG,
  name STRING,
  -- The outermost slice around it, or itself.
  root_id JOINID(slice.id),
  track_id JOINID(track.id),
  utid JOINID(thread.id),
  tid LONG,
  thread_name STRING,
  upid JOINID(process.id),
  pid LONG,
  process_name STRING
)
AS
WITH RECURSIVE
  _sf_slice(root_id, id, parent_id, ts, dur) AS (
    SELECT id, id, NULL, ts, dur FROM slice WHERE parent_id IS NULL
    UNION ALL
    SELECT root_id, slice.id, slice.parent_id, slice.ts, slice.dur
    FROM _sf_slice
    JOIN slice ON slice.parent_id = _sf_slice.id
  ),
  _sf_root AS (SELECT id, ts, dur FROM _sf_slice WHERE parent_id IS NULL),
  _sf_child AS (SELECT * FROM _sf_slice WHERE parent_id IS NOT NULL)
SELECT
  part.id AS slice_id, part.ts, part.dur, depth, name, root_id, track_id, utid, tid, thread_name, upid, pid, process_name
FROM _intervals_flatten!(_intervals_merge_root_and_children!(_sf_root, _sf_child)) AS part
JOIN thread_slice ON thread_slice.id = part.id;
