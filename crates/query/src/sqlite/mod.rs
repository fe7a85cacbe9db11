//! The tables as virtual tables of SQLite.

pub(crate) mod call;
mod code;
pub(crate) mod guard;
mod interval;
pub(crate) mod legacy;
pub(crate) mod module;
mod order;
mod plan;
pub(crate) mod source;
pub(crate) mod table_call;
mod value;
