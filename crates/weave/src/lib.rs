#![doc = include_str!("../README.md")]
#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod build;
pub mod class;
mod map;
mod rules;
mod weaver;

pub use build::{Build, BuildError, Failure, Report};
pub use map::{MAX_PACKED_ID, MapError, MappedMethod, MethodMap};
pub use rules::{Choice, Names, Rules, RulesError, Skip};
pub use weaver::{Call, CallError, Plan, SkipReason, Woven, weave_class};
