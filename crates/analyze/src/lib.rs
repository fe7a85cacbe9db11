//! Analyses of traces: a trace in, a result out. No files, no screen.

mod profile;
mod tree;

pub use profile::*;
pub use tree::*;
