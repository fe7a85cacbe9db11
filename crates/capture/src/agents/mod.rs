//! The agents: each records one kind of data.

mod atrace;
#[cfg(target_os = "linux")]
mod battor;
mod cgroups;
mod ddms;
mod file;
#[cfg(any(target_os = "linux", target_os = "android"))]
mod linux;
mod local_processes;
mod memory;
mod method;
mod processes;
mod walt;

pub(crate) use atrace::NOT_STARTED;
pub use atrace::{AtraceAgent, AtraceOptions, DEFAULT_CATEGORIES, DeviceCategory};
#[cfg(target_os = "linux")]
pub use battor::BattorAgent;
pub use cgroups::CgroupAgent;
pub use ddms::{DdmsAgent, DdmsOptions};
pub use file::FileAgent;
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(crate) use linux::Output;
#[cfg(any(target_os = "linux", target_os = "android"))]
pub use linux::{LINUX_CATEGORIES, LinuxAgent, LinuxOptions};
pub use local_processes::LocalProcessAgent;
pub use memory::{FullDump, LocalShell, MemoryAgent, MemoryOptions, ProcShell};
pub use method::{MethodAgent, MethodOptions};
pub use processes::ProcessAgent;
pub use walt::WaltAgent;
