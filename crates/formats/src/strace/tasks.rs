//! Learns about threads from calls: their names, and which thread created them.

use std::collections::{HashMap, HashSet};

use traceloom_trace::{NO_NUMBER, ProcessId, RowId, StringId, ThreadId, TraceBuilder};

use super::line::{Call, Line};
use super::message::Message;
use super::names::{name, quoted};
use super::tracees::Tracees;

/// A process whose number is unknown.
#[derive(Debug)]
struct FirstProcess {
    /// Its main thread.
    main: ThreadId,
    program: StringId,
    /// Its other threads.
    threads: Vec<ThreadId>,
}

/// The threads of a log.
#[derive(Debug, Default)]
pub(super) struct Tasks {
    /// The number in the file's name: `strace -ff` writes a file for each thread.
    own: Option<i64>,
    /// The threads that strace follows.
    tracees: Tracees,
    /// The first process, while its number is unknown.
    first: Option<FirstProcess>,
    /// Threads whose creating call has returned.
    made: HashSet<ThreadId>,
    /// Threads that ended before the call that created them returned, by number.
    ended: HashMap<i64, ThreadId>,
    /// Main threads whose number was taken over by another thread, and that thread.
    superseded: HashMap<ThreadId, ThreadId>,
}

impl Tasks {
    /// `name` is the name of the file.
    pub fn new(name: &str) -> Self {
        let number = name.rsplit_once('.').map_or("", |(_, number)| number);
        let own = number.parse().ok().filter(|tid| *tid > 0);
        Self {
            own,
            ..Self::default()
        }
    }

    /// The thread of a line.
    pub fn thread(&mut self, line: &Line<'_>, out: &mut TraceBuilder) -> ThreadId {
        if let Some(caller) = line.event.superseding() {
            self.tracees.forget(caller);
        }
        let Some(tid) = line.tid.or(self.own) else {
            return self.tracees.only(&line.event, out);
        };
        let thread = self.tracees.numbered(tid, &line.event, out);
        self.make_first(out);
        thread.unwrap_or_else(|| {
            self.ended.remove(&tid);
            out.thread(tid)
        })
    }

    /// Handles a message of strace.
    pub fn apply(&mut self, message: &Message<'_>) {
        self.tracees.apply(message);
    }

    /// Handles the end of a thread at `ts`, ns.
    pub fn end(&mut self, thread: ThreadId, ts: i64, out: &mut TraceBuilder) {
        let tid = out.trace().threads.tid.get(thread.row());
        self.tracees.end(thread, tid);
        out.end_thread(thread, ts);
        if !self.made.remove(&thread) {
            self.ended.insert(tid, thread);
        }
    }

    /// Handles an `execve` by a thread other than the main thread `main`. It ends all threads except the caller, which
    /// takes over the number of the main thread. The call returns on a line with that number.
    pub fn supersede(&mut self, main: ThreadId, caller: i64, ts: i64, out: &mut TraceBuilder) {
        let caller = out.find_thread(caller);
        if let Some(caller) = caller.filter(|caller| *caller != main) {
            self.superseded.insert(main, caller);
            self.end(caller, ts, out);
        }
    }

    /// The thread that called the `execve` that returns on a line of `main`, if `main` did not call it itself.
    pub fn superseding(&mut self, main: ThreadId) -> Option<ThreadId> {
        self.superseded.remove(&main)
    }

    /// Learns about threads from a call that returned.
    pub fn learn(&mut self, thread: ThreadId, call: &Call<'_>, out: &mut TraceBuilder) {
        let returned = call.ret.split(' ').next().unwrap_or_default();
        let number = thread_number(call.ret);
        match (call.name, number) {
            ("execve" | "execveat", _) if returned == "0" => {
                let path = quoted(call.args);
                let program = path.rsplit(|byte| *byte == b'/').next();
                self.run_program(thread, program.unwrap_or_default(), out);
            }
            ("prctl", _) if returned == "0" && call.args.starts_with("PR_SET_NAME,") => {
                name(thread, &quoted(call.args), out);
            }
            ("clone" | "clone3" | "fork" | "vfork", Some(tid)) => {
                self.made(thread, tid, call.args.contains("CLONE_THREAD"), out);
            }
            // Without `-f`, only these calls show the number.
            ("set_tid_address" | "gettid", Some(tid))
                if self.tracees.without_number() == Some(thread) =>
            {
                self.tracees.set_number(thread, tid, out);
                self.make_first(out);
            }
            _ => {}
        }
    }

    /// Handles a thread that starts to run another program. The program names the thread and its process.
    fn run_program(&mut self, thread: ThreadId, program: &[u8], out: &mut TraceBuilder) {
        name(thread, program, out);
        let program = out.intern(program);
        if pid_of(thread, out).is_some() {
            let upid = out.trace().threads.upid.get(thread.row());
            out.name_process(upid, program);
        } else {
            self.first_process(thread).program = program;
        }
    }

    /// The process of the main thread `main`, whose number is unknown.
    fn first_process(&mut self, main: ThreadId) -> &mut FirstProcess {
        let first = self.first.take().filter(|first| first.main == main);
        self.first.insert(first.unwrap_or(FirstProcess {
            main,
            program: StringId::NULL,
            threads: Vec::new(),
        }))
    }

    /// Creates the first process if its number is now known.
    fn make_first(&mut self, out: &mut TraceBuilder) {
        let is_known = |first: &mut FirstProcess| pid_of(first.main, out).is_some();
        let Some(first) = self.first.take_if(is_known) else {
            return;
        };
        let upid = out.trace().threads.upid.get(first.main.row());
        out.name_process(upid, first.program);
        let pid = out.trace().processes.pid.get(upid.row());
        for thread in first.threads {
            if out.trace().threads.upid.get(thread.row()).some().is_none() {
                out.put_in_process(thread, pid);
            }
        }
    }

    /// Handles the creation of a thread, in the creator's process or in a new one.
    fn made(&mut self, maker: ThreadId, tid: i64, is_thread: bool, out: &mut TraceBuilder) {
        let process = if is_thread {
            pid_of(maker, out)
        } else {
            Some(tid)
        };
        let ended = self.ended.remove(&tid);
        let thread = ended.unwrap_or_else(|| out.thread(tid));
        if process.is_none() {
            self.first_process(maker).threads.push(thread);
        }
        if let Some(pid) = process {
            let upid = out.trace().threads.upid.get(thread.row()).some();
            let upid = upid.unwrap_or_else(|| out.put_in_process(thread, pid));
            inherit(maker, thread, upid, out);
        }
        if ended.is_some() {
            // The thread has ended, so its numbers can be reused.
            let ts = out.trace().threads.end_ts.get(thread.row());
            out.end_thread(thread, ts);
        } else {
            self.made.insert(thread);
        }
    }
}

/// Gives a new thread and its process the names of their creators, which they keep until they get their own.
fn inherit(maker: ThreadId, thread: ThreadId, upid: ProcessId, out: &mut TraceBuilder) {
    let (threads, processes) = (&out.trace().threads, &out.trace().processes);
    let comm = threads.name.get(maker.row());
    let program = threads.upid.get(maker.row()).some();
    let program = program.map(|upid| processes.name.get(upid.row()));
    if threads.name.get(thread.row()).is_empty() {
        out.name_thread(thread, comm);
    }
    if out.trace().processes.name.get(upid.row()).is_empty() {
        out.name_process(upid, program.unwrap_or_default());
    }
}

/// The process of a thread. If the process is unknown, the thread was the main thread when strace began to follow it.
fn pid_of(thread: ThreadId, out: &mut TraceBuilder) -> Option<i64> {
    let threads = &out.trace().threads;
    let (tid, upid) = (
        threads.tid.get(thread.row()),
        threads.upid.get(thread.row()),
    );
    let upid = match upid.some() {
        Some(upid) => upid,
        None if tid == NO_NUMBER => return None,
        None => out.put_in_process(thread, tid),
    };
    Some(out.trace().processes.pid.get(upid.row()))
}

/// The thread number that a call returned. It is printed as at the start of lines: `501`, `501<sh>`, or `18 /* 501 in
/// strace's PID NS */` if the thread has another number in a container.
fn thread_number(ret: &str) -> Option<i64> {
    let seen = ret.strip_suffix(" in strace's PID NS */");
    let seen = seen.and_then(|ret| ret.rsplit_once("/* "));
    let number = seen.map_or(ret, |(_, number)| number);
    let digits = number.bytes().take_while(u8::is_ascii_digit).count();
    number[..digits].parse().ok().filter(|number| *number > 0)
}
