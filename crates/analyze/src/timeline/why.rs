//! Why a thread was waiting: the chain of threads that it waited for, one after the other (its critical path).
//!
//! ```text
//! app      run ▏ sleeps, woken by render          ▏ run
//! render   ……  ▏ run ▏ sleeps, woken by disk ▏run ▏
//! disk         ……    ▏ waits for I/O         ▏
//! path     app ▏ render ▏ disk: I/O          ▏ren.▏ app
//! ```
//! While a thread waits, the path follows its waker. While the waker waits too, it follows the waker of the waker.

use traceloom_trace::{RowId, SliceId, ThreadId, Trace};

use super::Timeline;
use super::order::is_idle_thread;
use crate::state::{StateKind, state_extent};
use crate::waits::WaitReason;

/// The most parts of a path, and the deepest nesting of waits. Deeper waits are not followed.
const MOST_PARTS: usize = 10_000;
const MOST_DEEP: u32 = 64;

/// A part of a path: a thread in one state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WhyPart {
    /// Its start, ns.
    pub ts: i64,
    /// Its end, ns.
    pub end: i64,
    /// The thread.
    pub utid: ThreadId,
    /// Its state.
    pub state: StateKind,
    /// How many threads wait for it: 0 for the thread itself.
    pub depth: u32,
    /// The innermost slice of the thread at the start, or none.
    pub slice: SliceId,
    /// The CPU on which it ran, or got to run next; [`u32::MAX`] if unknown.
    pub cpu: u32,
    /// If it waited for a CPU, the thread that had that CPU for the longest part of the wait, or
    /// none.
    pub held_by: ThreadId,
    /// If it waited for something that the path does not follow, the reason.
    pub why: Option<WaitReason>,
}

/// A path, and whether it was cut because it has too many parts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Why {
    /// The parts in order of time, without gaps.
    pub parts: Vec<WhyPart>,
    /// Whether the end is missing.
    pub is_cut: bool,
}

/// A time of a thread that must still be explained.
#[derive(Clone, Copy)]
struct Open {
    utid: ThreadId,
    from: i64,
    to: i64,
    depth: u32,
}

impl Timeline {
    /// What a thread did, or waited for, between two times.
    pub fn why(&self, trace: &Trace, utid: ThreadId, from: i64, to: i64) -> Why {
        let mut why = Why::default();
        let mut open = vec![Open {
            utid,
            from,
            to,
            depth: 0,
        }];
        while let Some(next) = open.pop() {
            if why.parts.len() == MOST_PARTS {
                why.is_cut = true;
                break;
            }
            self.explain(trace, next, &mut open, &mut why.parts);
        }
        why
    }

    /// Explains the first state of a time. The rest stays open.
    fn explain(&self, trace: &Trace, one: Open, open: &mut Vec<Open>, parts: &mut Vec<WhyPart>) {
        let Open {
            utid,
            from,
            to,
            depth,
        } = one;
        if from >= to {
            return;
        }
        let rows = self.states_of(utid);
        let first = self.first_state(trace, utid, from);
        // States without a length explain nothing.
        let is_over = |row: &&u32| state_extent(trace, **row as usize).1 <= from;
        let at = first + rows.iter().skip(first).take_while(is_over).count();
        let state = rows.get(at).map(|row| *row as usize);
        let extent = state.map_or((to, to), |row| state_extent(trace, row));
        let is_known = extent.0 <= from;
        let end = if is_known { extent.1 } else { extent.0 }.min(to);
        open.push(Open { from: end, ..one });
        let kind = state.filter(|_| is_known);
        let kind = kind.map_or(StateKind::Unknown, |row| StateKind::from_row(trace, row));
        let waker = self.waker_behind(trace, utid, at);
        let is_thread = waker != utid && !is_idle_thread(trace, waker);
        if kind.is_wait() && is_thread && depth < MOST_DEEP && self.has_states(waker) {
            open.push(Open {
                utid: waker,
                from,
                to: end,
                depth: depth + 1,
            });
            return;
        }
        let mut part = self.part(trace, one, end, kind);
        let next = rows.get(at + 1).copied();
        match kind {
            StateKind::Running => part.cpu = cpu_of(trace, rows.get(at)),
            StateKind::Runnable | StateKind::Preempted => {
                part.cpu = cpu_of(trace, next.as_ref());
                part.held_by = self.holder(trace, part.cpu, from, end, utid);
            }
            _ => {
                let row = rows.get(at).filter(|_| is_known);
                part.why = row.and_then(|row| WaitReason::of(trace, *row, next));
            }
        }
        parts.push(part);
    }

    fn part(&self, trace: &Trace, one: Open, end: i64, state: StateKind) -> WhyPart {
        let slice = self.slice_of_thread_at(trace, one.utid, one.from);
        WhyPart {
            ts: one.from,
            end,
            utid: one.utid,
            state,
            depth: one.depth,
            slice: slice.unwrap_or(SliceId::NONE),
            cpu: u32::MAX,
            held_by: ThreadId::NONE,
            why: None,
        }
    }

    fn has_states(&self, utid: ThreadId) -> bool {
        utid.some().is_some() && !self.states_of(utid).is_empty()
    }

    /// The thread that had a CPU for the longest time between two times, except for one thread and idle time.
    fn holder(&self, trace: &Trace, cpu: u32, from: i64, to: i64, except: ThreadId) -> ThreadId {
        /// The most runs to look at.
        const MOST_RUNS: usize = 1_000;
        let runs = self.runs_of(cpu);
        let extent = |row: u32| super::run_extent(trace, row as usize);
        let first = runs.partition_point(|row| extent(*row).1 <= from);
        let mut times: Vec<(ThreadId, i64)> = Vec::new();
        for row in runs[first..].iter().take(MOST_RUNS) {
            let (start, end) = extent(*row);
            if start >= to {
                break;
            }
            let utid = trace.sched_slices.utid.get(*row as usize);
            if utid == except || is_idle_thread(trace, utid) {
                continue;
            }
            let ns = end.min(to).saturating_sub(start.max(from));
            match times.iter_mut().find(|(known, _)| *known == utid) {
                Some((_, sum)) => *sum += ns,
                None => times.push((utid, ns)),
            }
        }
        let longest = times.into_iter().max_by_key(|(_, ns)| *ns);
        longest.map_or(ThreadId::NONE, |(utid, _)| utid)
    }
}

fn cpu_of(trace: &Trace, state: Option<&u32>) -> u32 {
    state.map_or(u32::MAX, |row| trace.thread_states.cpu.get(*row as usize))
}
