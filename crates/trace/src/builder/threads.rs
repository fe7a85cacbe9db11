//! Threads and processes: lookup by number, and their properties.

use super::trace_builder::TraceBuilder;
use crate::args::ArgValue;
use crate::ids::{ArgSetId, ProcessId, RowId, StringId, ThreadId};
use crate::tables::{NO_NUMBER, NO_TIME, ProcessRow, ThreadRow};

impl TraceBuilder {
    /// The thread that currently has `tid`; adds one if there is none.
    #[inline]
    pub fn thread(&mut self, tid: i64) -> ThreadId {
        match self.threads.get(&tid) {
            Some(&utid) => utid,
            None => self.new_thread(tid),
        }
    }

    /// The thread that currently has `tid`, if there is one.
    pub fn find_thread(&self, tid: i64) -> Option<ThreadId> {
        self.threads.get(&tid).copied()
    }

    /// The kernel's idle thread of the current source, with the number 0: one row stands for the idle threads of all
    /// CPUs. In the first source that has one, it is the reserved row.
    pub fn idle_thread(&mut self) -> ThreadId {
        if let Some(&utid) = self.threads.get(&0) {
            return utid;
        }
        if self.trace.has_idle_thread() {
            return self.new_thread(0);
        }
        *self.trace.threads.source.get_mut(ThreadId::IDLE.row()) = self.source();
        self.threads.insert(0, ThreadId::IDLE);
        ThreadId::IDLE
    }

    /// Adds a thread with `tid`. From now on `tid` refers to it, not to an earlier thread.
    pub fn new_thread(&mut self, tid: i64) -> ThreadId {
        let row = ThreadRow {
            tid,
            name: StringId::NULL,
            upid: ProcessId::NONE,
            is_main_thread: false,
            start_ts: NO_TIME,
            end_ts: NO_TIME,
            source: self.source(),
            arg_set_id: ArgSetId::NONE,
        };
        let utid = ThreadId::from_row(self.trace.threads.push(row));
        self.threads.insert(tid, utid);
        utid
    }

    /// Gives a thread another number in the thread table. [`thread`](Self::thread) still finds it by its old number.
    pub fn renumber_thread(&mut self, utid: ThreadId, tid: i64) {
        *self.trace.threads.tid.get_mut(utid.row()) = tid;
    }

    /// Sets the time at which a thread started, ns.
    pub fn set_thread_start(&mut self, utid: ThreadId, ts: i64) {
        *self.trace.threads.start_ts.get_mut(utid.row()) = ts;
    }

    /// Sets the time at which a thread ended, ns. If it is the main thread, its process ended too.
    /// Their numbers still refer to them; [`end_thread`](Self::end_thread) frees the numbers.
    pub fn set_thread_end(&mut self, utid: ThreadId, ts: i64) {
        *self.trace.threads.end_ts.get_mut(utid.row()) = ts;
        if let Some(upid) = self.process_led_by(utid) {
            *self.trace.processes.end_ts.get_mut(upid.row()) = ts;
        }
    }

    /// Ends a thread at `ts`, ns, as [`set_thread_end`](Self::set_thread_end) does. The next use of its tid starts a
    /// new thread. If it was the main thread, the next use of its pid starts a new process.
    pub fn end_thread(&mut self, utid: ThreadId, ts: i64) {
        self.set_thread_end(utid, ts);
        let tid = self.trace.threads.tid.get(utid.row());
        if self.threads.get(&tid) == Some(&utid) {
            self.threads.remove(&tid);
        }
        if let Some(upid) = self.process_led_by(utid) {
            let pid = self.trace.processes.pid.get(upid.row());
            if self.processes.get(&pid) == Some(&upid) {
                self.processes.remove(&pid);
            }
        }
    }

    /// The process of which `utid` is the main thread.
    fn process_led_by(&self, utid: ThreadId) -> Option<ProcessId> {
        let threads = &self.trace.threads;
        let upid = threads.upid.get(utid.row()).some()?;
        threads.is_main_thread.get(utid.row()).then_some(upid)
    }

    /// Names a thread. An empty name changes nothing.
    #[inline]
    pub fn name_thread(&mut self, utid: ThreadId, name: StringId) {
        if !name.is_empty() {
            *self.trace.threads.name.get_mut(utid.row()) = name;
        }
    }

    /// Sets the process of a thread; [`ProcessId::NONE`](RowId::NONE) means unknown. Unlike
    /// [`put_in_process`](Self::put_in_process), this does not decide whether it is the main thread.
    pub fn set_thread_process(&mut self, utid: ThreadId, upid: ProcessId) {
        *self.trace.threads.upid.get_mut(utid.row()) = upid;
    }

    /// Sets whether a thread is the main thread of its process.
    pub fn set_main_thread(&mut self, utid: ThreadId, is_main_thread: bool) {
        *self.trace.threads.is_main_thread.get_mut(utid.row()) = is_main_thread;
    }

    /// Sets further facts about a thread.
    pub fn set_thread_args(&mut self, utid: ThreadId, args: ArgSetId) {
        *self.trace.threads.arg_set_id.get_mut(utid.row()) = args;
    }

    /// Sets further facts about a process.
    pub fn set_process_args(&mut self, upid: ProcessId, args: ArgSetId) {
        *self.trace.processes.arg_set_id.get_mut(upid.row()) = args;
    }

    /// Puts a thread into the process that currently has `pid`, and makes it the main thread if its
    /// tid equals `pid`.
    pub fn put_in_process(&mut self, utid: ThreadId, pid: i64) -> ProcessId {
        let upid = self.process(pid);
        self.set_thread_process(utid, upid);
        let is_main_thread = self.trace.threads.tid.get(utid.row()) == pid;
        self.set_main_thread(utid, is_main_thread);
        upid
    }

    /// The process that currently has `pid`; adds one if there is none.
    pub fn process(&mut self, pid: i64) -> ProcessId {
        match self.processes.get(&pid) {
            Some(&upid) => upid,
            None => self.new_process(pid),
        }
    }

    /// The process that currently has `pid`, if there is one.
    pub fn find_process(&self, pid: i64) -> Option<ProcessId> {
        self.processes.get(&pid).copied()
    }

    /// Adds a process with `pid`. From now on `pid` refers to it, not to an earlier process.
    pub fn new_process(&mut self, pid: i64) -> ProcessId {
        let row = ProcessRow {
            pid,
            name: StringId::NULL,
            cmdline: StringId::NULL,
            uid: NO_NUMBER,
            ppid: NO_NUMBER,
            start_ts: NO_TIME,
            end_ts: NO_TIME,
            source: self.source(),
            arg_set_id: ArgSetId::NONE,
        };
        let upid = ProcessId::from_row(self.trace.processes.push(row));
        self.processes.insert(pid, upid);
        upid
    }

    /// Adds a fact to a process; it replaces an earlier one with the same key.
    pub fn add_process_arg(&mut self, upid: ProcessId, key: &str, value: ArgValue) {
        let set = self.trace.processes.arg_set_id.get(upid.row());
        let set = self.with_arg(set, key, value);
        *self.trace.processes.arg_set_id.get_mut(upid.row()) = set;
    }

    /// Adds a fact to a thread; it replaces an earlier one with the same key.
    pub fn add_thread_arg(&mut self, utid: ThreadId, key: &str, value: ArgValue) {
        let set = self.trace.threads.arg_set_id.get(utid.row());
        let set = self.with_arg(set, key, value);
        *self.trace.threads.arg_set_id.get_mut(utid.row()) = set;
    }

    /// A set with one more argument. Few arguments are added this way, so the set is copied.
    fn with_arg(&mut self, set: ArgSetId, key: &str, value: ArgValue) -> ArgSetId {
        let key = self.trace.strings.intern(key);
        let others = self.trace.args.set(set).filter(|(other, _)| *other != key);
        let mut args: Vec<_> = others.collect();
        args.push((key, value));
        self.trace.args.push_set(args)
    }

    /// Names a process. An empty name changes nothing.
    pub fn name_process(&mut self, upid: ProcessId, name: StringId) {
        if !name.is_empty() {
            *self.trace.processes.name.get_mut(upid.row()) = name;
        }
    }

    /// Sets the command line of a process.
    pub fn set_process_cmdline(&mut self, upid: ProcessId, cmdline: StringId) {
        *self.trace.processes.cmdline.get_mut(upid.row()) = cmdline;
    }

    /// Sets the user id of a process.
    pub fn set_process_uid(&mut self, upid: ProcessId, uid: i64) {
        *self.trace.processes.uid.get_mut(upid.row()) = uid;
    }

    /// Sets the pid of a process's parent.
    pub fn set_process_parent(&mut self, upid: ProcessId, ppid: i64) {
        *self.trace.processes.ppid.get_mut(upid.row()) = ppid;
    }

    /// Sets the time at which a process started, ns.
    pub fn set_process_start(&mut self, upid: ProcessId, ts: i64) {
        *self.trace.processes.start_ts.get_mut(upid.row()) = ts;
    }
}
