//! A client of the adb server, which owns the USB and network connections to devices.
//!
//! ```text
//! client ──tcp 5037──► adb server ──usb, tcp──► adbd on the device
//!       "000chost:version"  → OKAY 0004 0029
//!       "host:transport:S"  → OKAY; the connection then belongs to the device
//!       "shell,v2,raw:ls"   → OKAY, then shell protocol packets
//!       "sync:"             → OKAY, then file requests
//! ```
//!
//! Sources: `SERVICES.TXT`, `SYNC.TXT`, `shell_protocol.h` and `file_sync_protocol.h` in AOSP's
//! `packages/modules/adb`.

mod address;
mod device;
mod error;
mod features;
mod legacy_shell;
mod quote;
mod server;
mod shell;
mod stream;
mod sync;
mod wire;

pub use address::Address;
pub use device::{Device, Output};
pub use error::{AdbError, Result};
pub use features::Features;
pub use quote::quote;
pub use server::{Adb, DeviceInfo};
pub use shell::{Shell, ShellEvent};
pub use stream::{Closer, Stream};
pub use sync::{FileStat, Sync};
