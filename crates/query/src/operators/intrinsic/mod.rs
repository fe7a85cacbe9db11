//! Functions that Perfetto's standard library is built on. Their arguments and results are tables as values, which
//! `__intrinsic_table_ptr` reads. The module `sqlite::intrinsic` registers them with SQLite.

mod counters;
mod create;
mod critical_path;
mod graphs;
mod intersect;
pub(crate) mod names;
pub(crate) mod scan;
mod table;
mod tree;

use rusqlite::types::ValueRef;

use super::failure::Failure;
use super::meter::Meter;
pub(crate) use table::Table;

/// Computes the result of a function from its arguments.
pub(crate) type Run = fn(&[ValueRef<'_>], &mut Meter) -> Result<Table, Failure>;

/// A function, and its number of arguments; -1 means any number.
pub(crate) type Function = (&'static str, i32, Run);

/// Aggregates that collect their arguments as a table. The functions that take the table define what it contains.
pub(crate) const COLLECTORS: &[(&str, i32)] = &[
    ("__intrinsic_array_agg", 1),
    ("__intrinsic_counter_per_track_agg", 4),
    ("__intrinsic_graph_agg", 2),
    ("__intrinsic_interval_tree_intervals_agg", -1),
    ("__intrinsic_row_dataframe_agg", -1),
    ("__intrinsic_timestamp_set_agg", 1),
    ("__intrinsic_tree_from_table", -1),
    ("__intrinsic_wakeup_graph_agg", 7),
    ("repeatedfield", 1),
];

/// Aggregates that work on the table of their arguments.
pub(crate) const AGGREGATES: &[Function] = &[
    ("__intrinsic_dominator_tree", 3, graphs::dominator_tree),
    (
        "__intrinsic_structural_tree_partition",
        3,
        graphs::partition,
    ),
];

/// Functions that return a table.
pub(crate) const FUNCTIONS: &[Function] = &[
    ("__intrinsic_bfs", 2, graphs::breadth_first),
    ("__intrinsic_counter_intervals", 3, counters::intervals),
    ("__intrinsic_critical_path_walk", 2, critical_path::walk),
    ("__intrinsic_dfs", 2, graphs::depth_first),
    ("__intrinsic_interval_create", 2, create::run),
    ("__intrinsic_interval_intersect", -1, intersect::by_names),
    ("__intrinsic_tree_dominator_summary", 1, tree::summary),
    ("__intrinsic_tree_to_table", 1, tree::to_table),
];
