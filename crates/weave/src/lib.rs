//! Rewrites class files so that every method opens a section and closes it on every way out.
//!
//! A class reader and writer that leaves what it does not change byte for byte, the weaver on top of it, and the
//! map from method ids to names.

pub mod class;
mod weaver;

pub use weaver::{Call, CallError, LeftOut, Plan, Woven, weave_class};
