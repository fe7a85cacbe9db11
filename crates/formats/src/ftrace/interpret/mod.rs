//! Converts events to tables. The interpreter receives events in the order of the input and calls
//! the builder; it never sees lines.
//!
//! An event whose contents are stored in other tables has no row in the table of events. These are
//! switches, wake-ups (except for the target CPU, which the next switch shows), markers, counters,
//! and both ends of a slice, whose fields become the slice's arguments. Every other event becomes a
//! row with its fields, and so does an event that its rule could not use, such as an end without a
//! begin.
//!
//! All idle threads share the row that a trace reserves for them: tid 0, `swapper`. It belongs to no process and has
//! no states.
//!
//! [`interpreter`] has the state and the dispatch; the other files add methods for one area each.

mod adreno;
mod args;
mod binder;
mod binder_steps;
mod clock;
mod counters;
mod derived;
mod described_track;
mod devices;
mod disk;
mod drm;
mod event_table;
mod gpu;
mod graph;
mod header;
mod heaps;
mod inferred;
mod interpreter;
mod kernel;
mod kills;
mod marker;
mod memory;
mod network;
mod open_pairs;
mod pairs;
mod pm;
mod position;
mod power;
mod repeats;
mod rules;
mod sched;
mod seen;
mod self_described;
mod slices;
mod slot;
mod stacks;
mod state;
mod storage;
mod syscalls;
mod threads;
mod video;
mod virtio_video;

pub(crate) use interpreter::Interpreter;
