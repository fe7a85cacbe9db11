//! Tokenized lines in a compact form. Threads pass batches to each other, and moving a cache line
//! from one core to another costs more than encoding the events in it.

mod decode;
mod encode;
mod layout;

pub(super) use encode::{Encoder, EventHead, Interned};
pub(crate) use layout::{EventBatch, emptied};
