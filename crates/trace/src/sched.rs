//! Turns scheduler events into rows of the sched_slice and thread_state tables.

use crate::builder::TraceBuilder;
use crate::ids::{RowId, StringId, ThreadId};
use crate::paged::Paged;
use crate::state::TaskState;
use crate::tables::{NO_DURATION, SchedSliceRow, ThreadStateRow};

const NO_ROW: u32 = u32::MAX;

/// A switch of a CPU from one thread to another.
#[derive(Clone, Copy, Debug)]
pub struct SchedSwitch {
    /// When, ns.
    pub ts: i64,
    /// On which CPU.
    pub cpu: u32,
    /// The thread that leaves.
    pub prev: ThreadId,
    /// What state it leaves in.
    pub prev_state: TaskState,
    /// The thread that comes.
    pub next: ThreadId,
    /// Its priority, the kernel's number.
    pub next_priority: i32,
    /// Whether the thread that leaves is the idle thread.
    pub prev_is_idle: bool,
    /// Whether the thread that comes is the idle thread.
    pub next_is_idle: bool,
}

#[derive(Clone, Copy, Debug)]
struct OnCpu {
    utid: ThreadId,
    row: u32,
}

#[derive(Clone, Copy, Debug)]
struct Tracked {
    /// The open row of the thread_state table.
    open: u32,
    state: TaskState,
    /// The newest row in which the thread was blocked.
    blocked: u32,
    /// Who is waking it while it still runs.
    early_waker: ThreadId,
}

const UNTRACKED: Tracked = Tracked {
    open: NO_ROW,
    state: TaskState::UNKNOWN,
    blocked: NO_ROW,
    early_waker: ThreadId::NONE,
};

/// Fills [`sched_slices`](crate::Trace::sched_slices) and
/// [`thread_states`](crate::Trace::thread_states) from switches and wake-ups.
///
/// ```text
/// switch to T      waking of T by W
///    |  Running       |  Runnable, waker W   |  Running
/// ---+------------+---+----------------------+---------
///                 |  Sleeping                |
///        switch away from T            switch to T
/// ```
/// The idle thread has a row for every stretch on a CPU but no states: it stands for one thread
/// on each CPU. Rows that are open at the end keep [`NO_DURATION`].
#[derive(Debug)]
pub struct SchedTracker {
    /// By number; in a text, any number may come first.
    cpus: Paged<Option<OnCpu>>,
    /// By row. Those of other inputs come before.
    threads: Paged<Tracked>,
}

impl Default for SchedTracker {
    fn default() -> Self {
        Self {
            cpus: Paged::new(None),
            threads: Paged::new(UNTRACKED),
        }
    }
}

impl SchedTracker {
    /// Takes a switch. `false` says that another thread than `prev` was on the CPU: a switch is
    /// missing. The caller knows the place and counts the repair.
    #[inline]
    pub fn switch(&mut self, builder: &mut TraceBuilder, switch: SchedSwitch) -> bool {
        builder.saw_time(switch.ts);
        let cpu = switch.cpu as usize;
        let left = self.running(switch.cpu).unwrap_or(ThreadId::NONE);
        let matches = self.close_slice(builder, switch);
        let row = builder.trace.sched_slices.push(SchedSliceRow {
            ts: switch.ts,
            dur: NO_DURATION,
            cpu: switch.cpu,
            utid: switch.next,
            end_state: TaskState::UNKNOWN,
            priority: switch.next_priority,
        });
        *self.cpus.get_mut(cpu) = Some(OnCpu {
            utid: switch.next,
            row: row as u32,
        });
        if !matches {
            self.leave_unseen(builder, left, switch.ts, switch.cpu);
        }
        if !switch.prev_is_idle && switch.prev != switch.next {
            let state = (!switch.prev_state.is_final()).then_some(switch.prev_state);
            self.enter(
                builder,
                switch.prev,
                switch.ts,
                state,
                NO_CPU,
                ThreadId::NONE,
            );
        }
        if !switch.next_is_idle {
            let state = Some(TaskState::RUNNING);
            self.enter(
                builder,
                switch.next,
                switch.ts,
                state,
                switch.cpu,
                ThreadId::NONE,
            );
        }
        matches
    }

    /// The switch away from `utid` is missing: it ran on `cpu` up to now at the latest, as its
    /// sched slice says. What it does from here on, nothing tells.
    #[cold]
    fn leave_unseen(&mut self, builder: &mut TraceBuilder, utid: ThreadId, ts: i64, cpu: u32) {
        let tracked = *self.tracked(utid);
        let states = &mut builder.trace.thread_states;
        let row = tracked.open as usize;
        let runs_here = tracked.state == TaskState::RUNNING && states.cpu.get(row) == cpu;
        if runs_here {
            *states.dur.get_mut(row) = ts.saturating_sub(states.ts.get(row)).max(0);
            let tracked = self.tracked(utid);
            (tracked.open, tracked.state) = (NO_ROW, TaskState::UNKNOWN);
        }
    }

    #[inline]
    fn close_slice(&mut self, builder: &mut TraceBuilder, switch: SchedSwitch) -> bool {
        let Some(running) = self.cpus.get(switch.cpu as usize) else {
            return true;
        };
        let slices = &mut builder.trace.sched_slices;
        let row = running.row as usize;
        *slices.dur.get_mut(row) = switch.ts.saturating_sub(slices.ts.get(row)).max(0);
        let matches = running.utid == switch.prev;
        if matches {
            *slices.end_state.get_mut(row) = switch.prev_state;
        }
        matches
    }

    /// `waker` begins to wake a thread. One that has decided to sleep and is still on its CPU is woken as
    /// soon as it has left: then another CPU says so, on which anybody may run.
    #[inline]
    pub fn waking(&mut self, builder: &mut TraceBuilder, ts: i64, utid: ThreadId, waker: ThreadId) {
        let tracked = self.tracked(utid);
        let runs = tracked.state == TaskState::RUNNING;
        tracked.early_waker = if runs { waker } else { ThreadId::NONE };
        self.wake_by(builder, ts, utid, waker);
    }

    /// A thread was woken: it is runnable from now on, unless it already is, or runs.
    #[inline]
    pub fn wake(&mut self, builder: &mut TraceBuilder, ts: i64, utid: ThreadId, waker: ThreadId) {
        let early = std::mem::replace(&mut self.tracked(utid).early_waker, ThreadId::NONE);
        let waker = if early == ThreadId::NONE {
            waker
        } else {
            early
        };
        self.wake_by(builder, ts, utid, waker);
    }

    #[inline]
    fn wake_by(&mut self, builder: &mut TraceBuilder, ts: i64, utid: ThreadId, waker: ThreadId) {
        builder.saw_time(ts);
        let tracked = self.tracked(utid);
        if tracked.state.is_blocked() || tracked.state == TaskState::UNKNOWN {
            self.enter(builder, utid, ts, Some(TaskState::RUNNABLE), NO_CPU, waker);
        }
    }

    /// Says why the thread was blocked; the kernel says so when it wakes up. `false` if no time in
    /// which it was blocked is known.
    pub fn blocked_reason(
        &mut self,
        builder: &mut TraceBuilder,
        utid: ThreadId,
        io_wait: bool,
        function: StringId,
    ) -> bool {
        let row = self.tracked(utid).blocked as usize;
        if row == NO_ROW as usize {
            return false;
        }
        let states = &mut builder.trace.thread_states;
        *states.io_wait.get_mut(row) = io_wait.into();
        *states.blocked_function.get_mut(row) = function;
        true
    }

    /// The thread on `cpu`, as far as switches told.
    pub fn running(&self, cpu: u32) -> Option<ThreadId> {
        Some(self.cpus.get(cpu as usize)?.utid)
    }

    #[inline]
    fn tracked(&mut self, utid: ThreadId) -> &mut Tracked {
        self.threads.get_mut(utid.row())
    }

    /// Closes the thread's open state and opens the next; `None` opens none.
    #[inline]
    fn enter(
        &mut self,
        builder: &mut TraceBuilder,
        utid: ThreadId,
        ts: i64,
        state: Option<TaskState>,
        cpu: u32,
        waker_utid: ThreadId,
    ) {
        let tracked = self.tracked(utid);
        let states = &mut builder.trace.thread_states;
        if tracked.open != NO_ROW {
            let row = tracked.open as usize;
            *states.dur.get_mut(row) = ts.saturating_sub(states.ts.get(row)).max(0);
        }
        let Some(state) = state else {
            (tracked.open, tracked.state) = (NO_ROW, TaskState::DEAD);
            return;
        };
        tracked.open = states.push(ThreadStateRow {
            ts,
            dur: NO_DURATION,
            utid,
            cpu,
            state,
            io_wait: -1,
            blocked_function: StringId::EMPTY,
            waker_utid,
        }) as u32;
        tracked.state = state;
        if state.is_blocked() {
            tracked.blocked = tracked.open;
        }
    }
}

const NO_CPU: u32 = u32::MAX;

#[cfg(test)]
mod tests;
