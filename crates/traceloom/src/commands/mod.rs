//! The subcommands, one file each.

pub mod callgraph;
pub mod capture;
pub mod convert;
pub mod diff;
pub mod events;
#[cfg(feature = "query")]
pub mod export;
pub mod frames;
pub mod info;
pub mod profile;
#[cfg(feature = "query")]
pub mod query;
pub mod report;
pub mod threads;
pub mod view;
pub mod weave;
pub mod why;
