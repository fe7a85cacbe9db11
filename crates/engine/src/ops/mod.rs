//! The operations of the page, by name.

mod events;
mod frames;
mod profile;
mod records;
mod table;
mod timeline;

pub(crate) use table::OPS;
