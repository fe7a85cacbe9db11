//! Facts about this process and the kernel, for the file header.

use std::fs::read;

use traceloom_ring::fixed;
use traceloom_ring::layout::{BOOT_ID_BYTES, PROCESS_NAME_BYTES};

/// The process name: the package of an app, or the file name of a program.
pub(crate) fn name() -> [u8; PROCESS_NAME_BYTES] {
    let line = read("/proc/self/cmdline").unwrap_or_default();
    let first = line.split(|byte| *byte == 0).next().unwrap_or_default();
    let name = first.rsplit(|byte| *byte == b'/').next();
    fixed(name.unwrap_or_default())
}

/// The start time of the process, in the kernel's ticks since boot; 0 if unknown.
pub(crate) fn start_time() -> u64 {
    let stat = read("/proc/self/stat").unwrap_or_default();
    let stat = String::from_utf8_lossy(&stat);
    // The name is in parentheses and may contain anything; the start time is the twentieth field after it.
    let fields = stat.rsplit_once(')').map(|(_, fields)| fields);
    let start = fields.and_then(|fields| fields.split_ascii_whitespace().nth(19));
    start.and_then(|start| start.parse().ok()).unwrap_or(0)
}

/// The kernel's id of this boot.
pub(crate) fn boot_id() -> [u8; BOOT_ID_BYTES] {
    let id = read("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    fixed(id.trim_ascii())
}
