//! Recordings on the device whose recorder has died.

use std::time::Duration;

use super::place::{ABANDONED, Place};
use crate::adb::{Device, quote};
use crate::device::DeviceExt;
use crate::error::Result;

/// A recording that was abandoned. [`PerfettoAgent::resume`](super::PerfettoAgent::resume) fetches it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Leftover {
    pub(super) place: Place,
    pub(super) pid: Option<u32>,
}

impl Leftover {
    /// Stops it and removes its files.
    pub(super) fn remove(&self, device: &Device, limit: Duration) -> Result<()> {
        let remove = self.place.remove();
        let command = match self.pid {
            Some(pid) => format!("kill -TERM {pid} 2>/dev/null; {remove}"),
            None => remove,
        };
        device.run_ok(&command, limit)?;
        Ok(())
    }
}

/// The abandoned recordings on a device, in the order of their names. `folder` is where the marks are, if not in the
/// usual folder.
///
/// # Errors
/// If the connection to the device is lost.
pub fn leftovers(device: &Device, folder: Option<&str>, limit: Duration) -> Result<Vec<Leftover>> {
    let list = device.run(&Place::list(folder), limit)?.text();
    let mut abandoned = Vec::new();
    for mark in list.split("\n\n").map(|mark| mark.trim().lines()) {
        abandoned.extend(leftover(device, folder, mark, limit)?);
    }
    Ok(abandoned)
}

/// The recording of a mark, unless its host still records.
fn leftover<'a>(
    device: &Device,
    folder: Option<&str>,
    mut mark: impl Iterator<Item = &'a str>,
    limit: Duration,
) -> Result<Option<Leftover>> {
    let Some(place) = mark.next().and_then(|path| Place::of_mark(folder, path)) else {
        return Ok(None);
    };
    let pid = mark.next().and_then(|pid| pid.trim().parse().ok());
    let is_abandoned = mark.any(|line| line.trim() == ABANDONED);
    // A restart of the device ends the guardian before it marks the recording as abandoned.
    if !is_abandoned && is_guarded(device, &place, limit)? {
        return Ok(None);
    }
    let is_running = match pid {
        Some(pid) => is_running(device, pid, limit)?,
        None => false,
    };
    let pid = pid.filter(|_| is_running);
    Ok(Some(Leftover { place, pid }))
}

/// Whether a guardian waits for the end of the recording's host. Its command line has the path of the mark.
fn is_guarded(device: &Device, place: &Place, limit: Duration) -> Result<bool> {
    let name = place.mark.rsplit('/').next().unwrap_or_default();
    // The brackets keep this command from matching itself.
    let pattern = format!("[{}]{}", &name[..1], &name[1..]);
    let command = format!(
        "grep -q {} /proc/[0-9]*/cmdline 2>/dev/null",
        quote(&pattern)
    );
    Ok(device.run(&command, limit)?.is_success())
}

/// Whether there is a process with this pid that is a perfetto.
pub(super) fn is_running(device: &Device, pid: u32, limit: Duration) -> Result<bool> {
    let command = format!("grep -q perfetto /proc/{pid}/cmdline 2>/dev/null");
    Ok(device.run(&command, limit)?.is_success())
}
