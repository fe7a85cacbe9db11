//! The agents: each records one kind of data.

mod atrace;
mod file;
#[cfg(any(target_os = "linux", target_os = "android"))]
mod linux;
mod local_processes;
mod processes;

pub use atrace::{AtraceAgent, AtraceOptions, DEFAULT_CATEGORIES, DeviceCategory};
pub use file::FileAgent;
#[cfg(any(target_os = "linux", target_os = "android"))]
pub use linux::{LINUX_CATEGORIES, LinuxAgent, LinuxOptions};
pub use local_processes::LocalProcessAgent;
pub use processes::ProcessAgent;
