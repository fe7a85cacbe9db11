//! States of threads and runs on CPUs: their kinds and durations.

use traceloom_trace::{NO_DURATION, TaskState, Trace};

/// The activity of a thread. The numbers are those in the page's columns.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum StateKind {
    /// Not recorded.
    Unknown = 0,
    /// On a CPU.
    Running = 1,
    /// Waiting for a CPU.
    Runnable = 2,
    /// Waiting for a CPU after another thread preempted it.
    Preempted = 3,
    /// In interruptible sleep.
    Sleeping = 4,
    /// In uninterruptible sleep.
    Uninterruptible = 5,
    /// In uninterruptible sleep that is known to be I/O.
    UninterruptibleIo = 6,
    /// Stopped or traced.
    Stopped = 7,
    /// Exited.
    Dead = 8,
}

impl StateKind {
    /// The number of kinds.
    pub const COUNT: usize = 9;

    /// The kind of a row of the thread_state table.
    pub fn from_row(trace: &Trace, row: usize) -> Self {
        let (state, io_wait) = (
            trace.thread_states.state.get(row),
            trace.thread_states.io_wait.get(row),
        );
        Self::from_task_state(state, io_wait)
    }

    /// The kind of a task state; `io_wait` as in the thread_state table.
    pub fn from_task_state(state: TaskState, io_wait: i8) -> Self {
        const PREEMPTED: u16 = TaskState::PREEMPTED.0 & !TaskState::RUNNABLE.0;
        const STOPPED: u16 = 1 << 3 | 1 << 4;
        match state {
            TaskState::UNKNOWN => Self::Unknown,
            TaskState::RUNNING => Self::Running,
            state if state.is_runnable() && state.0 & PREEMPTED != 0 => Self::Preempted,
            state if state.is_runnable() => Self::Runnable,
            state if state.0 & TaskState::UNINTERRUPTIBLE.0 != 0 && io_wait == 1 => {
                Self::UninterruptibleIo
            }
            state if state.0 & TaskState::UNINTERRUPTIBLE.0 != 0 => Self::Uninterruptible,
            state if state.is_final() => Self::Dead,
            state if state.0 & STOPPED != 0 => Self::Stopped,
            _ => Self::Sleeping,
        }
    }

    /// Whether the thread neither runs nor waits for a CPU, so that a view may show it as background.
    pub fn is_quiet(self) -> bool {
        matches!(self, Self::Unknown | Self::Sleeping | Self::Dead)
    }

    /// Whether the thread waits for something other than a CPU, and may continue.
    pub fn is_wait(self) -> bool {
        matches!(
            self,
            Self::Sleeping | Self::Uninterruptible | Self::UninterruptibleIo
        )
    }

    /// The key of its colour: the page's variable `--state-KEY`.
    pub fn colour(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Running => "running",
            Self::Runnable => "runnable",
            Self::Preempted => "preempted",
            Self::Sleeping => "sleeping",
            Self::Uninterruptible => "uninterruptible",
            Self::UninterruptibleIo => "io",
            Self::Stopped => "stopped",
            Self::Dead => "dead",
        }
    }

    /// The text shown in the page and on the terminal.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Running => "running",
            Self::Runnable => "runnable",
            Self::Preempted => "runnable (preempted)",
            Self::Sleeping => "sleeping",
            Self::Uninterruptible => "uninterruptible",
            Self::UninterruptibleIo => "waiting for I/O",
            Self::Stopped => "stopped",
            Self::Dead => "dead",
        }
    }
}

/// Start and end of a thread state, ns. An unfinished state lasts until the end of the trace.
pub fn state_extent(trace: &Trace, row: usize) -> (i64, i64) {
    let states = &trace.thread_states;
    extent(trace, states.ts.get(row), states.dur.get(row))
}

/// Start and end of a run on a CPU, ns. An unfinished run lasts until the end of the trace.
pub fn run_extent(trace: &Trace, row: usize) -> (i64, i64) {
    let runs = &trace.sched_slices;
    extent(trace, runs.ts.get(row), runs.dur.get(row))
}

fn extent(trace: &Trace, ts: i64, dur: i64) -> (i64, i64) {
    match dur {
        NO_DURATION => (ts, trace.bounds.1.max(ts)),
        dur => (ts, ts.saturating_add(dur)),
    }
}
