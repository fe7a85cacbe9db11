//! The interface to SQLite: virtual tables and functions. All code that calls SQLite's C interface is in this folder.
//! The crate's only other unsafe code is in `columns::stored`, which passes on whole columns of the trace without
//! copying them.

pub(crate) mod call;
mod code;
mod collect;
pub(crate) mod defined;
mod delegate;
mod focus;
pub(crate) mod guard;
mod heap_flamegraph;
mod interval;
pub(crate) mod intrinsic;
pub(crate) mod legacy;
mod memo;
pub(crate) mod module;
pub(crate) mod nesting;
pub(crate) mod operator;
mod order;
mod plan;
pub(crate) mod pointer;
pub(crate) mod prelude;
mod read_only;
pub(crate) mod real;
pub(crate) mod source;
mod stack_flamegraph;
mod table;
pub(crate) mod table_call;
mod table_info;
mod value;
