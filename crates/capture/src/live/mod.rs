//! Live recordings: a tape keeps the trace or its last seconds, a window shows its end, and a trigger
//! ends the recording.

mod device;
#[cfg(any(target_os = "linux", target_os = "android"))]
mod linux;
mod spool;
mod tape;
mod trigger;
mod window;

pub use device::LiveAtraceAgent;
#[cfg(any(target_os = "linux", target_os = "android"))]
pub use linux::LiveLinuxAgent;
pub use tape::{Tape, Watched};
pub use trigger::Trigger;
pub use window::{Window, WindowLimits, WindowStats};
