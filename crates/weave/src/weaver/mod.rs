//! Inserting a pair of calls into each method.

mod call;
mod class;
mod emit;
mod layout;
mod method;
mod move_frames;
mod skip_reason;
mod super_call;

pub use call::{Call, CallError};
pub use class::{Plan, Woven, weave_class};
pub use skip_reason::SkipReason;
