//! Slices and counters that are derived from kernel events which the trace also keeps: one table for events that need
//! no code of their own.
//!
//! Names, tracks and arguments are those of Perfetto, so that its queries work on every format. Text that is written
//! from a trace has only the events; reading it derives the rest again.

mod entry;
mod table;
#[cfg(test)]
mod tests;
mod text;
mod written;

pub(crate) use entry::{Action, Entry, On};
pub(crate) use table::entries;
pub(crate) use text::fill;
pub(crate) use written::Derived;
