//! The state of everything at a point in time, and wake-ups between threads.

use std::cmp::Reverse;

use traceloom_trace::{RowId, SliceId, ThreadId, Trace, TrackId, sort};

use super::downsample::{Spans, Window};
use super::{StateKind, Timeline, run_extent, state_extent};

/// The wake-up of one thread by another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Wakeup {
    /// Its time, ns.
    pub ts: i64,
    /// The thread that woke the other.
    pub waker: ThreadId,
    /// The thread that was woken.
    pub woken: ThreadId,
}

/// The most states to search for threads that a slice woke.
const MOST_STATES: usize = 1 << 20;

impl Timeline {
    /// The row of the state of a thread at a time.
    pub fn state_at(&self, trace: &Trace, utid: ThreadId, ts: i64) -> Option<u32> {
        let rows = self.states_of(utid);
        let at = self.first_state(trace, utid, ts);
        rows.get(at)
            .copied()
            .filter(|&row| state_extent(trace, row as usize).0 <= ts)
    }

    /// The run on a CPU at a time: a row of the sched_slice table.
    pub fn run_at(&self, trace: &Trace, cpu: u32, ts: i64) -> Option<u32> {
        let extent = |row| run_extent(trace, row);
        let spans = self.runs.spans(cpu as usize, &extent);
        let at = moment(ts).next(&spans, 0, -1.0);
        spans
            .rows
            .get(at)
            .copied()
            .filter(|&row| extent(row as usize).0 <= ts)
    }

    /// The innermost slice of a track at a time.
    pub fn slice_at(&self, trace: &Trace, track: TrackId, ts: i64) -> Option<SliceId> {
        let mut found = None;
        for level in 0..self.lanes.levels(track) {
            let lane = self.lane(trace, track, level);
            let at = moment(ts).next(&lane, 0, -1.0);
            if at >= lane.count() || lane.start(at) > ts {
                break;
            }
            found = Some(SliceId(lane.ids()[at]));
        }
        found
    }

    /// The innermost slice of a thread at a time.
    pub fn slice_of_thread_at(&self, trace: &Trace, utid: ThreadId, ts: i64) -> Option<SliceId> {
        let row = self.rows.of_thread(utid);
        let mut tracks = self.rows.tracks(row).iter();
        tracks.find_map(|(track, _)| self.slice_at(trace, *track, ts))
    }

    /// The wake-up that belongs to the state of a thread at a time. If the thread sleeps, it is the one that ends the
    /// sleep, else the one that made the thread runnable.
    pub fn wakeup_at(&self, trace: &Trace, utid: ThreadId, ts: i64) -> Option<Wakeup> {
        let rows = self.states_of(utid);
        let at = self.first_state(trace, utid, ts);
        let kind = |at: usize| StateKind::from_row(trace, rows[at] as usize);
        let waits = |kind| {
            !matches!(
                kind,
                StateKind::Running | StateKind::Runnable | StateKind::Preempted
            )
        };
        let wakeup = |at: usize| {
            let row = *rows.get(at)? as usize;
            let waker = trace.thread_states.waker_utid.get(row).some()?;
            let ts = trace.thread_states.ts.get(row);
            Some(Wakeup {
                ts,
                waker,
                woken: utid,
            })
        };
        if at < rows.len() && waits(kind(at)) {
            return wakeup(at + 1);
        }
        // The thread may have been preempted several times since then.
        let mut back = at.min(rows.len().checked_sub(1)?);
        loop {
            if let Some(found) = wakeup(back) {
                return Some(found);
            }
            back = back.checked_sub(1)?;
            if waits(kind(back)) {
                return None;
            }
        }
    }

    /// The wake-ups that ended the longest waits of a thread between two times, in order of time.
    pub fn wakeups_of(
        &self,
        trace: &Trace,
        utid: ThreadId,
        from: i64,
        to: i64,
        limit: usize,
    ) -> Vec<Wakeup> {
        let rows = self.states_of(utid);
        let mut waits: Vec<(i64, Wakeup)> = Vec::new();
        let mut at = self.first_state(trace, utid, from);
        while let Some(&row) = rows.get(at) {
            let (start, end) = state_extent(trace, row as usize);
            if start >= to {
                break;
            }
            let waker = self.waker_behind(trace, utid, at);
            let blocked = trace.thread_states.state.get(row as usize).is_blocked();
            if blocked && waker != ThreadId::NONE && end <= to {
                let wakeup = Wakeup {
                    ts: end,
                    waker,
                    woken: utid,
                };
                waits.push((end.saturating_sub(start.max(from)), wakeup));
            }
            at += 1;
        }
        sort::by_key(&mut waits, |(ns, wakeup)| (Reverse(*ns), *wakeup));
        waits.truncate(limit);
        let mut wakeups: Vec<Wakeup> = waits.into_iter().map(|(_, wakeup)| wakeup).collect();
        sort::by_key(&mut wakeups, |one| *one);
        wakeups
    }

    /// The wake-ups by a thread between two times: the first `limit` in at most a million states.
    pub fn woken_by(
        &self,
        trace: &Trace,
        utid: ThreadId,
        from: i64,
        to: i64,
        limit: usize,
    ) -> Vec<Wakeup> {
        let states = &trace.thread_states;
        let first =
            crate::partition::first_index_not(states.len(), |&row| states.ts.get(row) < from);
        let mut woken = Vec::new();
        for row in (first..states.len()).take(MOST_STATES) {
            let ts = states.ts.get(row);
            if ts > to || woken.len() == limit {
                break;
            }
            if states.waker_utid.get(row) == utid {
                woken.push(Wakeup {
                    ts,
                    waker: utid,
                    woken: states.utid.get(row),
                });
            }
        }
        woken
    }

    /// The index of the last row at or before `ts`. The rows are in order of time.
    pub fn last_before(rows: &[u32], ts: i64, of: &dyn Fn(usize) -> i64) -> Option<usize> {
        rows.partition_point(|&row| of(row as usize) <= ts)
            .checked_sub(1)
    }
}

/// A window with one point in time.
fn moment(ts: i64) -> Window {
    Window {
        from_ns: ts,
        to_ns: ts.saturating_add(1),
        px_ns: 1.0,
    }
}
