//! Converts states of single threads to rows of the sched_slice and thread_state tables.

use rustc_hash::FxHashMap;

use crate::builder::TraceBuilder;
use crate::ids::{RowId, StringId, ThreadId};
use crate::state::TaskState;
use crate::tables::{NO_CPU, NO_DURATION, NO_PRIORITY, SchedSliceRow, ThreadStateRow};

/// A change of a thread's state.
#[derive(Clone, Copy, Debug)]
pub struct StateChange {
    /// The time, ns.
    pub ts: i64,
    /// The CPU.
    pub cpu: u32,
    /// The thread.
    pub utid: ThreadId,
    /// Its state from now on.
    pub state: TaskState,
    /// Its priority.
    pub priority: i32,
}

/// Fills [`sched_slices`](crate::Trace::sched_slices) and [`thread_states`](crate::Trace::thread_states) from kernels
/// that report the state of one thread at a time. So a switch of a CPU consists of two events, in any order:
///
/// ```text
/// A runs   A sleeps, B runs     B runs, A sleeps (at the same time: the state in which A's run ended)
/// ```
#[derive(Debug, Default)]
pub struct StateTracker {
    /// The thread on each CPU, and its row of sched_slices.
    cpus: FxHashMap<u32, (ThreadId, usize)>,
    /// The state of each thread, and its open row of thread_states.
    threads: FxHashMap<ThreadId, (TaskState, usize)>,
    /// The rows of sched_slices that ended because another thread came, and the time of their end.
    left: FxHashMap<ThreadId, (usize, i64)>,
}

impl StateTracker {
    /// Processes a change. Returns `false` and does nothing if the thread cannot be in that state now: a thread that
    /// runs does not begin to run, and a dead one can only be destroyed.
    pub fn change(&mut self, builder: &mut TraceBuilder, change: StateChange) -> bool {
        let StateChange {
            ts, utid, state, ..
        } = change;
        let before = self.threads.get(&utid).map(|(state, _)| *state);
        let is_dead = before == Some(TaskState::ZOMBIE) && state != TaskState::DEAD;
        let runs = state == TaskState::RUNNING && before == Some(TaskState::RUNNING);
        if is_dead || runs {
            return false;
        }
        builder.saw_time(ts);
        if state == TaskState::RUNNING {
            self.come(builder, change);
        } else if self.leave(builder, change) {
            return true;
        }
        let cpu = if state == TaskState::RUNNING {
            change.cpu
        } else {
            NO_CPU
        };
        self.enter(builder, ts, utid, state, cpu);
        true
    }

    /// A thread gets its CPU. If another thread was there, its state is reported at the same time, or it is unknown.
    fn come(&mut self, builder: &mut TraceBuilder, change: StateChange) {
        let ts = change.ts;
        let row = builder.trace.sched_slices.push(SchedSliceRow {
            ts,
            dur: NO_DURATION,
            cpu: change.cpu,
            utid: change.utid,
            end_state: TaskState::UNKNOWN,
            priority: change.priority,
            inferred: false,
            end_priority: NO_PRIORITY,
        });
        if let Some((other, run)) = self.cpus.insert(change.cpu, (change.utid, row)) {
            end_run(builder, run, ts, TaskState::UNKNOWN);
            self.left.insert(other, (run, ts));
            self.enter(builder, ts, other, TaskState::UNKNOWN, NO_CPU);
        }
    }

    /// A thread gets a state without a CPU. Returns whether it is the state in which its last run ended, at this time.
    fn leave(&mut self, builder: &mut TraceBuilder, change: StateChange) -> bool {
        let StateChange {
            ts,
            cpu,
            utid,
            state,
            ..
        } = change;
        if let Some((on_cpu, run)) = self.cpus.get(&cpu).copied()
            && on_cpu == utid
        {
            end_run(builder, run, ts, state);
            self.cpus.remove(&cpu);
            return false;
        }
        let Some((run, _)) = self.left.remove(&utid).filter(|(_, left)| *left == ts) else {
            return false;
        };
        *builder.trace.sched_slices.end_state.get_mut(run) = state;
        if let Some((known, row)) = self.threads.get_mut(&utid) {
            *known = state;
            *builder.trace.thread_states.state.get_mut(*row) = state;
        }
        true
    }

    /// Ends the thread's state, and begins the next one.
    fn enter(
        &mut self,
        builder: &mut TraceBuilder,
        ts: i64,
        utid: ThreadId,
        state: TaskState,
        cpu: u32,
    ) {
        let states = &mut builder.trace.thread_states;
        let row = states.push(ThreadStateRow {
            ts,
            dur: NO_DURATION,
            utid,
            cpu,
            state,
            io_wait: -1,
            blocked_function: StringId::NULL,
            waker_utid: ThreadId::NONE,
        });
        if let Some((_, before)) = self.threads.insert(utid, (state, row)) {
            *states.dur.get_mut(before) = ts.saturating_sub(states.ts.get(before)).max(0);
        }
    }
}

fn end_run(builder: &mut TraceBuilder, row: usize, ts: i64, state: TaskState) {
    let slices = &mut builder.trace.sched_slices;
    *slices.dur.get_mut(row) = ts.saturating_sub(slices.ts.get(row)).max(0);
    *slices.end_state.get_mut(row) = state;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The runs and states of these changes of threads 1 and 2 on CPU 0.
    fn rows(changes: &[(i64, i64, TaskState)]) -> (Vec<String>, Vec<String>, usize) {
        let mut builder = TraceBuilder::new();
        let mut tracker = StateTracker::default();
        let mut refused = 0;
        for (ts, tid, state) in changes {
            let utid = builder.thread(*tid);
            let change = StateChange {
                ts: *ts,
                cpu: 0,
                utid,
                state: *state,
                priority: 9,
            };
            refused += usize::from(!tracker.change(&mut builder, change));
        }
        let trace = builder.finish();
        let runs = trace.sched_slices.rows();
        let runs = runs.map(|row| format!("{}+{} {}", row.ts, row.dur, row.end_state));
        let states = trace.thread_states.rows();
        let states = states.map(|row| format!("{}+{} {}", row.ts, row.dur, row.state));
        (runs.collect(), states.collect(), refused)
    }

    #[test]
    fn the_two_events_of_a_switch_come_in_any_order() {
        const RUNS: TaskState = TaskState::RUNNING;
        const SLEEPS: TaskState = TaskState::SLEEPING;
        let expected = ["10+10 S", "20+-1 "].map(String::from);
        let (runs, _, _) = rows(&[(10, 1, RUNS), (20, 1, SLEEPS), (20, 2, RUNS)]);
        assert_eq!(runs, expected);
        let (runs, states, _) = rows(&[(10, 1, RUNS), (20, 2, RUNS), (20, 1, SLEEPS)]);
        assert_eq!(runs, expected);
        assert_eq!(states, ["10+10 Running", "20+-1 S", "20+-1 Running"]);
    }

    #[test]
    fn a_late_state_does_not_end_a_run() {
        let (runs, states, refused) = rows(&[
            (10, 1, TaskState::RUNNING),
            (20, 2, TaskState::RUNNING),
            (30, 1, TaskState::ZOMBIE),
            (40, 1, TaskState::RUNNABLE),
            (50, 2, TaskState::RUNNING),
        ]);
        assert_eq!(runs, ["10+10 ", "20+-1 "]);
        assert_eq!(states.len(), 4, "{states:?}");
        assert_eq!(states[1], "20+10 ");
        assert_eq!(refused, 2);
    }
}
