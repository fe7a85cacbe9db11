//! The standard library: SQL modules under the public names of PerfettoSQL.
//!
//! A file has the name of its module. A comment before each object describes it.

mod library;
mod modules;
mod objects;

pub(crate) use library::Library;

/// The objects that are defined in every session.
pub(crate) const PRELUDE: &str = include_str!("prelude.sql");
