//! The agents: each records one kind of data.

mod atrace;
mod file;
mod processes;

pub use atrace::{AtraceAgent, AtraceOptions, DEFAULT_CATEGORIES, DeviceCategory};
pub use file::FileAgent;
pub use processes::ProcessAgent;
