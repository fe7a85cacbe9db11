//! Functions in SQL that need no module.

use rusqlite::Connection;

use super::call::{self, Function};
use super::table_call::{self, TableFunction};
use super::table_info;

/// The columns of slices that a function returns.
const SLICE: &[&str] = &[
    "id",
    "ts",
    "dur",
    "track_id",
    "category",
    "name",
    "depth",
    "parent_id",
    "arg_set_id",
    "thread_ts",
    "thread_dur",
    "thread_instruction_count",
    "thread_instruction_delta",
];

/// Functions that return slices, and the operators that find their ids.
const OF_SLICES: &[(&str, &str)] = &[
    ("ancestor_slice", "__intrinsic_ancestors"),
    ("descendant_slice", "__intrinsic_descendants"),
];

/// Whether a slice encloses another one; NULL if one of them does not exist.
const IS_ANCESTOR: &str = "SELECT $ancestor_id IN (SELECT id FROM __intrinsic_ancestors(other.id))
    FROM slice AS one, slice AS other WHERE one.id = $ancestor_id AND other.id = $descendant_id";

/// The callsites around a callsite.
const ANCESTORS_OF_CALLSITE: &str = "WITH RECURSIVE up(id) AS (
      SELECT parent_id FROM stack_profile_callsite WHERE id = $start_id
      UNION SELECT parent_id FROM up JOIN stack_profile_callsite USING (id))
    SELECT id, depth, parent_id, frame_id FROM up JOIN stack_profile_callsite USING (id)";

/// The columns of `experimental_flamegraph`.
const FLAMEGRAPH: &[&str] = &[
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

/// The classes on the shortest way to each object of a heap graph. An object has an even number, and its native memory
/// the odd one after it.
const OF_HEAP_GRAPH: &str = "WITH RECURSIVE
    objects AS MATERIALIZED (
      SELECT o.id, o.self_size, o.native_size, o.root_type, coalesce(c.deobfuscated_name, c.name) AS class,
        c.kind IN ('KIND_WEAK_REFERENCE', 'KIND_PHANTOM_REFERENCE', 'KIND_FINALIZER_REFERENCE') AS is_weak
      FROM heap_graph_object AS o JOIN heap_graph_class AS c ON c.id = o.type_id
      WHERE $profile_type = 'graph' AND o.upid = $upid AND o.graph_sample_ts = $ts),
    tree AS MATERIALIZED (
      SELECT node_id AS id, parent_node_id AS parent_id FROM __intrinsic_bfs(
        (SELECT __intrinsic_rows(owner_id, owned_id) FROM (
          SELECT r.owner_id, r.owned_id FROM heap_graph_reference AS r JOIN objects AS o ON o.id = r.owner_id
          WHERE NOT (o.is_weak AND r.field_name IS 'java.lang.ref.Reference.referent') ORDER BY r.owned_id)),
        (SELECT __intrinsic_rows(id) FROM (
          SELECT id FROM objects WHERE root_type IS NOT NULL ORDER BY class, id)))),
    nodes AS MATERIALIZED (
      SELECT o.id * 2 AS id, t.parent_id * 2 AS parent_id, o.self_size AS size,
        o.class || coalesce(' [' || o.root_type || ']', '') AS name
      FROM tree AS t JOIN objects AS o USING (id)
      UNION ALL
      SELECT o.id * 2 + 1, o.id * 2, o.native_size, '[native] ' || o.class || coalesce(' [' || o.root_type || ']', '')
      FROM tree AS t JOIN objects AS o USING (id) WHERE o.native_size > 0),
    paths(id, path, above, depth) AS (
      SELECT id, hash(name), NULL, 0 FROM nodes WHERE parent_id IS NULL
      UNION ALL
      SELECT n.id, hash(p.path, n.name), p.path, p.depth + 1 FROM paths AS p JOIN nodes AS n ON n.parent_id = p.id),
    classes AS MATERIALIZED (
      SELECT row_number() OVER (ORDER BY p.depth, min(n.id)) - 1 AS id, p.path, p.above, p.depth, n.name,
        count() AS count, sum(max(n.size, 0)) AS size
      FROM paths AS p JOIN nodes AS n USING (id) GROUP BY p.path),
    sums AS MATERIALIZED (
      SELECT c0 AS id, c1 AS parent_id, c2 AS count, c3 AS size FROM __intrinsic_table_ptr((
        SELECT __intrinsic_tree_dominator_summary(__intrinsic_tree_from_table('id', c.id, 'parent_id', above.id,
          'self_size', c.size, 'native_size', 0, 'self_count', c.count))
        FROM classes AS c LEFT JOIN classes AS above ON above.path = c.above))
      WHERE __intrinsic_table_ptr_bind(c0, 'id') AND __intrinsic_table_ptr_bind(c1, 'idom_id')
        AND __intrinsic_table_ptr_bind(c2, 'dominated_obj_count')
        AND __intrinsic_table_ptr_bind(c3, 'dominated_size_bytes'))
    SELECT c.id, $profile_type AS profile_type, $ts AS ts, $upid AS upid, $upid_group AS upid_group, c.depth, c.name,
      'JAVA' AS map_name, c.count, s.count AS cumulative_count, c.size, s.size AS cumulative_size,
      0 AS alloc_count, 0 AS cumulative_alloc_count, 0 AS alloc_size, 0 AS cumulative_alloc_size, s.parent_id,
      NULL AS source_file, NULL AS line_number
    FROM classes AS c JOIN sums AS s USING (id)
    WHERE $focus_str IS NULL AND $ts_constraint IS NULL ORDER BY c.id";

/// The arguments of `experimental_flamegraph`. Only heap graphs have rows.
const OF_FLAMEGRAPH: &[&str] = &[
    "profile_type",
    "ts",
    "ts_constraint",
    "upid",
    "upid_group",
    "focus_str",
];

/// The layers of SurfaceFlinger and those above them, the topmost first. A layer that is its own parent has none. In
/// a hostile trace, layers may form a cycle.
const HIERARCHY_PATHS: &str = "WITH RECURSIVE
    layer AS MATERIALIZED (
      SELECT id, snapshot_id, layer_id, parent FROM surfaceflinger_layer WHERE layer_id IS NOT NULL),
    up(id, snapshot_id, layer_id, ancestor_id, parent, distance) AS (
      SELECT id, snapshot_id, layer_id, layer_id, parent, 0 FROM layer
      UNION ALL
      SELECT up.id, up.snapshot_id, up.layer_id, above.layer_id, above.parent, distance + 1
      FROM up JOIN layer AS above ON above.snapshot_id = up.snapshot_id AND above.layer_id = up.parent
      WHERE above.parent IS NOT above.layer_id AND distance < 256)
    SELECT row_number() OVER (ORDER BY id, distance DESC) - 1 AS id, snapshot_id,
      layer_id & 0xffffffff AS layer_id, ancestor_id & 0xffffffff AS ancestor_id
    FROM up";

/// Registers the functions with a connection.
///
/// # Errors
/// If SQLite has no memory.
pub(crate) fn register(connection: &Connection) -> rusqlite::Result<()> {
    for &(name, operator) in OF_SLICES {
        let columns: Vec<String> = SLICE.iter().map(|name| format!("slice.{name}")).collect();
        let columns = columns.join(", ");
        let sql = format!(
            "SELECT {columns} FROM {operator}($start_id) AS it CROSS JOIN slice ON slice.id = it.id"
        );
        let function = TableFunction {
            name: name.to_owned(),
            arguments: vec!["start_id".to_owned()],
            columns: SLICE.iter().map(|name| (*name).to_owned()).collect(),
            sql,
        };
        table_call::define(connection, function)?;
    }
    table_call::define(connection, table_info::function())?;
    let columns = ["id", "depth", "parent_id", "frame_id"].map(str::to_owned);
    let of_callsites = TableFunction {
        name: "experimental_ancestor_stack_profile_callsite".to_owned(),
        arguments: vec!["start_id".to_owned()],
        columns: columns.to_vec(),
        sql: ANCESTORS_OF_CALLSITE.to_owned(),
    };
    table_call::define(connection, of_callsites)?;
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let flamegraph = TableFunction {
        name: "experimental_flamegraph".to_owned(),
        arguments: owned(OF_FLAMEGRAPH),
        columns: owned(FLAMEGRAPH),
        sql: OF_HEAP_GRAPH.to_owned(),
    };
    table_call::define(connection, flamegraph)?;
    let of_layers = TableFunction {
        name: "__intrinsic_winscope_surfaceflinger_hierarchy_path".to_owned(),
        arguments: Vec::new(),
        columns: owned(&["id", "snapshot_id", "layer_id", "ancestor_id"]),
        sql: HIERARCHY_PATHS.to_owned(),
    };
    table_call::define(connection, of_layers)?;
    let function = Function {
        name: "slice_is_ancestor".to_owned(),
        arguments: vec!["ancestor_id".to_owned(), "descendant_id".to_owned()],
        sql: IS_ANCESTOR.to_owned(),
    };
    call::define(connection, function).map(drop)
}
