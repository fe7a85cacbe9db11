//! The trace model of traceloom: columnar tables, the strings they share, and a record of every
//! repair. It knows no file format and no screen.
//!
//! A reader fills a [`TraceBuilder`]; the finished [`Trace`] is plain columns:
//!
//! ```
//! use traceloom_trace::{SliceBegin, TraceBuilder};
//!
//! let mut builder = TraceBuilder::new();
//! builder.begin_source("example", "hand-made");
//! let main = builder.thread(42);
//! let track = builder.thread_track(main);
//! let (outer, inner) = (builder.intern(b"doFrame"), builder.intern(b"draw"));
//! builder.begin_slice(track, SliceBegin::named(1_000, outer));
//! builder.begin_slice(track, SliceBegin::named(2_000, inner));
//! builder.end_slice(track, 5_000, None);
//! builder.end_slice(track, 9_000, None);
//!
//! let trace = builder.finish();
//! assert_eq!(trace.slices.dur.iter().collect::<Vec<_>>(), [8_000, 3_000]);
//! assert_eq!(trace.strings.get(trace.slices.name.get(1)), "draw");
//! ```

mod align;
mod args;
#[cfg(feature = "arrow")]
mod arrow;
mod builder;
mod callstack;
mod clock;
mod column;
mod compact;
mod cut;
mod ids;
mod lanes;
mod merge;
mod method;
mod order;
mod repair;
mod sched;
mod state;
mod strings;
mod table;
mod tables;
mod trace;

pub use align::{AlignedBy, Alignment, align, align_clocks, align_starts};
pub use args::{ArgColumns, ArgTable, ArgValue};
#[cfg(feature = "arrow")]
pub use arrow::{ArrowValue, IntoArrow};
pub use builder::{SliceBegin, TraceBuilder};
pub use callstack::CallStack;
pub use clock::{ClockKind, ClockRow};
pub use column::{CHUNK_ROWS, Column, ColumnChunk, ColumnValues};
pub use ids::{
    ArgSetId, MethodId, ProcessId, RowId, SliceId, SourceId, StringId, ThreadId, TrackId,
};
pub use lanes::{AsyncLanes, LaneKey};
pub use method::{
    MethodAction, MethodClocks, MethodEvent, MethodEvents, MethodIndex, MethodLine,
    MethodTraceStart, ThreadIndex,
};
pub use repair::{Place, RepairKind, RepairRow, RepairTable, Severity};
pub use sched::{SchedSwitch, SchedTracker};
pub use state::TaskState;
pub use strings::StringPool;
pub use tables::*;
pub use trace::Trace;
