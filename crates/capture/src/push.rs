//! Our own atrace on a device whose own is old, or missing.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::adb::{AdbError, Device, quote};
use crate::device::Ask;
use crate::error::{CaptureError, Result};

const FOLDER: &str = "/data/local/tmp";

/// How long a device may take for a small question.
const LIMIT: Duration = Duration::from_secs(20);

/// The program for a device's processor below a folder as `cargo xtask dist` fills it.
///
/// # Errors
/// [`CaptureError::NoAgent`] where there is none for it.
pub fn agent_for(device: &Device, dist: &Path) -> Result<PathBuf> {
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

/// A program of ours on a device; gone from there when this is dropped.
#[derive(Debug)]
pub struct PushedAgent {
    device: Device,
    path: String,
}

impl PushedAgent {
    /// Copies the program to the device; `name` tells this copy from others. `folder` is one of
    /// the device where programs may run; else its folder for shells.
    ///
    /// # Errors
    /// If it cannot be read, or the device refuses it.
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

    /// Where it is on the device.
    pub fn path(&self) -> &str {
        &self.path
    }
}

impl Drop for PushedAgent {
    fn drop(&mut self) {
        // A device that is gone has a file more.
        _ = self
            .device
            .run(&format!("rm -f {}", quote(&self.path)), LIMIT);
    }
}
