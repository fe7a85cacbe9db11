//! The agents. Each records one kind of data.

mod atrace;
#[cfg(all(target_os = "linux", feature = "battor"))]
mod battor;
#[cfg(any(target_os = "linux", target_os = "android"))]
mod buffers;
mod cgroups;
mod ddms;
mod extra_buffer;
mod file;
#[cfg(any(target_os = "linux", target_os = "android"))]
mod linux;
mod local_processes;
#[cfg(any(target_os = "linux", target_os = "android"))]
mod local_tracefs;
mod memory;
mod method;
mod processes;
mod walt;

pub(crate) use atrace::NOT_STARTED;
pub use atrace::{AtraceAgent, AtraceOptions, DeviceCategory};
#[cfg(all(target_os = "linux", feature = "battor"))]
pub use battor::BattorAgent;
pub use cgroups::CgroupAgent;
pub use ddms::{DdmsAgent, DdmsOptions};
pub use extra_buffer::ExtraBuffer;
pub use file::FileAgent;
#[cfg(any(target_os = "linux", target_os = "android"))]
pub use linux::{LinuxAgent, LinuxOptions, buffer_status};
pub use local_processes::LocalProcessAgent;
#[cfg(any(target_os = "linux", target_os = "android"))]
pub use local_tracefs::local_tracefs;
pub use memory::{FullDump, LocalShell, MemoryAgent, MemoryOptions, ProcShell};
pub use method::{MethodAgent, MethodOptions};
pub use processes::ProcessAgent;
pub use walt::WaltAgent;
