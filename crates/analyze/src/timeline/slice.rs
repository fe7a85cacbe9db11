//! Details of one slice.

use serde::Deserialize;
use traceloom_trace::{NO_DURATION, RowId, SliceId, ThreadId, Trace, TrackId};

use super::names::NameId;
use super::slice_repairs::SliceRepair;
use super::state_times::StateTimes;
use super::tally::{Tallied, Tally};
use super::{StateKind, Timeline, state_extent};

/// A direction from a slice to a neighbour.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// The next slice on its level.
    Next,
    /// The previous slice on its level.
    Previous,
    /// Its parent.
    Parent,
    /// Its first child.
    Child,
}

/// The children of a slice with the same name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChildName {
    /// The name.
    pub name: NameId,
    /// The number of slices.
    pub count: u64,
    /// Their total time, ns.
    pub total_ns: i64,
}

/// The numbers of a slice.
#[derive(Clone, PartialEq, Debug)]
pub struct SliceDetails {
    /// Its start, ns.
    pub ts: i64,
    /// Its end, or the time it is drawn to, ns.
    pub end: i64,
    /// Its exclusive time, ns.
    pub self_ns: i64,
    /// Its CPU time, ns, if known.
    pub cpu_ns: Option<i64>,
    /// Its exclusive CPU time, ns, if known.
    pub cpu_self_ns: Option<i64>,
    /// Its share of its parent, 0 to 1.
    pub share_of_parent: Option<f64>,
    /// Its share of the time of its track: from the first to the last event for methods, else the time in slices.
    pub share_of_thread: Option<f64>,
    /// The states of its thread, if the scheduler was recorded.
    pub states: Option<StateTimes>,
    /// The number of its children.
    pub children: u64,
    /// Its children by name, the longest total time first.
    pub child_names: Vec<ChildName>,
    /// Its repairs.
    pub repairs: Vec<SliceRepair>,
}

impl Timeline {
    /// The numbers of a slice.
    pub fn slice(&self, trace: &Trace, slice: SliceId) -> SliceDetails {
        let row = slice.row();
        let (ts, end) = (trace.slices.ts.get(row), self.end_of(trace, row));
        let track = trace.slices.track_id.get(row);
        let total = end.saturating_sub(ts);
        let children: Vec<u32> = self.lanes.children(trace, &self.ends, row).collect();
        let length = |row: usize| {
            self.end_of(trace, row)
                .saturating_sub(trace.slices.ts.get(row))
        };
        let within = sum(&children, &length);
        let share = |whole: i64| (whole > 0).then(|| total as f64 / whole as f64);
        let parent = trace.slices.parent_id.get(row).some();
        let span = self.ends.span(track.row());
        let thread_ns = match span.methods {
            0 => span.busy_ns,
            _ => span.last_ns.saturating_sub(span.first_ns),
        };
        let thread = self.thread_of(trace, track);
        let states = thread.map(|utid| self.state_times(trace, utid, ts, end));
        let (cpu_ns, cpu_self_ns) = self.cpu_times(trace, slice, &children);
        SliceDetails {
            ts,
            end,
            self_ns: total.saturating_sub(within).max(0),
            cpu_ns,
            cpu_self_ns,
            share_of_parent: parent.and_then(|parent| share(length(parent.row()))),
            share_of_thread: share(thread_ns),
            states,
            children: children.len() as u64,
            child_names: self.child_names(trace, &children),
            repairs: self.repairs_of(trace, slice),
        }
    }

    /// The thread of a track, if it has scheduler events.
    fn thread_of(&self, trace: &Trace, track: TrackId) -> Option<ThreadId> {
        let utid = trace.track_thread(track)?;
        (!self.states_of(utid).is_empty()).then_some(utid)
    }

    fn child_names(&self, trace: &Trace, children: &[u32]) -> Vec<ChildName> {
        let mut by_name = Tally::default();
        for &child in children {
            let row = child as usize;
            let ns = self
                .end_of(trace, row)
                .saturating_sub(trace.slices.ts.get(row));
            by_name.add(u64::from(self.names.of_slice(row).0), ns);
        }
        let name = |sum: Tallied| ChildName {
            name: NameId(sum.number as u32),
            count: sum.count,
            total_ns: sum.ns,
        };
        by_name.sorted().into_iter().map(name).collect()
    }

    /// CPU time with and without children: from the clock of the thread, else from the scheduler.
    fn cpu_times(
        &self,
        trace: &Trace,
        slice: SliceId,
        children: &[u32],
    ) -> (Option<i64>, Option<i64>) {
        let clock = |row: usize| trace.slices.thread_dur.get(row);
        let own = clock(slice.row());
        if own != NO_DURATION {
            let within = sum(children, &|child| clock(child).max(0));
            return (Some(own), Some(own.saturating_sub(within).max(0)));
        }
        if trace.slices.thread_ts.get(slice.row()) != NO_DURATION {
            return (None, None);
        }
        let track = trace.slices.track_id.get(slice.row());
        let Some(utid) = self.thread_of(trace, track) else {
            return (None, None);
        };
        let running = self.running(trace, utid);
        let during =
            |row: usize| running.between(trace.slices.ts.get(row), self.end_of(trace, row));
        let own = during(slice.row());
        let within = sum(children, &during);
        (Some(own), Some(own.saturating_sub(within).max(0)))
    }

    /// The runs of a thread, with running sums.
    fn running(&self, trace: &Trace, utid: ThreadId) -> Running {
        let mut running = Running::default();
        let mut latest = i64::MIN;
        for &row in self.states_of(utid) {
            let (start, end) = state_extent(trace, row as usize);
            let start = start.max(latest);
            latest = latest.max(end);
            if end > start && StateKind::from_row(trace, row as usize) == StateKind::Running {
                running.push(start, end);
            }
        }
        running
    }

    /// The neighbour of a slice.
    pub fn neighbour(&self, trace: &Trace, slice: SliceId, step: Step) -> Option<SliceId> {
        let row = slice.row();
        let track = trace.slices.track_id.get(row);
        let lane = match self.rows.joined(self.rows.place(track).row) {
            Some(joined) => joined.lane(trace, &self.ends, joined.level_of(slice)),
            None => self.lane(trace, track, self.lanes.level_of(trace, row)),
        };
        let beside = |at: Option<usize>| lane.ids().get(at?).copied().map(SliceId);
        match step {
            Step::Parent => trace.slices.parent_id.get(row).some(),
            Step::Child => self
                .lanes
                .children(trace, &self.ends, row)
                .next()
                .map(SliceId),
            Step::Next => beside(lane.place_of(row).map(|at| at + 1)),
            Step::Previous => beside(lane.place_of(row).and_then(|at| at.checked_sub(1))),
        }
    }
}

/// The total time of some slices.
fn sum(slices: &[u32], ns: &dyn Fn(usize) -> i64) -> i64 {
    let mut sum = 0i64;
    for &slice in slices {
        sum = sum.saturating_add(ns(slice as usize));
    }
    sum
}

/// The periods in which a thread ran, with the running time before each.
#[derive(Default)]
struct Running {
    stretches: Vec<(i64, i64, i64)>,
}

impl Running {
    fn push(&mut self, start: i64, end: i64) {
        let before = self.stretches.last().map_or(0, |&(start, end, before)| {
            before.saturating_add(end.saturating_sub(start))
        });
        self.stretches.push((start, end, before));
    }

    fn between(&self, from: i64, to: i64) -> i64 {
        self.until(to).saturating_sub(self.until(from)).max(0)
    }

    fn until(&self, ts: i64) -> i64 {
        let found = self.stretches.partition_point(|(start, ..)| *start <= ts);
        match found.checked_sub(1).map(|at| self.stretches[at]) {
            Some((start, end, before)) => before.saturating_add(ts.min(end).saturating_sub(start)),
            None => 0,
        }
    }
}
