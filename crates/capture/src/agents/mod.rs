//! The agents: each records one kind of data.

mod atrace;
mod ddms;
mod file;
#[cfg(any(target_os = "linux", target_os = "android"))]
mod linux;
mod local_processes;
mod method;
mod processes;

pub use atrace::{AtraceAgent, AtraceOptions, DEFAULT_CATEGORIES, DeviceCategory};
pub use ddms::{DdmsAgent, DdmsOptions};
pub use file::FileAgent;
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(crate) use linux::Output;
#[cfg(any(target_os = "linux", target_os = "android"))]
pub use linux::{LINUX_CATEGORIES, LinuxAgent, LinuxOptions};
pub use local_processes::LocalProcessAgent;
pub use method::{MethodAgent, MethodOptions};
pub use processes::ProcessAgent;
