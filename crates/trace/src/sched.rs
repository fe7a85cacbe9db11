//! Converts scheduler events to rows of the sched_slice and thread_state tables.

use crate::builder::TraceBuilder;
use crate::ids::{RowId, StringId, ThreadId};
use crate::paged::Paged;
use crate::state::TaskState;
use crate::tables::{NO_CPU, NO_DURATION, NO_PRIORITY, RunEndRow, SchedSliceRow, ThreadStateRow};

const NO_ROW: u32 = u32::MAX;

/// The default priority of a thread that was not seen running: nice 0.
const USUAL_PRIORITY: i32 = 120;

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
    /// The last event before that which shows another thread on the CPU.
    pub after: i64,
    /// Its first event there.
    pub first: i64,
    /// The start of its run according to its running time.
    pub began: Option<i64>,
}

impl Sighting {
    /// The start of its run: between `least` and the first event, or `otherwise` if its running time is unknown.
    fn came(&self, least: i64, otherwise: i64) -> i64 {
        let latest = self.first.max(least);
        self.began
            .map_or(otherwise, |began| began.max(least).min(latest))
    }
}

#[derive(Clone, Copy, Debug)]
struct OnCpu {
    utid: ThreadId,
    /// Its row of the sched_slice table.
    row: u32,
    /// Its row of the thread_state table; none for the idle thread.
    state: u32,
}

#[derive(Clone, Copy, Debug)]
struct Tracked {
    /// The open row of the thread_state table.
    open: u32,
    state: TaskState,
    /// The most recent row in which the thread was blocked.
    blocked: u32,
    /// The thread that wakes it while it still runs.
    early_waker: ThreadId,
    /// Its priority in its last run.
    priority: i32,
}

const UNTRACKED: Tracked = Tracked {
    open: NO_ROW,
    state: TaskState::UNKNOWN,
    blocked: NO_ROW,
    early_waker: ThreadId::NONE,
    priority: USUAL_PRIORITY,
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
/// The idle thread has a row for every period on a CPU but no states, because it represents one
/// thread per CPU. Rows that are open at the end keep [`NO_DURATION`].
#[derive(Debug)]
pub struct SchedTracker {
    /// By CPU number. In a text, any number may occur.
    cpus: Paged<Option<OnCpu>>,
    /// By row. Threads of other inputs come before.
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
    /// Processes a switch. Returns `false` if a thread other than `prev` was on the CPU, which
    /// means that a switch is missing. The caller knows the place and counts the repair.
    #[inline]
    pub fn switch(&mut self, builder: &mut TraceBuilder, switch: SchedSwitch) -> bool {
        builder.saw_time(switch.ts);
        let cpu = switch.cpu as usize;
        let left = self.cpus.get(cpu);
        let matches = self.close_slice(builder, switch);
        let row = builder.trace.sched_slices.push(SchedSliceRow {
            ts: switch.ts,
            dur: NO_DURATION,
            cpu: switch.cpu,
            utid: switch.next,
            end_state: TaskState::UNKNOWN,
            priority: switch.next_priority,
            inferred: false,
            end_priority: NO_PRIORITY,
        });
        *self.cpus.get_mut(cpu) = Some(OnCpu {
            utid: switch.next,
            row: row as u32,
            state: NO_ROW,
        });
        if let Some(left) = left.filter(|_| !matches) {
            self.leave_unseen(builder, left, switch.ts);
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
            self.tracked(switch.next).priority = switch.next_priority;
            let state = Some(TaskState::RUNNING);
            self.enter(
                builder,
                switch.next,
                switch.ts,
                state,
                switch.cpu,
                ThreadId::NONE,
            );
            let state = self.tracked(switch.next).open;
            if let Some(comes) = self.cpus.get_mut(cpu) {
                comes.state = state;
            }
        }
        matches
    }

    /// Handles a missing switch away from a thread: it ran until `ts` at most, and its sched slice ends here. Its state
    /// from here on is unknown, unless it got another CPU in the meantime.
    #[cold]
    fn leave_unseen(&mut self, builder: &mut TraceBuilder, left: OnCpu, ts: i64) {
        if left.state == NO_ROW {
            return;
        }
        let states = &mut builder.trace.thread_states;
        let row = left.state as usize;
        let most = ts.saturating_sub(states.ts.get(row)).max(0);
        let tracked = self.tracked(left.utid);
        if tracked.open == left.state {
            (tracked.open, tracked.state) = (NO_ROW, TaskState::UNKNOWN);
            *states.dur.get_mut(row) = most;
        } else if states.dur.get(row) > most {
            *states.dur.get_mut(row) = most;
        }
    }

    #[inline]
    fn close_slice(&mut self, builder: &mut TraceBuilder, switch: SchedSwitch) -> bool {
        let Some(running) = self.cpus.get(switch.cpu as usize) else {
            run_end(builder, switch);
            return true;
        };
        let slices = &mut builder.trace.sched_slices;
        let row = running.row as usize;
        *slices.dur.get_mut(row) = switch.ts.saturating_sub(slices.ts.get(row)).max(0);
        let matches = running.utid == switch.prev;
        if matches {
            *slices.end_state.get_mut(row) = switch.prev_state;
            *slices.end_priority.get_mut(row) = switch.prev_priority;
        } else if switch.prev != switch.next {
            run_end(builder, switch);
        }
        matches
    }

    /// `waker` begins to wake a thread. A thread that is about to sleep but still on its CPU is
    /// woken as soon as it has left. The wake-up event is then recorded on another CPU, in any
    /// thread.
    #[inline]
    pub fn waking(&mut self, builder: &mut TraceBuilder, ts: i64, utid: ThreadId, waker: ThreadId) {
        let tracked = self.tracked(utid);
        let runs = tracked.state == TaskState::RUNNING;
        tracked.early_waker = if runs { waker } else { ThreadId::NONE };
        self.wake_by(builder, ts, utid, waker);
    }

    /// A thread was woken. From now on it is runnable, unless it already is runnable or running.
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

    /// The CPU on which a thread runs, according to switches.
    pub fn cpu_of(&self, builder: &TraceBuilder, utid: ThreadId) -> Option<u32> {
        let tracked = self.threads.get(utid.row());
        let cpu = || builder.trace.thread_states.cpu.get(tracked.open as usize);
        (tracked.state == TaskState::RUNNING).then(cpu)
    }

    /// Whether the earlier states of the thread are known.
    pub fn is_known(&self, utid: ThreadId) -> bool {
        self.threads.get(utid.row()).open != NO_ROW
    }

    /// When a thread got the CPU on which it was seen without a switch to it. `None` if it did something else since.
    ///
    /// ```text
    /// switch to idle    waking of T             event of T
    /// ------+---------------+-----------------------+-----
    ///  idle |               | T has been running since then
    /// ```
    /// The running time of the thread is the best evidence. Otherwise, a thread that was ready got the CPU when it was
    /// ready, but not before the last event of another thread there. If the time when it became ready is unknown, it got
    /// the CPU with its first event.
    pub fn came_at(&self, builder: &TraceBuilder, seen: &Sighting) -> Option<i64> {
        let tracked = self.threads.get(seen.utid.row());
        if tracked.open == NO_ROW {
            let is_alive = !tracked.state.is_final();
            return is_alive.then(|| seen.came(seen.after, seen.first));
        }
        let since = builder.trace.thread_states.ts.get(tracked.open as usize);
        let least = since.max(seen.after);
        if tracked.state.is_runnable() {
            return Some(seen.came(least, least));
        }
        (since <= seen.first).then(|| seen.came(least, seen.first))
    }

    /// Adds a switch that the kernel did not record. The state of the previous thread is unknown, unless it is the idle
    /// thread.
    pub fn infer_switch(
        &mut self,
        builder: &mut TraceBuilder,
        cpu: u32,
        utid: ThreadId,
        ts: i64,
        from_idle: bool,
    ) {
        let Some(left) = self.running(cpu) else {
            return;
        };
        let switch = SchedSwitch {
            ts,
            cpu,
            // A different previous thread than the one on the CPU leaves the state of that one unknown.
            prev: if from_idle { left } else { utid },
            prev_priority: USUAL_PRIORITY,
            prev_state: TaskState::RUNNABLE,
            next: utid,
            next_priority: self.tracked(utid).priority,
            prev_is_idle: from_idle,
            next_is_idle: false,
        };
        self.switch(builder, switch);
        if let Some(run) = self.cpus.get(cpu as usize) {
            let inferred = &mut builder.trace.sched_slices.inferred;
            *inferred.get_mut(run.row as usize) = true;
        }
    }

    /// Sets the reason why the thread was blocked. The kernel reports it when the thread wakes up.
    /// `false` if no blocked state is known.
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

    /// The thread on `cpu`, according to switches.
    pub fn running(&self, cpu: u32) -> Option<ThreadId> {
        Some(self.cpus.get(cpu as usize)?.utid)
    }

    #[inline]
    fn tracked(&mut self, utid: ThreadId) -> &mut Tracked {
        self.threads.get_mut(utid.row())
    }

    /// Closes the thread's open state and opens the next one; `None` opens none.
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
            blocked_function: StringId::NULL,
            waker_utid,
        }) as u32;
        tracked.state = state;
        if state.is_blocked() {
            tracked.blocked = tracked.open;
        }
    }
}

/// Keeps what a switch says of a thread whose run is not known.
#[cold]
fn run_end(builder: &mut TraceBuilder, switch: SchedSwitch) {
    builder.trace.run_ends.push(RunEndRow {
        ts: switch.ts,
        cpu: switch.cpu,
        utid: switch.prev,
        end_state: switch.prev_state,
        priority: switch.prev_priority,
    });
}

#[cfg(test)]
mod tests;
