//! Rows that refer to rows, where the trace itself stores only the number of a process or thread.

use std::collections::HashMap;

use traceloom_trace::{
    NO_DURATION, NO_NUMBER, ProcessId, RowId, SourceId, TaskState, Trace, WakeKind, WakeupRow,
};

/// No row.
pub(super) const NONE: u32 = u32::MAX;

/// The parent of each process. Among the lifetimes of the parent's pid in the same input, it is the last one that began
/// before the process. If all of them began later, it is the first one, because the start times of processes from a
/// dump are unknown.
pub(super) fn parents(trace: &Trace) -> Vec<ProcessId> {
    let mut lifetimes: HashMap<(SourceId, i64), Vec<(i64, ProcessId)>> = HashMap::new();
    for (row, process) in trace.processes.rows().enumerate() {
        let of_pid = lifetimes.entry((process.source, process.pid)).or_default();
        of_pid.push((process.start_ts, ProcessId::from_row(row)));
    }
    for of_pid in lifetimes.values_mut() {
        of_pid.sort_by_key(|(start, _)| *start);
    }
    let parent = |source, ppid, start_ts| {
        let of_pid = lifetimes.get(&(source, ppid))?;
        let after = of_pid.partition_point(|(start, _)| *start <= start_ts);
        of_pid.get(after.saturating_sub(1)).map(|(_, upid)| *upid)
    };
    let rows = trace.processes.rows().map(|row| match row.ppid {
        NO_NUMBER => ProcessId::NONE,
        // The kernel's idle process is the parent of the first processes.
        0 => ProcessId::IDLE,
        ppid => parent(row.source, ppid, row.start_ts).unwrap_or(ProcessId::NONE),
    });
    rows.collect()
}

/// For each thread state, the row in which its waker ran at that time, or [`NONE`].
pub(super) fn wakers(trace: &Trace) -> Vec<u32> {
    let states = &trace.thread_states;
    let mut last = vec![NONE; trace.threads.len()];
    let runs_at = |row: u32, ts: i64| {
        let row = row as usize;
        let dur = states.dur.get(row);
        let reaches = dur == NO_DURATION || states.ts.get(row).saturating_add(dur) >= ts;
        reaches && states.state.get(row) == TaskState::RUNNING
    };
    let mut wakers = Vec::with_capacity(states.len());
    for row in 0..states.len() {
        let waker = states.waker_utid.get(row).some();
        let ran = waker.map_or(NONE, |waker| last[waker.row()]);
        let is_known = ran != NONE && runs_at(ran, states.ts.get(row));
        wakers.push(if is_known { ran } else { NONE });
        last[states.utid.get(row).row()] = row as u32;
    }
    wakers
}

/// For each thread state, whether an interrupt woke the thread into it: 1 yes, 0 no, -1 unknown or not woken.
pub(super) fn irq_contexts(trace: &Trace) -> Vec<i8> {
    let (states, wakeups) = (&trace.thread_states, &trace.wakeups);
    let mut woken = vec![Woken::default(); trace.threads.len()];
    let mut next = 0;
    let mut contexts = Vec::with_capacity(states.len());
    for row in 0..states.len() {
        let ts = states.ts.get(row);
        while next < wakeups.len() && wakeups.ts.get(next) <= ts {
            let wakeup = wakeups.row(next);
            woken[wakeup.utid.row()].take(wakeup);
            next += 1;
        }
        let last = woken[states.utid.get(row).row()];
        let is_by = states.waker_utid.get(row).some().is_some() && last.ts == ts;
        contexts.push(if is_by { last.context } else { -1 });
    }
    contexts
}

/// The last wake-up of a thread.
#[derive(Clone, Copy)]
struct Woken {
    ts: i64,
    context: i8,
    /// Whether the thread is not yet on a run queue. The next event then repeats this wake-up for the run queue.
    begins: bool,
}

impl Default for Woken {
    fn default() -> Self {
        Self {
            ts: i64::MIN,
            context: -1,
            begins: false,
        }
    }
}

impl Woken {
    fn take(&mut self, wakeup: WakeupRow) {
        self.context = match wakeup.kind {
            WakeKind::Wakeup if self.begins => self.context,
            // The parent itself starts a new thread.
            WakeKind::New => 0,
            _ => wakeup.irq_context,
        };
        self.ts = wakeup.ts;
        self.begins = wakeup.kind == WakeKind::Waking;
    }
}

#[cfg(test)]
mod tests {
    use traceloom_trace::{ThreadStateRow, TraceBuilder};

    use super::*;

    /// The interrupt contexts that are reported for a thread that these wake-ups make runnable at their times.
    fn contexts(wakeups: &[(i64, WakeKind, i8)]) -> Vec<i8> {
        let mut out = TraceBuilder::new();
        let [waker_utid, utid] = [7, 8].map(|tid| out.thread(tid));
        for &(ts, kind, irq_context) in wakeups {
            out.wakeup(WakeupRow {
                ts,
                kind,
                cpu: 0,
                waker_utid,
                utid,
                target_cpu: 0,
                priority: 120,
                irq_context,
            });
            out.thread_state(ThreadStateRow {
                ts,
                dur: 1,
                utid,
                cpu: u32::MAX,
                state: TaskState::RUNNABLE,
                io_wait: -1,
                blocked_function: Default::default(),
                waker_utid,
            });
        }
        irq_contexts(&out.finish())
    }

    /// A process with this pid, its parent's pid and its start.
    fn process(out: &mut TraceBuilder, pid: i64, ppid: i64, start: i64) -> ProcessId {
        let upid = out.new_process(pid);
        out.set_process_parent(upid, ppid);
        out.set_process_start(upid, start);
        upid
    }

    #[test]
    fn the_lifetime_that_began_last_is_the_parent() {
        let mut out = TraceBuilder::new();
        let late = process(&mut out, 7, 1, 50);
        let early = process(&mut out, 7, 1, 10);
        let children = [5, 10, 49, 60].map(|start| process(&mut out, 8, 7, start));
        let parents = parents(&out.finish());
        let found = children.map(|child| parents[child.row()]);
        assert_eq!(found, [early, early, early, late]);
    }

    #[test]
    fn parents_of_many_lifetimes_are_found_soon() {
        let mut out = TraceBuilder::new();
        for number in 0..120_000 {
            process(&mut out, 7, 1, 1 + number);
            process(&mut out, 8, 7, 0);
        }
        let trace = out.finish();
        let start = std::time::Instant::now();
        let parents = parents(&trace);
        // If each process were compared with all lifetimes, this would take many minutes.
        assert!(start.elapsed() < std::time::Duration::from_secs(60));
        assert_eq!(parents.len(), trace.processes.len());
    }

    #[test]
    fn the_event_that_begins_to_wake_counts() {
        use WakeKind::{New, Wakeup, Waking};
        let waking = [(1, Waking, 1), (2, Wakeup, 0), (3, Wakeup, 0)];
        assert_eq!(contexts(&waking), [1, 1, 0]);
        assert_eq!(contexts(&[(1, Wakeup, 1), (2, Waking, -1)]), [1, -1]);
        assert_eq!(contexts(&[(1, New, -1)]), [0]);
    }
}
