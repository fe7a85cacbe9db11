//! The first pass over a trace: lists the items with their timestamps, without filling tables.
//!
//! Packets are in the order in which they were written, but the tables are filled in time order. The survey processes
//! everything that depends on file order (sequence state, incremental clocks) and lists the items.
//! [`timeline`](super::timeline) sorts them by time.

mod ftrace;
mod item;
mod losses;
mod packets;
mod times;

pub(super) use item::{Bundle, Item, What};
pub(super) use packets::Survey;
