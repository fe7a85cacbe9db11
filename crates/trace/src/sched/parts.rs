//! Switches, and the tracker's state for CPUs and threads.

use crate::ids::{RowId, ThreadId};
use crate::state::TaskState;

/// No row of a table.
pub(super) const NO_ROW: u32 = u32::MAX;

/// The default priority of a thread that was not seen running: nice 0.
pub(super) const USUAL_PRIORITY: i32 = 120;

/// A switch of a CPU from one thread to another.
#[derive(Clone, Copy, Debug)]
pub struct SchedSwitch {
    /// The time, ns.
    pub ts: i64,
    /// The CPU.
    pub cpu: u32,
    /// The thread that leaves.
    pub prev: ThreadId,
    /// Its priority, the kernel's number.
    pub prev_priority: i32,
    /// The state of that thread after it leaves.
    pub prev_state: TaskState,
    /// The thread that gets the CPU.
    pub next: ThreadId,
    /// The priority of that thread, as the kernel's number.
    pub next_priority: i32,
    /// Whether the thread that leaves is the idle thread.
    pub prev_is_idle: bool,
    /// Whether the thread that gets the CPU is the idle thread.
    pub next_is_idle: bool,
}

/// A thread that was seen on a CPU without a switch to it. Times are ns.
#[derive(Clone, Copy, Debug)]
pub struct Sighting {
    /// The thread.
    pub utid: ThreadId,
    /// The last event before `first` that shows another thread on the CPU.
    pub after: i64,
    /// Its first event there.
    pub first: i64,
    /// The start of its run according to its running time.
    pub began: Option<i64>,
}

impl Sighting {
    /// The start of the run. It is between `least` and the first event; `otherwise` is used if the running time is
    /// unknown.
    pub(super) fn came(&self, least: i64, otherwise: i64) -> i64 {
        let latest = self.first.max(least);
        self.began
            .map_or(otherwise, |began| began.max(least).min(latest))
    }
}

/// The thread on a CPU.
#[derive(Clone, Copy, Debug)]
pub(super) struct OnCpu {
    pub utid: ThreadId,
    /// Its row of the sched_slice table.
    pub row: u32,
    /// Its row of the thread_state table; none for the idle thread.
    pub state: u32,
    /// Whether it was woken in the meantime.
    pub woken: bool,
}

/// A wake-up of a thread that runs according to switches, so it has no effect. It takes effect if a switch away from
/// the thread, at an earlier time, is inferred later.
#[derive(Clone, Copy, Debug)]
pub(super) struct VainWake {
    pub ts: i64,
    pub waker: ThreadId,
    /// The number of state rows at that time, and the number of wake-ups without effect.
    pub place: (u32, u32),
}

/// The state of a thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tracked {
    /// The open row of the thread_state table.
    pub open: u32,
    pub state: TaskState,
    /// The most recent row in which the thread was blocked.
    pub blocked: u32,
    /// The thread that began to wake it last.
    pub early_waker: ThreadId,
    /// The end of its last run, if the switch away is missing.
    pub left_unseen: i64,
    /// Its priority in its last run.
    pub priority: i32,
}

pub(super) const UNTRACKED: Tracked = Tracked {
    open: NO_ROW,
    state: TaskState::UNKNOWN,
    blocked: NO_ROW,
    early_waker: ThreadId::NONE,
    left_unseen: i64::MIN,
    priority: USUAL_PRIORITY,
};
