//! Profiles of any format: stacks, samples, and their rows.

mod names;
mod rows;
mod samples;
mod slice_stacks;
mod stacks;
mod v8;

pub(crate) use names::name_frames;
pub(crate) use rows::{Rows, add, add_at, add_samples, add_stacks, int, text, word};
pub(crate) use samples::{
    AsyncContext, BYTES, Counter, Execution, MOST_FOLLOWERS, Sample, Samples, Task, cpu_mode,
};
pub(crate) use slice_stacks::{StackOfSlice, slice_stacks};
pub(crate) use stacks::{Mapping, NONE, Named, Stacks, Symbol, push};
pub(crate) use v8::{V8Event, V8Profiles, events_of_profile};
