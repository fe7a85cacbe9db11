//! The trace builder: readers call it in the order of their input, and it fills the tables.

mod lookups;
mod rows;
mod slices;
mod threads;
mod trace_builder;
mod tracks;

pub use slices::SliceBegin;
pub use trace_builder::TraceBuilder;
pub use tracks::TrackOwnerId;
