//! Exclusive access to the running kernel's tracing, for one test at a time.

use std::fs::File;
use std::path::Path;
use std::process::Command;

const ROOT: &str = "/sys/kernel/tracing";

/// A test holds the lock of this file while it uses the kernel's global trace buffer.
const LOCK: &str = "traceloom-tracefs-test.lock";

/// Exclusive access to the kernel's global trace buffer, until it is dropped.
pub struct KernelTurn {
    _lock: File,
}

impl KernelTurn {
    /// Waits for exclusive access. `None`, with a message on stdout, if the kernel cannot be traced.
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
