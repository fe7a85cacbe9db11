//! Processes and threads of samples.

use traceloom_trace::{ProcessId, ThreadId, TraceBuilder};

/// The process with this pid; 0 is the kernel.
pub(super) fn process(pid: u64, out: &mut TraceBuilder) -> ProcessId {
    match number(pid) {
        0 => ProcessId::IDLE,
        pid => out.process(pid),
    }
}

/// The thread with this tid. A pid of 0 means that the process is unknown and is not set.
pub(super) fn thread(tid: u64, pid: u64, out: &mut TraceBuilder) -> ThreadId {
    let (tid, pid) = (number(tid), number(pid));
    if tid == 0 {
        return out.idle_thread();
    }
    let utid = out.thread(tid);
    if pid != 0 {
        out.put_in_process(utid, pid);
    }
    utid
}

/// Pids have 32 bits.
fn number(raw: u64) -> i64 {
    i64::from(raw as i32)
}
