//! Live recordings: a tape keeps the trace or its last seconds, a window shows its end, and a trigger
//! ends the recording.

mod device;
#[cfg(any(target_os = "linux", target_os = "android"))]
mod follow;
#[cfg(any(target_os = "linux", target_os = "android"))]
mod linux;
#[cfg(any(target_os = "linux", target_os = "android"))]
mod page_tape;
#[cfg_attr(
    not(any(target_os = "linux", target_os = "android")),
    allow(dead_code, reason = "only recordings of this machine use it")
)]
mod page_window;
#[cfg_attr(
    not(any(target_os = "linux", target_os = "android")),
    allow(dead_code, reason = "only recordings of this machine use it")
)]
mod pages;
mod spill_file;
mod tape;
mod trigger;
mod window;

pub use device::LiveAtraceAgent;
#[cfg(any(target_os = "linux", target_os = "android"))]
pub use linux::LiveLinuxAgent;
#[cfg(any(target_os = "linux", target_os = "android"))]
pub use page_tape::PageTape;
pub use page_window::PageWindow;
pub(crate) use spill_file::{SpillFile, cannot_store};
pub use tape::{Tape, Watched};
pub use trigger::Trigger;
pub use window::{Recent, Window, WindowLimits, WindowStats};
