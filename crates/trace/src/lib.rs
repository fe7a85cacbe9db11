#![doc = include_str!("../README.md")]
#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod align;
mod args;
mod builder;
mod callstack;
mod clock;
pub mod column;
mod compact;
mod cut;
mod idle;
mod ids;
mod lanes;
mod merge;
mod method;
mod nest;
mod order;
mod paged;
mod records;
mod remap;
mod renumber;
mod reorder;
mod repair;
mod sched;
pub mod sort;
mod state;
mod strings;
mod table;
pub mod tables;
mod trace;
mod track_type;
mod wake_kind;

pub use align::{AlignedBy, Alignment, ClockKey, align, align_clocks, align_starts};
pub use args::{ArgColumns, ArgTable, ArgValue};
pub use builder::{SliceBegin, TraceBuilder, TrackOwnerId};
pub use callstack::CallStack;
pub use clock::{ClockKind, ClockRow};
pub use column::{CHUNK_ROWS, Column};
pub use idle::IS_IDLE;
pub use ids::{
    ArgSetId, MethodId, ProcessId, RecordId, RowId, SliceId, SourceId, StringId, ThreadId, TrackId,
};
pub use lanes::{AsyncLanes, LaneKey};
pub use merge::Shared;
pub use method::{
    MethodAction, MethodClocks, MethodEvent, MethodEvents, MethodIndex, MethodLine,
    MethodTraceStart, ThreadIndex,
};
pub use paged::Paged;
pub use records::{FIGURES_TABLE, FILES_TABLE, Records};
pub use remap::IdKind;
pub use repair::{Place, RepairKind, RepairRow, RepairTable, Severity};
pub use sched::states::{StateChange, StateTracker};
pub use sched::{SchedSwitch, SchedTracker, Sighting};
pub use state::TaskState;
pub use strings::StringPool;
pub use tables::{
    CounterRow, ExactCounterRow, FlowRow, FtraceEventRow, MetadataRow, MethodRow, NO_CPU,
    NO_DURATION, NO_FLAG, NO_NUMBER, NO_PRIORITY, NO_TIME, ProcessRow, RunEndRow, SchedSliceRow,
    SchedSliceTable, SliceRow, SourceRow, ThreadNameRow, ThreadRow, ThreadStateRow,
    ThreadStateTable, TrackRow, WakeupRow,
};
pub use trace::Trace;
pub use track_type::{TrackDimension, TrackDimensionValue, TrackOwner, TrackTitle, TrackType};
pub use wake_kind::WakeKind;
