//! SQL functions that need no module.

use rusqlite::Connection;

use super::call::{self, Function};
use super::heap_flamegraph;
use super::stack_flamegraph;
use super::table_call::{self, TableFunction};
use super::table_info;

/// The columns that functions return for a slice.
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

/// Functions that return slices, and the operators that find the ids of these slices.
const OF_SLICES: &[(&str, &str)] = &[
    ("ancestor_slice", "__intrinsic_ancestors"),
    ("descendant_slice", "__intrinsic_descendants"),
];

/// Whether a slice encloses another one; NULL if one of them does not exist.
const IS_ANCESTOR: &str = "SELECT $ancestor_id IN (SELECT id FROM __intrinsic_ancestors(other.id))
    FROM slice AS one, slice AS other WHERE one.id = $ancestor_id AND other.id = $descendant_id";

/// The callers of a callsite.
const ANCESTORS_OF_CALLSITE: &str = "WITH RECURSIVE up(id) AS (
      SELECT parent_id FROM stack_profile_callsite WHERE id = $start_id
      UNION SELECT parent_id FROM up JOIN stack_profile_callsite USING (id))
    SELECT id, depth, parent_id, frame_id FROM up JOIN stack_profile_callsite USING (id)";

/// The layers of SurfaceFlinger and the layers above them, topmost first. A layer that is its own parent has no layers
/// above. In a hostile trace, layers may form a cycle.
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
    let flamegraphs = stack_flamegraph::functions().into_iter();
    for function in flamegraphs.chain(heap_flamegraph::functions()) {
        table_call::define(connection, function)?;
    }
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
