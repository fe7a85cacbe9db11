#![doc = include_str!("../README.md")]
#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![forbid(unsafe_code)]

mod diff;
pub mod events;
mod flame;
pub mod frames;
mod graph;
mod identity;
mod parallel;
mod partition;
mod percent;
mod percentile;
mod profile;
mod record_tables;
mod same_thread;
mod sample_event;
mod state;
pub mod threads;
pub mod timeline;
mod tree;
mod waits;

pub use diff::{Change, Diff, DiffMetric, DiffRow, DiffUnit, Presence, Verdict};
pub use flame::{Flame, FlameDirection, FlameFrame, FlameOptions, FlameSide, NO_FRAME};
pub use graph::{CallGraph, GraphEdge, GraphNode, GraphOptions};
pub use identity::{app_name, device_name};
pub use percent::percent;
pub use profile::{
    Edge, GroupBy, MethodReport, Profile, ProfileOptions, ProfileRow, RepairNote, ReportEdge,
    TreeDirection, TreeView, TreeViewOptions, TreeViewRow,
};
pub use record_tables::{LOGS, RecordTables, SAMPLES, ThreadSamples};
pub use sample_event::SampleEventError;
pub use tree::{
    CallNodes, CallTree, CallTreeBuilder, CpuSource, Function, FunctionId, Measure, NodeId, Origin,
    OverheadReport, Sums, TimeRange, Times, Transform, TreeClocks, TreeOptions, TreeThread,
    WholeTree,
};
pub use waits::{WaitReason, WaitText, thread_label, waker_label};
