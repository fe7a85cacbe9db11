-- What pages show of slices.

INCLUDE PERFETTO MODULE graphs.scan;

INCLUDE PERFETTO MODULE slices.with_context;

-- The slices around some slices, with the time that is not in those below them: id, parentId, name, self_dur, self_count,
-- simple_count.
CREATE PERFETTO MACRO _viz_slice_ancestor_agg(
  -- The innermost slices: id, dur.
  inits TableOrSubquery,
  -- These and the slices around them: id, parent_id, dur, name.
  nodes TableOrSubquery
)
RETURNS TableOrSubquery
AS (
  SELECT id, node.parent_id AS parentId, node.name, self_dur, self_count, 1 AS simple_count
  FROM _graph_aggregating_scan!(
    (SELECT id AS source_node_id, parent_id AS dest_node_id FROM $nodes WHERE parent_id IS NOT NULL),
    (SELECT id, dur, dur AS self_dur, 1 AS self_count FROM $inits),
    (dur, self_dur, self_count),
    (
      SELECT node.id, node.dur, node.dur - sum(below.dur) AS self_dur, 0 AS self_count
      FROM $table AS below JOIN $nodes AS node USING (id)
      GROUP BY node.id
    )
  )
  JOIN $nodes AS node USING (id)
);

-- All slices, with their thread and process if they have one.
CREATE PERFETTO VIEW _viz_slices_for_ui_table AS
SELECT
  id, ts, dur, category, name, track_id, track_name, thread_name, utid, tid, process_name, upid, pid, depth, parent_id,
  arg_set_id
FROM thread_or_process_slice
UNION ALL
SELECT
  slice.id, slice.ts, slice.dur, slice.category, slice.name, slice.track_id, track.name, NULL, NULL, NULL, NULL, NULL,
  NULL, slice.depth, slice.parent_id, slice.arg_set_id
FROM slice JOIN __intrinsic_track AS track ON track.id = slice.track_id
WHERE track.utid IS NULL AND track.upid IS NULL;
