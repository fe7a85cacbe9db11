//! Runs a command and measures its peak memory.

use std::path::Path;
use std::process::{Command, Stdio};

/// The peak resident memory of `traceloom ARGS path`, bytes.
///
/// # Panics
/// If it cannot be run, or was killed by a signal.
#[expect(clippy::zombie_processes, reason = "wait4 waits for it")]
pub fn peak_bytes(args: &[&str], path: &Path) -> usize {
    let program = std::env::var("TRACELOOM_BIN")
        .unwrap_or_else(|_| env!("CARGO_BIN_EXE_traceloom").to_owned());
    let child = Command::new(program)
        .args(args)
        .arg(path)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut status = 0;
    // SAFETY: rusage consists of integers, for which zeros are valid.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: both pointers are to live variables; the child is ours and no other code waits for
    // it.
    let waited = unsafe { libc::wait4(child.id() as i32, &mut status, 0, &mut usage) };
    assert_eq!(waited, child.id() as i32);
    assert!(libc::WIFEXITED(status), "{args:?}: status {status:#x}");
    usage.ru_maxrss as usize * 1024
}
