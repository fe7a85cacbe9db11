//! Devices: choosing one, and pushing our `atrace` to it.

mod choose;
mod ext;
mod pushed_atrace;
mod watchdog;

pub use choose::{choose_device, is_root};
pub(crate) use ext::DeviceExt;
pub use pushed_atrace::{PushedAtrace, atrace_for};
pub(crate) use watchdog::{Ending, Watchdog, abandoned, clean_up};
