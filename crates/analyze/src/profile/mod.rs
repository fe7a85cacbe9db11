//! The profile, as in Traceview: cost, callers and callees of each method.

mod edges;
mod folded;
mod group;
mod repairs;
mod report;
mod rows;
mod views;

pub use edges::Edge;
pub use group::GroupBy;
pub(crate) use group::sorted_by_group;
pub use repairs::RepairNote;
pub use report::{MethodReport, ReportEdge};
pub use rows::{Profile, ProfileOptions, ProfileRow};
pub use views::{TreeDirection, TreeView, TreeViewOptions, TreeViewRow};
