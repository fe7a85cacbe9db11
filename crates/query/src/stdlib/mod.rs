//! The standard library: modules in SQL, under the names that PerfettoSQL made public.
//!
//! A file is named as its module, and describes each object in a comment before it.

mod library;
mod modules;
mod objects;

pub(crate) use library::Library;

/// What is defined in every session.
pub(crate) const PRELUDE: &str = include_str!("prelude.sql");
