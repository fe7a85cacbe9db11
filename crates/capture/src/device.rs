//! Which device is meant, and what it is.

use std::time::Duration;

use crate::adb::{Adb, Device, Output, quote};
use crate::error::{CaptureError, Result};
use crate::status::Status;

/// How long a device may take for a small question.
const LIMIT: Duration = Duration::from_secs(20);

/// The device that a serial names, or the only one.
///
/// # Errors
/// [`CaptureError::NoDevice`], [`CaptureError::ManyDevices`], [`CaptureError::NotConnected`].
pub fn choose_device(adb: &Adb, serial: Option<&str>) -> Result<Device> {
    let all = adb.devices()?;
    if let Some(serial) = serial {
        let found = all.iter().find(|device| device.serial == serial);
        return match found {
            Some(device) if device.is_ready() => Ok(adb.device(serial)),
            _ => Err(CaptureError::NotConnected {
                serial: serial.to_owned(),
                state: found.map(|device| device.state.clone()),
            }),
        };
    }
    let ready: Vec<_> = all.iter().filter(|device| device.is_ready()).collect();
    match (&ready[..], &all[..]) {
        ([device], _) => Ok(adb.device(&device.serial)),
        ([], [device]) => Err(CaptureError::NotConnected {
            serial: device.serial.clone(),
            state: Some(device.state.clone()),
        }),
        ([], _) => Err(CaptureError::NoDevice),
        (several, _) => Err(CaptureError::ManyDevices {
            serials: several.iter().map(|device| device.serial.clone()).collect(),
        }),
    }
}

/// Whether a device's shell is root's.
///
/// # Errors
/// Where the device is lost.
pub fn is_root(device: &Device) -> Result<bool> {
    // Shells before Android 6 have no `id -u`.
    Ok(device.run("id", LIMIT)?.text().contains("uid=0("))
}

/// What the device's `CLOCK_MONOTONIC` shows, ns, where its shell may see that: root's.
///
/// # Errors
/// Where the device is lost.
pub(crate) fn monotonic_ns(device: &Device, limit: Duration) -> Result<Option<i64>> {
    let said = device.run("grep -m1 '^now at' /proc/timer_list", limit)?;
    let text = said.text();
    let words = text.strip_prefix("now at ").map(str::split_whitespace);
    Ok(words.and_then(|mut words| words.next()?.parse().ok()))
}

/// Small questions to a device.
pub(crate) trait Ask {
    /// Runs a command that has to succeed.
    fn ask(&self, command: &str, limit: Duration) -> Result<Output>;

    /// A property; empty where it is not set.
    fn property(&self, name: &str) -> Result<String>;

    /// The API level.
    fn sdk(&self) -> Result<u32>;

    /// Where tracefs is.
    fn tracing_folder(&self) -> Result<String>;

    /// What the kernel counts of a recording, where its shell may read that.
    fn buffer_status(&self, limit: Duration) -> Option<Status>;
}

impl Ask for Device {
    fn ask(&self, command: &str, limit: Duration) -> Result<Output> {
        let output = self.run(command, limit)?;
        if output.is_success() {
            Ok(output)
        } else {
            Err(CaptureError::Command {
                command: command.to_owned(),
                status: output.status,
                said: output.complaint(),
            })
        }
    }

    fn property(&self, name: &str) -> Result<String> {
        Ok(self.ask(&format!("getprop {}", quote(name)), LIMIT)?.text())
    }

    fn sdk(&self) -> Result<u32> {
        // One that does not tell is taken for a new one.
        Ok(self
            .property("ro.build.version.sdk")?
            .parse()
            .unwrap_or(u32::MAX))
    }

    fn tracing_folder(&self) -> Result<String> {
        let command = "for d in /sys/kernel/tracing /sys/kernel/debug/tracing; \
                       do test -e $d/trace_marker && echo $d && break; done";
        Ok(self.ask(command, LIMIT)?.text())
    }

    fn buffer_status(&self, limit: Duration) -> Option<Status> {
        // One process besides the shell: it is in the recording too.
        let command = "cd /sys/kernel/tracing/per_cpu 2>/dev/null || \
                       cd /sys/kernel/debug/tracing/per_cpu && \
                       exec cat cpu*/stats ../buffer_size_kb";
        let output = self.run(command, limit).ok()?;
        Status::of_all(&String::from_utf8_lossy(&output.stdout))
    }
}
