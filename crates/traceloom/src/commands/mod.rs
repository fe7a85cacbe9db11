//! The subcommands, one file each.

pub mod callgraph;
pub mod convert;
pub mod diff;
pub mod info;
pub mod profile;
