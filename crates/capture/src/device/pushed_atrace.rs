//! Pushes our `atrace` to a device that has none, or an old one.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::ext::DeviceExt;
use crate::adb::{AdbError, Device, quote};
use crate::error::{CaptureError, Result};

/// The default folder on the device.
const FOLDER: &str = "/data/local/tmp";

/// Finds the `atrace` for a device's processor in `dist`, the folder that `cargo xtask dist` fills.
///
/// # Errors
/// [`CaptureError::NoAgent`] if there is none.
pub fn atrace_for(device: &Device, dist: &Path) -> Result<PathBuf> {
    let abi = device.property("ro.product.cpu.abi")?;
    let processor = match abi.as_str() {
        "arm64-v8a" => "aarch64",
        abi => abi,
    };
    let path = dist.join(format!("{processor}-unknown-linux-musl/atrace"));
    if path.is_file() {
        Ok(path)
    } else {
        Err(CaptureError::NoAgent {
            abi,
            path: path.display().to_string(),
        })
    }
}

/// Our `atrace` on a device. It is removed when this is dropped.
#[derive(Debug)]
pub struct PushedAtrace {
    device: Device,
    path: String,
}

impl PushedAtrace {
    /// Copies the program to the device. `name` makes the file name unique. `folder` must allow
    /// programs to run; the default is `/data/local/tmp`.
    ///
    /// # Errors
    /// If the program cannot be read, or the device refuses it.
    pub fn push(device: &Device, program: &Path, name: &str, folder: Option<&str>) -> Result<Self> {
        let path = format!("{}/traceloom-atrace-{name}", folder.unwrap_or(FOLDER));
        let mut file = File::open(program).map_err(|source| AdbError::Local {
            path: program.display().to_string(),
            source,
        })?;
        device.sync()?.push(&mut file, &path, 0o755, 0)?;
        Ok(Self {
            device: device.clone(),
            path,
        })
    }

    /// The path on the device.
    pub fn path(&self) -> &str {
        &self.path
    }
}

impl Drop for PushedAtrace {
    fn drop(&mut self) {
        // If the device is gone, the file stays there.
        let command = format!("rm -f {}", quote(&self.path));
        _ = self.device.run(&command, Duration::from_secs(20));
    }
}
