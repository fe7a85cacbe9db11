//! Converts scheduler events to rows of the sched_slice and thread_state tables.

mod parts;
pub(crate) mod states;

use rustc_hash::FxHashMap;

use self::parts::{NO_ROW, OnCpu, Tracked, UNTRACKED, USUAL_PRIORITY, VainWake};
pub use self::parts::{SchedSwitch, Sighting};
use crate::builder::TraceBuilder;
use crate::ids::{RowId, StringId, ThreadId};
use crate::paged::Paged;
use crate::state::TaskState;
use crate::tables::{NO_CPU, NO_DURATION, NO_PRIORITY, RunEndRow, SchedSliceRow, ThreadStateRow};

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
    /// The wake-ups without effect during each run, by its row of the thread_state table.
    vain: FxHashMap<u32, Vec<VainWake>>,
    /// The number of wake-ups without effect so far.
    vain_wakes: u32,
}

impl Default for SchedTracker {
    fn default() -> Self {
        Self {
            cpus: Paged::new(None),
            threads: Paged::new(UNTRACKED),
            vain: FxHashMap::default(),
            vain_wakes: 0,
        }
    }
}

impl SchedTracker {
    /// Processes a switch. Returns `false` if a thread other than `prev` was on the CPU, which means that a switch is
    /// missing. The caller then counts the repair.
    #[inline]
    pub fn switch(&mut self, builder: &mut TraceBuilder, switch: SchedSwitch) -> bool {
        self.apply(builder, switch, true)
    }

    #[inline]
    fn apply(&mut self, builder: &mut TraceBuilder, switch: SchedSwitch, recorded: bool) -> bool {
        builder.saw_time(switch.ts);
        let left = self.cpus.get(switch.cpu as usize);
        let matches = self.close_slice(builder, switch);
        if recorded && (left.is_none() || !matches) {
            run_end(builder, switch);
        }
        self.open_slice(builder, switch, !recorded);
        if let Some(left) = left.filter(|left| !matches || left.woken) {
            let vain = self.vain.remove(&left.state).unwrap_or_default();
            if !matches {
                self.leave_unseen(builder, left, switch.ts, &vain);
            }
        }
        self.leave(builder, switch);
        self.come(builder, switch);
        matches
    }

    /// Opens the sched slice of the next thread.
    #[inline]
    fn open_slice(&mut self, builder: &mut TraceBuilder, switch: SchedSwitch, inferred: bool) {
        let row = builder.trace.sched_slices.push(SchedSliceRow {
            ts: switch.ts,
            dur: NO_DURATION,
            cpu: switch.cpu,
            utid: switch.next,
            end_state: TaskState::UNKNOWN,
            priority: switch.next_priority,
            inferred,
            end_priority: NO_PRIORITY,
        });
        *self.cpus.get_mut(switch.cpu as usize) = Some(OnCpu {
            utid: switch.next,
            row: row as u32,
            state: NO_ROW,
            woken: false,
        });
    }

    /// Opens the next state of the thread that leaves the CPU.
    #[inline]
    fn leave(&mut self, builder: &mut TraceBuilder, switch: SchedSwitch) {
        if switch.prev_is_idle || switch.prev == switch.next {
            return;
        }
        let (utid, ts) = (switch.prev, switch.ts);
        let state = (!switch.prev_state.is_final()).then_some(switch.prev_state);
        self.enter(builder, utid, ts, state, NO_CPU, ThreadId::NONE);
    }

    /// Opens the state `Running` of the thread that gets the CPU.
    #[inline]
    fn come(&mut self, builder: &mut TraceBuilder, switch: SchedSwitch) {
        if switch.next_is_idle {
            return;
        }
        let (utid, ts) = (switch.next, switch.ts);
        self.tracked(utid).priority = switch.next_priority;
        let state = Some(TaskState::RUNNING);
        self.enter(builder, utid, ts, state, switch.cpu, ThreadId::NONE);
        let state = self.tracked(utid).open;
        if let Some(comes) = self.cpus.get_mut(switch.cpu as usize) {
            comes.state = state;
        }
    }

    /// Handles a lost switch away from a thread. The thread ran no longer than `ts`, so its sched slice ends at `ts`.
    /// Its state from here on is unknown, unless it got another CPU in the meantime. So the first wake-up after that
    /// has an effect.
    #[cold]
    fn leave_unseen(
        &mut self,
        builder: &mut TraceBuilder,
        left: OnCpu,
        ts: i64,
        vain: &[VainWake],
    ) {
        if left.state == NO_ROW {
            return;
        }
        let states = &mut builder.trace.thread_states;
        let row = left.state as usize;
        let (began, dur) = (states.ts.get(row), states.dur.get(row));
        let most = ts.saturating_sub(began).max(0);
        if dur == NO_DURATION || dur > most {
            *states.dur.get_mut(row) = most;
        }
        let woken = vain.iter().find(|wake| wake.ts > ts);
        let woken = woken.map(|wake| {
            let dur = match dur {
                NO_DURATION => NO_DURATION,
                dur => began.saturating_add(dur).saturating_sub(wake.ts).max(0),
            };
            woken_before(builder, left.utid, *wake, dur)
        });
        let tracked = self.tracked(left.utid);
        if tracked.open == left.state {
            tracked.left_unseen = ts;
            (tracked.open, tracked.state) = match woken {
                Some(row) => (row, TaskState::RUNNABLE),
                None => (NO_ROW, TaskState::UNKNOWN),
            };
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
            *slices.end_priority.get_mut(row) = switch.prev_priority;
        }
        matches
    }

    /// `waker` begins to wake a thread. A thread that is about to sleep but still on its CPU is
    /// woken as soon as it has left. The wake-up event is then recorded on another CPU, in any
    /// thread.
    #[inline]
    pub fn waking(&mut self, builder: &mut TraceBuilder, ts: i64, utid: ThreadId, waker: ThreadId) {
        self.tracked(utid).early_waker = waker;
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
        } else if tracked.state == TaskState::RUNNING {
            let state = tracked.open;
            self.wake_in_vain(builder, ts, state, waker);
        }
    }

    /// Stores a wake-up without effect of a thread whose run has this row of states.
    #[cold]
    fn wake_in_vain(&mut self, builder: &TraceBuilder, ts: i64, state: u32, waker: ThreadId) {
        let states = &builder.trace.thread_states;
        let cpu = states.cpu.get(state as usize) as usize;
        let run = self.cpus.get_mut(cpu).as_mut();
        if let Some(run) = run.filter(|run| run.state == state) {
            run.woken = true;
            let place = (states.len() as u32, self.vain_wakes);
            self.vain_wakes += 1;
            let wake = VainWake { ts, waker, place };
            self.vain.entry(state).or_default().push(wake);
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

    /// The time when a thread got the CPU on which it was seen without a switch to it. `None` if it did something else
    /// since.
    ///
    /// ```text
    /// switch to idle    waking of T             event of T
    /// ------+---------------+-----------------------+-----
    ///  idle |               | T has been running since then
    /// ```
    /// The running time of the thread is the best evidence. Otherwise, a thread that was ready got the CPU when it was
    /// ready, but not before the last event of another thread there. If the time when it became ready is unknown, it
    /// got the CPU with its first event.
    pub fn came_at(&self, builder: &TraceBuilder, seen: &Sighting) -> Option<i64> {
        let tracked = self.threads.get(seen.utid.row());
        if tracked.open == NO_ROW {
            let is_alive = !tracked.state.is_final();
            let born = builder.trace.threads.start_ts.get(seen.utid.row());
            let least = seen.after.max(tracked.left_unseen).max(born);
            return is_alive.then(|| seen.came(least, seen.first.max(least)));
        }
        let since = builder.trace.thread_states.ts.get(tracked.open as usize);
        let least = since.max(seen.after);
        if tracked.state.is_runnable() {
            return Some(seen.came(least, least));
        }
        (since <= seen.first).then(|| seen.came(least, seen.first))
    }

    /// Adds a switch to `next` that the kernel did not record. The result is the same if later events were already
    /// processed. The state of the previous thread is unknown, unless it is the idle thread.
    pub fn unrecorded_switch(
        &mut self,
        builder: &mut TraceBuilder,
        cpu: u32,
        next: (ThreadId, i32),
        ts: i64,
        from_idle: bool,
    ) {
        let (utid, next_priority) = next;
        let left = self.running(cpu).filter(|_| from_idle);
        let switch = SchedSwitch {
            ts,
            cpu,
            // If this differs from the thread on the CPU, the state of that thread becomes unknown.
            prev: left.unwrap_or(utid),
            prev_priority: USUAL_PRIORITY,
            prev_state: TaskState::RUNNABLE,
            next: utid,
            next_priority,
            prev_is_idle: left.is_some(),
            next_is_idle: false,
        };
        self.apply(builder, switch, false);
    }

    /// The priority of a thread in its last run.
    pub fn priority(&self, utid: ThreadId) -> i32 {
        self.threads.get(utid.row()).priority
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

/// Adds the state of a thread since a wake-up that was processed before other rows. Returns the row.
#[cold]
fn woken_before(builder: &mut TraceBuilder, utid: ThreadId, wake: VainWake, dur: i64) -> u32 {
    let row = builder.trace.thread_states.push(ThreadStateRow {
        ts: wake.ts,
        dur,
        utid,
        cpu: NO_CPU,
        state: TaskState::RUNNABLE,
        io_wait: -1,
        blocked_function: StringId::NULL,
        waker_utid: wake.waker,
    });
    builder.late_states.insert(row as u32, wake.place);
    row as u32
}

/// Stores a switch away from a thread whose run is unknown.
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
