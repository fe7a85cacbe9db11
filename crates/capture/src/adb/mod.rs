//! A client of the adb server, the program that owns the USB and network connections to devices.
//!
//! ```text
//! here ──tcp 5037──► adb server ──usb, tcp──► adbd on the device
//!       "000chost:version"  → OKAY 0004 0029
//!       "host:transport:S"  → OKAY, and from here on the connection is the device's
//!       "shell,v2,raw:ls"   → OKAY, then packets of the shell protocol
//!       "sync:"             → OKAY, then requests for files
//! ```
//!
//! The layouts are those of AOSP's `packages/modules/adb`: `SERVICES.TXT`, `SYNC.TXT`,
//! `shell_protocol.h`, `file_sync_protocol.h`.

mod address;
mod device;
mod error;
mod features;
mod legacy;
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
