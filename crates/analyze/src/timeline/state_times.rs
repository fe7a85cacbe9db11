//! The states of a thread between two times, and what it waited for.

use std::cmp::Reverse;

use traceloom_trace::{RowId, StringId, ThreadId, Trace, sort};

use super::tally::Tally;
use super::{StateKind, Timeline, state_extent};
use crate::waits::WaitReason;

/// Time of a thread in each state, and what it waited for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StateTimes {
    /// The time in each [`StateKind`], ns.
    pub by_kind: [i64; StateKind::COUNT],
    /// What it waited for, longest first.
    pub blocked: Vec<Blocked>,
}

impl StateTimes {
    /// The time in one state, ns.
    pub fn time_in(&self, kind: StateKind) -> i64 {
        self.by_kind[kind as usize]
    }
}

/// Waits of one kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Blocked {
    /// The reason.
    pub why: WaitReason,
    /// The total duration, ns.
    pub ns: i64,
}

impl Timeline {
    /// The states of a thread between two times. If states overlap, the earlier one counts.
    pub fn state_times(&self, trace: &Trace, utid: ThreadId, from: i64, to: i64) -> StateTimes {
        let mut times = StateTimes::default();
        let mut blocked = WaitTimes::default();
        let rows = self.states_of(utid);
        let mut at = self.first_state(trace, utid, from);
        let mut latest = from;
        while let Some(&row) = rows.get(at) {
            let (start, end) = state_extent(trace, row as usize);
            if start >= to {
                break;
            }
            let ns = end.min(to).saturating_sub(start.max(latest));
            latest = latest.max(end);
            at += 1;
            if ns <= 0 {
                continue;
            }
            let kind = StateKind::from_row(trace, row as usize);
            let time = &mut times.by_kind[kind as usize];
            *time = time.saturating_add(ns);
            if let Some(why) = WaitReason::of(trace, row, rows.get(at).copied()) {
                blocked.add(why, ns);
            }
        }
        times.blocked = blocked.sorted();
        times
    }

    /// The index of the first state of a thread that ends after `from`.
    pub(super) fn first_state(&self, trace: &Trace, utid: ThreadId, from: i64) -> usize {
        let extent = |row| state_extent(trace, row);
        let window = super::Window {
            from_ns: from,
            to_ns: i64::MAX,
            px_ns: 1.0,
        };
        window.next(
            &self
                .states
                .spans(self.same_threads.with_states(utid).row(), &extent),
            0,
            -1.0,
        )
    }

    /// The thread that ended the state at an index: the waker recorded with the next state.
    pub fn waker_behind(&self, trace: &Trace, utid: ThreadId, at: usize) -> ThreadId {
        let next = self.states_of(utid).get(at + 1);
        next.map_or(ThreadId::NONE, |&row| {
            trace.thread_states.waker_utid.get(row as usize)
        })
    }
}

/// The times of waits by reason, a table for each state.
#[derive(Default)]
struct WaitTimes(Vec<(StateKind, Tally)>);

impl WaitTimes {
    fn add(&mut self, why: WaitReason, ns: i64) {
        let place = self.0.iter().position(|(state, _)| *state == why.state);
        let place = place.unwrap_or_else(|| {
            self.0.push((why.state, Tally::default()));
            self.0.len() - 1
        });
        let number = u64::from(why.function.0) << 32 | u64::from(why.waker.0);
        self.0[place].1.add(number, ns);
    }

    /// The waits, the longest first.
    fn sorted(self) -> Vec<Blocked> {
        let mut all = Vec::new();
        for (state, tally) in self.0 {
            all.extend(tally.sorted().into_iter().map(|sum| Blocked {
                why: WaitReason {
                    state,
                    function: StringId((sum.number >> 32) as u32),
                    waker: ThreadId(sum.number as u32),
                },
                ns: sum.ns,
            }));
        }
        sort::by_key(&mut all, |one| (Reverse(one.ns), one.why));
        all
    }
}
