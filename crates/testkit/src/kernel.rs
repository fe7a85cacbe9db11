//! The tracing of the running kernel, for one test at a time.

use std::fs::File;
use std::path::Path;
use std::process::Command;

const ROOT: &str = "/sys/kernel/tracing";

/// Whoever uses the kernel's global trace buffer holds this file's lock.
const LOCK: &str = "traceloom-tracefs-test.lock";

/// The right to record with the kernel's global trace buffer, until it is dropped.
pub struct KernelTurn {
    _lock: File,
}

impl KernelTurn {
    /// Waits for the turn. `None`, with a word about it, where there is nothing to record with.
    pub fn claim() -> Option<Self> {
        let lock = File::create(std::env::temp_dir().join(LOCK)).ok()?;
        lock.lock().ok()?;
        let root = Path::new(ROOT);
        if !root.join("trace").exists() {
            let mount = ["-t", "tracefs", "nodev", ROOT];
            _ = Command::new("mount").args(mount).output();
        }
        let marker = File::options().write(true).open(root.join("trace_marker"));
        if marker.is_err() {
            println!("skipped: recording needs root and a kernel with tracefs");
            return None;
        }
        Some(Self { _lock: lock })
    }
}
