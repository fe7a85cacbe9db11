//! The events of a row: those of the event table that belong to its thread, or happened on its CPU.

use traceloom_trace::{ThreadId, Trace};

use super::Timeline;
use super::downsample::{Moments, Window};
use super::rows::{RowKind, TimelineRow};

/// An event to draw: the first one in its pixel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ShownEvent {
    /// The row of the event table.
    pub id: u32,
    /// Its time, ns.
    pub ts: i64,
    /// The number of events in its pixel.
    pub count: u32,
}

impl Timeline {
    /// The rows of the event table that belong to a thread, in order of time.
    pub fn events_of(&self, thread: ThreadId) -> &[u32] {
        self.thread_events.rows(thread.0 as usize)
    }

    /// The rows of the event table that happened on a CPU, in order of time.
    pub fn events_on(&self, cpu: u32) -> &[u32] {
        self.cpu_events.rows(cpu as usize)
    }

    /// The rows of the event table that a row of the timeline shows.
    pub fn events_in(&self, row: &TimelineRow) -> &[u32] {
        match row.kind {
            RowKind::Thread => self.events_of(row.utid),
            RowKind::Cpu => self.events_on(row.cpu),
            _ => &[],
        }
    }

    /// The event of a row that is nearest to a point in time; on a tie, the earlier one.
    pub fn event_at(&self, trace: &Trace, row: &TimelineRow, ts: i64) -> Option<u32> {
        let rows = self.events_in(row);
        let when = |row: u32| trace.ftrace_events.ts.get(row as usize);
        let after = rows.partition_point(|&row| when(row) < ts);
        let near = &rows[after.saturating_sub(1)..rows.len().min(after + 1)];
        near.iter()
            .copied()
            .min_by_key(|&row| when(row).abs_diff(ts))
    }

    pub(super) fn events(
        &self,
        trace: &Trace,
        row: &TimelineRow,
        window: &Window,
        out: &mut Vec<ShownEvent>,
    ) {
        let rows = self.events_in(row);
        let ts = |row: usize| trace.ftrace_events.ts.get(row);
        let spans = Moments { rows, ts: &ts };
        let before = |time: i64| rows.partition_point(|&row| ts(row as usize) < time);
        let (mut at, end) = (before(window.from_ns), before(window.to_ns));
        while at < end {
            let start = ts(rows[at] as usize);
            let next = if window.px_ns > 0.0 {
                window.next(&spans, at + 1, window.pixel(start)).min(end)
            } else {
                at + 1
            };
            out.push(ShownEvent {
                id: rows[at],
                ts: start,
                count: (next - at) as u32,
            });
            at = next;
        }
    }
}
