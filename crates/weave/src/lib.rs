//! Rewrites class files so that every method opens a section and closes it on every way out.
//!
//! A class reader and writer that leaves what it does not change byte for byte, the weaver on top of it, and the
//! map from method ids to names.

mod build;
pub mod class;
mod map;
mod rules;
mod weaver;

pub use build::{Build, BuildError, Failure, Report};
pub use map::{Ids, MAX_PACKED_ID, MapError, MappedMethod, MethodMap};
pub use rules::{Choice, Choices, Names, Rules, RulesError, Skip};

pub use weaver::{Call, CallError, LeftOut, Plan, Woven, weave_class};
