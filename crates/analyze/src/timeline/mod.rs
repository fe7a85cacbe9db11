//! The timeline: its rows, the contents of a window of them, and details of a slice, a point in
//! time or a range.
//!
//! A [`Timeline`] is computed once per trace and takes a few words per slice. The cost of a window is bounded
//! by its pixels.

mod build;
mod downsample;
mod durations;
mod ends;
mod events;
mod extremes;
mod focus;
mod grouped;
mod index;
mod joined;
mod lanes;
mod moment;
mod names;
mod order;
mod range;
mod reach;
mod recursion;
mod rows;
mod search;
mod slice;
mod slice_repairs;
mod state_times;
mod stats;
mod tally;
mod totals;
mod unfinished;
mod usage;
mod why;
mod window;

pub use crate::state::{StateKind, run_extent, state_extent};
pub use downsample::{Spans, Window};
pub use ends::{Ends, TrackSpan};
pub use events::ShownEvent;
pub use extremes::MinMax;
pub use grouped::{Extent, GroupSpans, Grouped};
pub use index::Timeline;
pub use joined::Joined;
pub use lanes::{Lane, Lanes};
pub use moment::Wakeup;
pub use names::{NameId, Names, hue_of};
pub use range::RangeScope;
pub use recursion::Recursion;
pub use rows::{NO_ROW, RowKind, Rows, TimelineRow, row_flags};
pub use search::{FindMode, Finder, Hits, SliceQuery};
pub use slice::{ChildName, SliceDetails, Step};
pub use slice_repairs::SliceRepair;
pub use state_times::{Blocked, StateTimes};
pub use stats::NameStats;
pub use totals::Totals;
pub use usage::{CounterUse, CpuUse, inside};
pub use why::{Why, WhyPart};
pub use window::{CounterPoint, ShownInstant, ShownSlice, ShownState, WindowRow};
