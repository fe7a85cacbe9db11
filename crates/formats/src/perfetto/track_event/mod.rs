//! Track events: slices, instants and counters of programs that use Perfetto's SDK, of Chrome and of Android's
//! services.
//!
//! ```text
//! TrackDescriptor   uuid, parent, and kind: a process, a thread, a counter, or a named track
//! TrackEvent        a track's uuid, a type (begin, end, instant, counter), a name, categories, annotations, flows
//! ```
//! [`event`] decodes messages; [`tracks`] finds the track of a uuid; [`interpret`] fills the tables.

mod active;
mod args;
mod attach;
mod counters;
mod counting;
mod described;
mod ends;
mod event;
mod finish;
#[cfg(test)]
mod flow_tests;
mod flows;
mod interpret;
mod json_args;
mod legacy;
mod legacy_args;
mod legacy_flows;
mod lifecycle;
mod log_lines;
mod messages;
mod names;
mod nested;
mod owners;
mod raw;
mod renamed_args;
mod renames;
#[cfg(test)]
mod renames_tests;
mod siblings;
mod skipped;
mod states;
mod tasks;
mod thread_names;
mod tids;
mod tracks;
mod types;
mod writer;

pub(super) use event::SliceStack;
pub(super) use interpret::TrackEvents;

#[cfg(test)]
mod args_tests;
#[cfg(test)]
mod chrome_tests;
#[cfg(test)]
mod task_tests;
#[cfg(test)]
mod tests;
