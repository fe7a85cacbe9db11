//! Processes and threads that samples name by their numbers.

use traceloom_trace::{ProcessId, ThreadId, TraceBuilder};

/// The process with this number; 0 is the kernel's.
pub(super) fn process(pid: u64, out: &mut TraceBuilder) -> ProcessId {
    match number(pid) {
        0 => ProcessId::IDLE,
        pid => out.process(pid),
    }
}

/// A thread of a process. Its process stays as it is if the sample does not know it.
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

/// Numbers of processes have 32 bits.
fn number(raw: u64) -> i64 {
    i64::from(raw as i32)
}
