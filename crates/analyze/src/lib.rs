//! Analyses of traces: a trace in, a result out. No files, no screen.

mod align;
mod case;
mod diff;
mod flame;
pub mod frames;
mod graph;
mod prefetch;
mod profile;
pub mod timeline;
mod tree;

pub use align::{AlignedBy, Alignment, align, align_starts};
#[cfg(target_family = "wasm")]
pub use case::set_lowercase;
pub use diff::{Change, Diff, DiffMetric, DiffRow, Presence, Verdict};
pub use flame::{Flame, FlameDirection, FlameFrame, FlameOptions, FlameSide, NO_FRAME};
pub use graph::{CallGraph, GraphEdge, GraphNode, GraphOptions};
pub use profile::*;
pub use tree::*;
