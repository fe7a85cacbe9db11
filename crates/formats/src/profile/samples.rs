//! Samples of stacks, with their thread, CPU, session and counter values.

use rustc_hash::{FxHashMap, FxHashSet};
use traceloom_trace::{ProcessId, StringId, ThreadId, TraceBuilder, TrackId, TrackType};

use super::stacks::{NONE, push};

/// The memory of a sample here and in the tables, bytes.
pub(crate) const BYTES: usize = 170;

/// The maximum number of counters of a sample besides the first.
pub(crate) const MOST_FOLLOWERS: usize = 64;

/// A sample. Its references are [`NONE`] if they are unknown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    pub ts: i64,
    pub source: StringId,
    pub task: u32,
    pub execution: u32,
    pub callsite: u32,
    pub unwind_error: StringId,
    pub session: u32,
    /// The first of its counter values.
    pub counters: u32,
    /// The priority of the process in Chrome.
    pub priority: i32,
}

impl Sample {
    /// A sample whose references are all unknown.
    pub fn at(ts: i64, source: StringId) -> Self {
        Self {
            ts,
            source,
            task: NONE,
            execution: NONE,
            callsite: NONE,
            unwind_error: StringId::NULL,
            session: NONE,
            counters: NONE,
            priority: 0,
        }
    }
}

/// The owner of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Task {
    pub upid: Option<ProcessId>,
    pub utid: Option<ThreadId>,
    pub context: u32,
}

/// The CPU and the mode in which it ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Execution {
    pub cpu: Option<u32>,
    pub mode: StringId,
}

/// An asynchronous context, such as a coroutine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AsyncContext {
    pub name: StringId,
    pub kind: StringId,
    pub parent: u32,
}

/// The samples of one profiler.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Session {
    pub source: StringId,
    pub unit: StringId,
    /// The command that recorded them.
    pub command: StringId,
    /// What happened when a sample was taken, such as `cycles:u`.
    pub event: StringId,
}

/// A counter of a session.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counter {
    pub track: TrackId,
    pub session: u32,
    pub cpu: Option<u32>,
    pub is_timebase: bool,
    pub unit: StringId,
    pub description: StringId,
}

/// A counter value of a sample.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CounterValue {
    pub ts: i64,
    pub set: u32,
    pub track: TrackId,
}

/// All samples of a trace.
#[derive(Debug, Default)]
pub(crate) struct Samples {
    pub samples: Vec<Sample>,
    pub tasks: Vec<Task>,
    pub executions: Vec<Execution>,
    pub contexts: Vec<AsyncContext>,
    pub sessions: Vec<Session>,
    pub counters: Vec<Counter>,
    pub values: Vec<CounterValue>,
    known_tasks: FxHashMap<Task, u32>,
    known_executions: FxHashMap<Execution, u32>,
    known_counters: FxHashMap<(u32, Option<u32>, StringId), TrackId>,
    taken: FxHashSet<TrackId>,
}

impl Samples {
    /// The row of a task.
    pub fn task(&mut self, task: Task) -> u32 {
        let tasks = &mut self.tasks;
        let known = self.known_tasks.entry(task);
        *known.or_insert_with(|| push(tasks, task))
    }

    /// The row of a CPU and its mode.
    pub fn execution(&mut self, execution: Execution) -> u32 {
        let executions = &mut self.executions;
        let known = self.known_executions.entry(execution);
        *known.or_insert_with(|| push(executions, execution))
    }

    /// Adds a session.
    pub fn session(&mut self, source: StringId) -> u32 {
        let session = Session {
            source,
            unit: StringId::NULL,
            command: StringId::NULL,
            event: StringId::NULL,
        };
        push(&mut self.sessions, session)
    }

    /// Sets the command that recorded a session.
    pub fn set_command(&mut self, session: u32, command: StringId) {
        if let Some(session) = self.sessions.get_mut(session as usize) {
            session.command = command;
        }
    }

    /// Sets the event of a session, unless it is known.
    pub fn set_event(&mut self, session: u32, event: StringId) {
        if let Some(session) = self.sessions.get_mut(session as usize)
            && session.event == StringId::NULL
        {
            session.event = event;
        }
    }

    /// Sets the unit of a session, unless it is known.
    pub fn set_unit(&mut self, session: u32, unit: StringId) {
        if let Some(session) = self.sessions.get_mut(session as usize)
            && session.unit == StringId::NULL
        {
            session.unit = unit;
        }
    }

    /// The track of a counter. Each session has tracks of its own.
    pub fn counter(&mut self, counter: Counter, name: StringId, out: &mut TraceBuilder) -> TrackId {
        let key = (counter.session, counter.cpu, name);
        if let Some(known) = self.known_counters.get(&key) {
            return *known;
        }
        let mut track = match counter.cpu {
            Some(cpu) => out.cpu_track(TrackType::CpuCounter, cpu, name),
            None => out.global_track(TrackType::GlobalCounter, name),
        };
        if !self.taken.insert(track) {
            track = out.lane_of(track);
        }
        if counter.is_timebase {
            self.set_event(counter.session, name);
        }
        self.counters.push(Counter { track, ..counter });
        self.known_counters.insert(key, track);
        track
    }

    /// Adds a counter value to the set that begins at `set`, or begins a new set. Returns the set.
    pub fn value(
        &mut self,
        ts: i64,
        set: u32,
        (track, value): (TrackId, u64),
        out: &mut TraceBuilder,
    ) -> u32 {
        match i64::try_from(value) {
            Ok(value) => out.whole_counter(track, ts, value),
            Err(_) => out.counter(track, ts, value as f64),
        }
        let set = if set == NONE {
            self.values.len() as u32
        } else {
            set
        };
        self.values.push(CounterValue { ts, set, track });
        set
    }

    /// The memory of all rows here and in the tables, bytes.
    pub fn bytes(&self) -> usize {
        let described = self.tasks.len() + self.contexts.len() + self.executions.len();
        self.samples.len() * BYTES
            + (described + self.sessions.len()) * 120
            + self.values.len() * 100
            + self.counters.len() * 200
    }
}

/// The name of a mode of the CPU by its number, which is the same in `perf_event.h` and in Perfetto's
/// `Profiling.CpuMode`. Empty for other numbers.
pub(crate) fn cpu_mode(mode: u64) -> &'static str {
    match mode {
        1 => "kernel",
        2 => "user",
        3 => "hypervisor",
        4 => "guest_kernel",
        5 => "guest_user",
        _ => "",
    }
}
