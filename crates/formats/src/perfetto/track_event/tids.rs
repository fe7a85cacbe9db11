//! Threads of several processes with the same tid.
//!
//! Some programs number their threads from 1 in each process, or write the streams of several devices as threads. Then
//! several processes have threads with the same tid. Each of these is a separate thread.

use rustc_hash::FxHashMap;
use traceloom_trace::{NO_TIME, ProcessId, RowId, ThreadId, TraceBuilder};

use super::super::track_descriptor::Thread;

/// Finds threads by their process and tid.
#[derive(Debug, Default)]
pub(super) struct Tids {
    /// The threads whose tid now refers to a thread of another process.
    hidden: FxHashMap<(i64, ProcessId), ThreadId>,
}

impl Tids {
    /// The process with a pid. Its main thread is added if it is missing.
    pub fn process(&mut self, pid: i64, out: &mut TraceBuilder) -> ProcessId {
        let upid = out.process(pid);
        self.thread_in(pid, pid, out);
        upid
    }

    /// The thread of a descriptor. A descriptor without a pid does not move the thread to another process.
    pub fn thread(&mut self, thread: &Thread, tid: i64, out: &mut TraceBuilder) -> ThreadId {
        let pid = thread.pid.into();
        if thread.has_pid {
            return self.of_process(tid, pid, out);
        }
        let utid = out.thread(tid);
        if process_of(utid, out) == ProcessId::NONE {
            out.put_in_process(utid, pid);
        }
        utid
    }

    /// The thread with a tid in the process with a pid. The process also gets its main thread.
    pub fn of_process(&mut self, tid: i64, pid: i64, out: &mut TraceBuilder) -> ThreadId {
        if pid > 0 {
            self.process(pid, out);
        }
        self.thread_in(tid, pid, out)
    }

    fn thread_in(&mut self, tid: i64, pid: i64, out: &mut TraceBuilder) -> ThreadId {
        let upid = out.process(pid);
        let Some(utid) = self.find(tid, upid, out) else {
            return self.add(tid, pid, out);
        };
        if process_of(utid, out) == ProcessId::NONE {
            out.put_in_process(utid, pid);
        }
        utid
    }

    /// The thread with a tid in a process. A thread with this tid whose process is unknown counts as well.
    pub fn find(&self, tid: i64, upid: ProcessId, out: &TraceBuilder) -> Option<ThreadId> {
        let is_of_process = |utid: &ThreadId| {
            let owner = process_of(*utid, out);
            owner == upid || owner == ProcessId::NONE
        };
        let is_alive = |utid: &ThreadId| out.trace().threads.end_ts.get(utid.row()) == NO_TIME;
        let current = out.find_thread(tid).filter(is_of_process);
        let hidden = || self.hidden.get(&(tid, upid)).copied().filter(is_alive);
        current.or_else(hidden)
    }

    /// Adds a thread to a process, although the tid refers to another thread.
    pub fn add(&mut self, tid: i64, pid: i64, out: &mut TraceBuilder) -> ThreadId {
        if let Some(utid) = out.find_thread(tid) {
            self.hidden.insert((tid, process_of(utid, out)), utid);
        }
        let utid = out.new_thread(tid);
        out.put_in_process(utid, pid);
        utid
    }
}

fn process_of(utid: ThreadId, out: &TraceBuilder) -> ProcessId {
    out.trace().threads.upid.get(utid.row())
}
