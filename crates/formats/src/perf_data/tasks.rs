//! Threads and processes: names, starts and ends.

use rustc_hash::{FxHashMap, FxHashSet};
use traceloom_trace::{ProcessId, StringId, ThreadId, TraceBuilder};

use super::sample::Task;
use crate::bytes::Cursor;

/// The payload of a FORK or EXIT record.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lineage {
    pub task: Task,
    pub parent: Task,
}

impl Lineage {
    pub fn parse(mut from: Cursor<'_>) -> Option<Self> {
        let (pid, parent_pid) = (from.i32()?, from.i32()?);
        let (tid, parent_tid) = (from.i32()?, from.i32()?);
        Some(Self {
            task: Task { pid, tid },
            parent: Task {
                pid: parent_pid,
                tid: parent_tid,
            },
        })
    }
}

/// The names of threads, and the threads that have ended.
#[derive(Debug, Default)]
pub(super) struct Tasks {
    names: FxHashMap<i32, StringId>,
    ended: FxHashSet<i32>,
}

impl Tasks {
    /// Names a thread.
    pub fn comm(&mut self, task: Task, name: &[u8], out: &mut TraceBuilder) {
        let name = out.intern(name);
        self.name(task, name, out);
    }

    fn name(&mut self, task: Task, name: StringId, out: &mut TraceBuilder) {
        let Some(utid) = thread(task, out) else {
            return;
        };
        out.name_thread(utid, name);
        if task.pid == task.tid && task.pid > 0 {
            let upid = out.process(task.pid.into());
            out.name_process(upid, name);
        }
        self.names.insert(task.tid, name);
    }

    /// Adds a new thread. It inherits the name of its parent.
    pub fn fork(&mut self, born: Lineage, ts: Option<i64>, out: &mut TraceBuilder) {
        let Lineage { task, parent } = born;
        if task.tid <= 0 {
            return;
        }
        if self.ended.remove(&task.tid) {
            out.new_thread(task.tid.into());
            if task.pid == task.tid {
                out.new_process(task.pid.into());
            }
        }
        let Some(utid) = thread(task, out) else {
            return;
        };
        if let Some(name) = self.names.get(&parent.tid).copied() {
            self.name(task, name, out);
        }
        if let Some(ts) = ts {
            out.set_thread_start(utid, ts);
        }
        if task.pid != parent.pid && task.pid > 0 && parent.pid > 0 {
            let upid = out.process(task.pid.into());
            out.set_process_parent(upid, parent.pid.into());
        }
    }

    /// The numbers of the threads that have names.
    pub fn named(&self) -> impl Iterator<Item = i32> {
        self.names.keys().copied()
    }

    /// A thread ended. Samples of it may still follow, so its number remains its own until another thread begins.
    pub fn exit(&mut self, task: Task, ts: Option<i64>, out: &mut TraceBuilder) {
        let Some(utid) = thread(task, out).filter(|_| task.tid > 0) else {
            return;
        };
        if let Some(ts) = ts {
            out.set_thread_end(utid, ts);
        }
        self.ended.insert(task.tid);
    }
}

/// The thread with these numbers. All idle threads have tid 0 and pid 0. A thread that is about to end has tid 0 or -1,
/// so it is unknown.
pub(super) fn thread(task: Task, out: &mut TraceBuilder) -> Option<ThreadId> {
    match (task.tid, task.pid) {
        (0, 0) => Some(out.idle_thread()),
        (..=0, _) => None,
        (tid, pid) => {
            let utid = out.thread(tid.into());
            if pid > 0 {
                out.put_in_process(utid, pid.into());
            }
            Some(utid)
        }
    }
}

/// The process with this number. 0 is the kernel; a negative number means unknown.
pub(super) fn process(pid: i32, out: &mut TraceBuilder) -> Option<ProcessId> {
    match pid {
        0 => Some(ProcessId::IDLE),
        1.. => Some(out.process(pid.into())),
        _ => None,
    }
}
