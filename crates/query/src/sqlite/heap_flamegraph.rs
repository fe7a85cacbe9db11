//! `experimental_flamegraph` for a heap graph: the objects on their shortest paths from the roots, merged by class.

use super::focus::focused;
use super::table_call::TableFunction;

/// The function, and the functions that it calls.
pub(super) fn functions() -> [TableFunction; 3] {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let merged = TableFunction {
        name: "__intrinsic_heap_graph_classes".to_owned(),
        arguments: owned(&["ts", "upid"]),
        columns: owned(&["path", "above", "depth", "name", "place", "count", "size"]),
        sql: MERGED.to_owned(),
    };
    let frames = TableFunction {
        name: "__intrinsic_heap_graph_flamegraph".to_owned(),
        arguments: owned(&["ts", "upid", "focus_str"]),
        columns: owned(&[
            "id",
            "depth",
            "name",
            "count",
            "all_count",
            "size",
            "all_size",
            "parent_id",
        ]),
        sql: FRAMES.to_owned(),
    };
    let all = TableFunction {
        name: "experimental_flamegraph".to_owned(),
        arguments: owned(ARGUMENTS),
        columns: owned(COLUMNS),
        sql: ALL.to_owned(),
    };
    [merged, frames, all]
}

/// Its arguments.
pub(super) const ARGUMENTS: &[&str] = &[
    "profile_type",
    "ts",
    "ts_constraint",
    "upid",
    "upid_group",
    "focus_str",
];

/// Its columns.
const COLUMNS: &[&str] = &[
    "id",
    "profile_type",
    "ts",
    "upid",
    "upid_group",
    "depth",
    "name",
    "map_name",
    "count",
    "cumulative_count",
    "size",
    "cumulative_size",
    "alloc_count",
    "cumulative_alloc_count",
    "alloc_size",
    "cumulative_alloc_size",
    "parent_id",
    "source_file",
    "line_number",
];

/// The classes on the shortest path to each object of a heap graph. Objects of one class below the same classes are
/// merged. An object has an even number, and its native memory has the next odd number. `place` is the position of the
/// first object.
///
/// This is a separate function, because SQLite copies a part of a statement wherever it is used, and limits the number
/// of copies.
const MERGED: &str = "WITH RECURSIVE
    objects AS MATERIALIZED (
      SELECT o.id, o.self_size, o.native_size, o.root_type, coalesce(c.deobfuscated_name, c.name) AS class,
        c.kind IN ('KIND_WEAK_REFERENCE', 'KIND_PHANTOM_REFERENCE', 'KIND_FINALIZER_REFERENCE') AS is_weak
      FROM heap_graph_object AS o JOIN heap_graph_class AS c ON c.id = o.type_id
      WHERE o.upid = $upid AND o.graph_sample_ts = $ts),
    tree AS MATERIALIZED (
      SELECT node_id AS id, parent_node_id AS parent_id FROM __intrinsic_bfs(
        (SELECT __intrinsic_rows(owner_id, owned_id) FROM (
          SELECT r.owner_id, r.owned_id FROM heap_graph_reference AS r JOIN objects AS o ON o.id = r.owner_id
          WHERE NOT (o.is_weak AND r.field_name IS 'java.lang.ref.Reference.referent') ORDER BY r.owned_id)),
        (SELECT __intrinsic_rows(id) FROM (
          SELECT id FROM objects WHERE root_type IS NOT NULL ORDER BY class, id)))),
    nodes AS MATERIALIZED (
      SELECT o.id * 2 AS id, t.parent_id * 2 AS parent_id, o.self_size AS size,
        o.class || coalesce(' [' || o.root_type || ']', '') AS name, o.id AS place
      FROM tree AS t JOIN objects AS o USING (id)
      UNION ALL
      SELECT o.id * 2 + 1, o.id * 2, o.native_size, '[native] ' || o.class || coalesce(' [' || o.root_type || ']', ''),
        (1 << 40) + o.id
      FROM tree AS t JOIN objects AS o USING (id) WHERE o.native_size > 0),
    paths(id, path, above, depth) AS (
      SELECT id, hash(name), NULL, 0 FROM nodes WHERE parent_id IS NULL
      UNION ALL
      SELECT n.id, hash(p.path, n.name), p.path, p.depth + 1 FROM paths AS p JOIN nodes AS n ON n.parent_id = p.id)
    SELECT p.path, p.above, p.depth, n.name, min(n.place) AS place, count() AS count, sum(max(n.size, 0)) AS size
    FROM paths AS p JOIN nodes AS n USING (id) GROUP BY p.path";

/// The rows, in the order in which Perfetto finds them. Perfetto goes over the objects by their ids, then over their
/// native memory, and adds the frames above each before the object itself. So a class comes where the first object in
/// its tree comes.
const FRAMES: &str = concat!(
    "WITH RECURSIVE
    merged AS MATERIALIZED (
      SELECT path, above, depth, name, place, count, size FROM __intrinsic_heap_graph_classes($ts, $upid)),
    up(path, place) AS (
      SELECT path, place FROM merged
      UNION
      SELECT above.path, up.place
      FROM up JOIN merged AS it ON it.path = up.path JOIN merged AS above ON above.path = it.above
      WHERE up.place < above.place),
",
    focused!(),
    "    places AS MATERIALIZED (SELECT path, min(place) AS place FROM up GROUP BY path),
    classes AS MATERIALIZED (
      SELECT row_number() OVER (ORDER BY places.place, m.depth) - 1 AS id, m.path, m.above, m.depth, m.name, m.count, m.size
      FROM merged AS m JOIN places USING (path) WHERE m.path IN (SELECT path FROM focused)),
    sums AS MATERIALIZED (
      SELECT c0 AS id, c1 AS parent_id, c2 AS count, c3 AS size FROM __intrinsic_table_ptr((
        SELECT __intrinsic_tree_dominator_summary(__intrinsic_tree_from_table('id', c.id, 'parent_id', above.id,
          'self_size', c.size, 'native_size', 0, 'self_count', c.count))
        FROM classes AS c LEFT JOIN classes AS above ON above.path = c.above))
      WHERE __intrinsic_table_ptr_bind(c0, 'id') AND __intrinsic_table_ptr_bind(c1, 'idom_id')
        AND __intrinsic_table_ptr_bind(c2, 'dominated_obj_count')
        AND __intrinsic_table_ptr_bind(c3, 'dominated_size_bytes')),
    frames AS MATERIALIZED (
      SELECT c.id, c.depth, c.name, c.count, s.count AS all_count, c.size, s.size AS all_size, s.parent_id
      FROM classes AS c JOIN sums AS s USING (id)
      UNION ALL
      SELECT 0, 0, 'ERROR: INCOMPLETE GRAPH (try increasing buffer size)', 1, 1, 1, 1, NULL
      FROM heap_graph AS h
      WHERE h.upid = $upid AND h.ts = $ts AND h.truncated
        AND NOT EXISTS (SELECT 1 FROM merged))
    SELECT id, depth, name, count, all_count, size, all_size, parent_id FROM frames ORDER BY id"
);

/// The frames of each kind of profile.
const ALL: &str = "
    SELECT id, $profile_type AS profile_type, $ts AS ts, $upid AS upid, $upid_group AS upid_group, depth, name,
      'JAVA' AS map_name, count, all_count AS cumulative_count, size, all_size AS cumulative_size,
      0 AS alloc_count, 0 AS cumulative_alloc_count, 0 AS alloc_size, 0 AS cumulative_alloc_size, parent_id,
      NULL AS source_file, NULL AS line_number
    FROM __intrinsic_heap_graph_flamegraph($ts, $upid, $focus_str) WHERE $profile_type = 'graph'
    UNION ALL
    SELECT id, $profile_type, ts, $upid, $upid_group, depth, name, map_name, count, all_count, size, all_size, alloc_count,
      all_alloc_count, alloc_size, all_alloc_size, parent_id, source_file, line_number
    FROM __intrinsic_callstack_flamegraph($profile_type, $ts, $ts_constraint, $upid, $upid_group, $focus_str)
    WHERE $profile_type IN ('native', 'perf')";
