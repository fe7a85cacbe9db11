//! Kernels other than Linux. They record each change of a thread's state, and their tids have 64 bits.

use traceloom_trace::{
    ArgValue, IS_IDLE, Place, ProcessId, RepairKind, StateChange, StateTracker, TaskState,
    ThreadId, TraceBuilder, TrackType,
};

use super::packet::payload;
use super::tasks;
use super::wire::Fields;

/// The states of `TaskStateEnum`, by number. 0 is not a state.
const STATES: [TaskState; 9] = [
    TaskState::UNKNOWN,
    TaskState::CREATED,
    TaskState::RUNNABLE,
    TaskState::RUNNING,
    TaskState::SLEEPING,
    TaskState::UNINTERRUPTIBLE,
    TaskState::STOPPED,
    TaskState::ZOMBIE,
    TaskState::DEAD,
];

/// Follows the threads of such a kernel.
#[derive(Debug, Default)]
pub(super) struct GenericKernel {
    states: StateTracker,
    has_idle: bool,
    /// The number of states that cannot follow the previous state of the thread.
    misplaced: u64,
}

impl GenericKernel {
    /// Reads a packet if its content is for such a kernel. Ignores all other packets.
    pub fn packet(&mut self, ts: i64, number: u32, content: &[u8], out: &mut TraceBuilder) {
        let fields = Fields::new(content);
        match number {
            payload::TASK_STATE => self.state(ts, fields, out),
            payload::GENERIC_CPU_FREQUENCY => frequency(ts, fields, out),
            payload::TASK_RENAME => rename(fields, out),
            payload::GENERIC_PROCESS_TREE => tree(fields, out),
            _ => return,
        }
        if !std::mem::replace(&mut self.has_idle, true) {
            let name = out.intern(b"swapper");
            let idle = out.idle_thread();
            out.name_thread(idle, name);
        }
    }

    fn state(&mut self, ts: i64, fields: Fields<'_>, out: &mut TraceBuilder) {
        let (mut cpu, mut name, mut tid, mut state, mut priority) = (0, &b""[..], 0, 0, 0);
        for field in fields {
            match field.number {
                1 => cpu = field.uint() as u32,
                2 => name = field.bytes(),
                3 => tid = field.int(),
                4 => state = field.uint(),
                5 => priority = field.int32(),
                _ => {}
            }
        }
        let state = usize::try_from(state).ok();
        let state = state.and_then(|state| STATES.get(state)).copied();
        let state = state.filter(|state| *state != TaskState::UNKNOWN);
        let Some(state) = state.filter(|_| cpu < crate::ftrace::event::MOST_CPUS) else {
            return refuse(ts, "a state of a thread is unknown", out);
        };
        let known = out.find_thread(tid);
        let utid = match known {
            Some(_) if state == TaskState::CREATED => {
                self.misplaced += 1;
                return refuse(ts, "a thread that exists is created again", out);
            }
            Some(utid) => utid,
            None => begin(ts, tid, state, out),
        };
        let change = StateChange {
            ts,
            cpu,
            utid,
            state,
            priority,
        };
        if !self.states.change(out, change) {
            self.misplaced += 1;
            return refuse(ts, "a thread cannot be in its next state", out);
        }
        if known.is_none() || state != TaskState::DEAD {
            let name = out.intern(name);
            out.name_thread(utid, name);
        }
        if state == TaskState::DEAD {
            out.end_thread(utid, ts);
        }
    }

    /// Adds the number of misplaced states to `stats`, under Perfetto's name.
    pub fn finish(&self, machine: i64, out: &mut TraceBuilder) {
        if self.misplaced > 0 {
            let name = "generic_task_state_invalid_order";
            out.stat(name, None, machine, self.misplaced as i64);
        }
    }
}

fn refuse(ts: i64, detail: &str, out: &mut TraceBuilder) {
    let place = Place::default().with_ts(ts);
    out.repair(RepairKind::SchedMismatch, 1, place, || detail.to_owned());
}

/// Adds a thread that occurs for the first time.
fn begin(ts: i64, tid: i64, state: TaskState, out: &mut TraceBuilder) -> ThreadId {
    let utid = out.new_thread(tid);
    if state == TaskState::CREATED {
        out.set_thread_start(utid, ts);
    }
    utid
}

fn rename(fields: Fields<'_>, out: &mut TraceBuilder) {
    let (mut tid, mut name) = (0, &b""[..]);
    for field in fields {
        match field.number {
            1 => tid = field.int(),
            2 => name = field.bytes(),
            _ => {}
        }
    }
    let utid = out.thread(tid);
    let name = out.intern(name);
    out.name_thread(utid, name);
}

/// The frequency of a CPU, Hz.
fn frequency(ts: i64, fields: Fields<'_>, out: &mut TraceBuilder) {
    let (mut cpu, mut hertz) = (0, 0);
    for field in fields {
        match field.number {
            1 => cpu = field.uint() as u32,
            2 => hertz = field.int(),
            _ => {}
        }
    }
    let name = out.intern(b"cpufreq");
    let track = out.cpu_track(TrackType::CpuFrequency, cpu, name);
    out.counter(track, ts, hertz as f64 / 1_000.0);
}

fn tree(fields: Fields<'_>, out: &mut TraceBuilder) {
    for field in fields {
        match field.number {
            1 => process(field.fields(), out),
            2 => thread(field.fields(), out),
            _ => {}
        }
    }
}

fn process(fields: Fields<'_>, out: &mut TraceBuilder) {
    let (mut pid, mut ppid, mut cmdline) = (0, 0, None);
    for field in fields {
        match field.number {
            1 => pid = field.int(),
            2 => ppid = field.int(),
            3 => cmdline = Some(field.bytes()),
            _ => {}
        }
    }
    let Some(cmdline) = cmdline else {
        return;
    };
    let upid = number(pid, out);
    tasks::parent(upid, ppid, out);
    let words = cmdline.split(|byte| *byte == b' ').next();
    let name = out.intern(words.unwrap_or(cmdline));
    out.name_process(upid, name);
    let cmdline = out.intern(cmdline);
    out.set_process_cmdline(upid, cmdline);
}

/// The process with this pid. 0 is the idle process.
fn number(pid: i64, out: &mut TraceBuilder) -> ProcessId {
    match pid {
        0 => ProcessId::IDLE,
        pid => out.process(pid),
    }
}

/// Reads a thread. The pid may differ from the tid of the main thread, so a flag marks the main thread.
fn thread(fields: Fields<'_>, out: &mut TraceBuilder) {
    let (mut tid, mut pid, mut name) = (0, 0, &b""[..]);
    let (mut is_main, mut is_idle) = (false, false);
    for field in fields {
        match field.number {
            1 => tid = field.int(),
            2 => pid = field.int(),
            3 => name = field.bytes(),
            4 => is_main = field.uint() != 0,
            5 => is_idle = field.uint() != 0,
            _ => {}
        }
    }
    let utid = match tid {
        0 => out.idle_thread(),
        tid => out.thread(tid),
    };
    let upid = number(pid, out);
    out.set_thread_process(utid, upid);
    out.set_main_thread(utid, is_main);
    if is_idle && tid != 0 {
        out.add_thread_arg(utid, IS_IDLE, ArgValue::Bool(true));
    }
    let name = out.intern(name);
    out.name_thread(utid, name);
}
