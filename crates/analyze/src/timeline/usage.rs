//! The use of threads, CPUs and counters in a range of time.

use traceloom_trace::{ThreadId, Trace, TrackId};

use super::downsample::Window;
use super::order::is_idle_thread;
use super::tally::Tally;
use super::{MinMax, StateKind, Timeline, run_extent, state_extent};
use crate::partition::first_index_not;
use crate::tree::TimeRange;

/// The use of a CPU.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CpuUse {
    /// The CPU.
    pub cpu: u32,
    /// Time in which a thread ran, ns.
    pub busy_ns: i64,
    /// The threads that ran on it and their times, longest first.
    pub top: Vec<(ThreadId, i64)>,
}

/// The values of a counter.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CounterUse {
    /// The smallest and the largest value.
    pub extremes: MinMax,
    /// The mean, weighted by the time that each value held.
    pub mean: f64,
    /// The value at the end.
    pub last: f64,
}

impl Timeline {
    /// The time of a thread in each [`StateKind`], ns. If states overlap, the earlier one counts.
    pub fn thread_use(
        &self,
        trace: &Trace,
        utid: ThreadId,
        range: TimeRange,
    ) -> [i64; StateKind::COUNT] {
        let mut times = [0i64; StateKind::COUNT];
        let mut latest = range.from_ns;
        let first = self.first_state(trace, utid, range.from_ns);
        for &row in self.states_of(utid).iter().skip(first) {
            let (start, end) = state_extent(trace, row as usize);
            if start >= range.to_ns {
                break;
            }
            let ns = end.min(range.to_ns).saturating_sub(start.max(latest));
            latest = latest.max(end);
            let time = &mut times[StateKind::from_row(trace, row as usize) as usize];
            *time = time.saturating_add(ns.max(0));
        }
        times
    }

    /// The use of a CPU. If runs overlap, the earlier one counts.
    pub fn cpu_use(&self, trace: &Trace, cpu: u32, range: TimeRange) -> CpuUse {
        let extent = |row| run_extent(trace, row);
        let spans = self.runs.spans(cpu as usize, &extent);
        let mut by_thread = Tally::default();
        let mut latest = range.from_ns;
        for &row in spans
            .rows
            .iter()
            .skip(starting(range).next(&spans, 0, -1.0))
        {
            let (start, end) = extent(row as usize);
            if start >= range.to_ns {
                break;
            }
            let ns = end.min(range.to_ns).saturating_sub(start.max(latest));
            latest = latest.max(end);
            let utid = trace.sched_slices.utid.get(row as usize);
            if ns > 0 && !is_idle_thread(trace, utid) {
                by_thread.add(u64::from(utid.0), ns);
            }
        }
        let top = by_thread.sorted().into_iter();
        let top: Vec<(ThreadId, i64)> = top
            .map(|sum| (ThreadId(sum.number as u32), sum.ns))
            .collect();
        let busy_ns = top
            .iter()
            .fold(0i64, |sum, (_, ns)| sum.saturating_add(*ns));
        CpuUse { cpu, busy_ns, top }
    }

    /// The values of a counter; `None` if it had no value before the end of the range.
    pub fn counter_use(
        &self,
        trace: &Trace,
        track: TrackId,
        range: TimeRange,
    ) -> Option<CounterUse> {
        let rows = self.values_of(track);
        let ts = |at: usize| trace.counters.ts.get(rows[at] as usize);
        let value = |at: usize| trace.counters.value.get(rows[at] as usize);
        let inside = first_index_not(rows.len(), |&at| ts(at) <= range.from_ns);
        // The value that holds at the start of the range counts, too.
        let first = inside.saturating_sub(1);
        let end = first_index_not(rows.len(), |&at| ts(at) < range.to_ns).max(inside);
        let last = value(end.checked_sub(1)?);
        let until = range.to_ns.min(trace.bounds.1);
        let (mut weighted, mut time) = (0.0, 0.0);
        for at in first..end {
            let from = ts(at).max(range.from_ns);
            let to = if at + 1 < end { ts(at + 1) } else { until };
            let held = to.saturating_sub(from).max(0) as f64;
            (weighted, time) = (weighted + value(at) * held, time + held);
        }
        Some(CounterUse {
            extremes: self.extremes_of(trace, track, first, end),
            mean: if time > 0.0 { weighted / time } else { last },
            last,
        })
    }
}

/// A window that starts with the range.
pub(super) fn starting(range: TimeRange) -> Window {
    Window {
        from_ns: range.from_ns,
        to_ns: range.to_ns,
        px_ns: 1.0,
    }
}

/// The part of a range in which the trace has events.
pub fn inside(trace: &Trace, range: Option<TimeRange>) -> TimeRange {
    let (first, last) = trace.bounds;
    let range = range.unwrap_or(TimeRange::ALL);
    TimeRange {
        from_ns: range.from_ns.clamp(first, last),
        to_ns: range.to_ns.clamp(first, last.saturating_add(1)),
    }
}
