//! Inserting a pair of calls into each method.

mod call;
mod class;
mod emit;
mod layout;
mod method;
mod move_frames;
mod skip_reason;
mod super_call;
mod woven;

pub use call::{Call, CallError};
pub use class::{Plan, Woven, weave_class};
pub use skip_reason::SkipReason;
pub(crate) use woven::{calls, is_woven};
