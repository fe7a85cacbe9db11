//! Records traces, on Android devices over adb and on this machine.
//!
//! A [`Controller`] runs [`Agent`]s side by side; what they recorded goes into a [`Sink`] as it
//! comes. [`adb`] speaks to the adb server: devices, shells with their exit codes, files.
//!
//! ```no_run
//! use std::time::Duration;
//! use traceloom_capture::adb::Adb;
//!
//! let adb = Adb::from_env()?;
//! for device in adb.devices()? {
//!     let uptime = adb.device(&device.serial).run("cat /proc/uptime", Duration::from_secs(5))?;
//!     println!("{}: {}", device.serial, String::from_utf8_lossy(&uptime.stdout));
//! }
//! # Ok::<(), traceloom_capture::adb::AdbError>(())
//! ```

pub mod adb;
mod agent;
mod agents;
#[cfg(target_os = "linux")]
mod battor;
mod controller;
mod device;
mod error;
#[cfg(test)]
mod kept;
mod live;
mod marks;
#[cfg(any(target_os = "linux", target_os = "android"))]
mod mount;
mod push;
mod raw;
mod status;
mod text;

pub use agent::{Agent, Limits, PartKind, Sink};
#[cfg(target_os = "linux")]
pub use agents::BattorAgent;
pub use agents::{
    AtraceAgent, AtraceOptions, CgroupAgent, DEFAULT_CATEGORIES, DdmsAgent, DdmsOptions,
    DeviceCategory, FileAgent, FullDump, LocalProcessAgent, LocalShell, MemoryAgent, MemoryOptions,
    MethodAgent, MethodOptions, ProcShell, ProcessAgent, WaltAgent,
};
#[cfg(any(target_os = "linux", target_os = "android"))]
pub use agents::{LINUX_CATEGORIES, LinuxAgent, LinuxOptions};
#[cfg(target_os = "linux")]
pub use battor::{
    Battor, BattorError, BattorPort, BattorTiming, Measured, battor_ports, choose_battor,
};
pub use controller::{Controller, Note, Step};
pub use device::{choose_device, is_root};
pub use error::{CaptureError, Result};
#[cfg(any(target_os = "linux", target_os = "android"))]
pub use live::LiveLinuxAgent;
pub use live::{LiveAtraceAgent, Tape, Trigger, Watched, Window, WindowLimits, WindowStats};
#[cfg(any(target_os = "linux", target_os = "android"))]
pub use mount::tracefs;
pub use push::{PushedAgent, agent_for};
#[cfg(any(target_os = "linux", target_os = "android"))]
pub use raw::RawLinuxAgent;
pub use raw::{RawAtraceAgent, RawOptions};
pub use status::Status;
