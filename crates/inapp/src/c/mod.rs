//! The C interface: the functions of `include/traceloom.h`, which documents them.

mod arguments;
mod control;
mod events;
mod options;

pub(crate) use arguments::{answer, format};
