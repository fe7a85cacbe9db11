//! The first pass over a trace: finds what happens when, without tables.
//!
//! Packets are in the order in which they were written, but the tables are filled in order of time. The survey follows
//! the order of the file (state of sequences, incremental clocks) and lists what it finds; [`timeline`](super::timeline)
//! puts it in order.

mod ftrace;
mod item;
mod losses;
mod packets;

pub(super) use item::{Bundle, Item, What};
pub(super) use packets::Survey;
