//! Merges traces.

mod ids;
mod tasks;
mod times;

use crate::builder::TraceBuilder;
use crate::ids::{RowId, ThreadId};
use crate::tables::{NO_DURATION, ThreadRow};
use crate::trace::Trace;
use ids::Ids;
use tasks::Tasks;

pub use tasks::Shared;

impl Trace {
    /// Appends the rows of `other`, with `shift_ns` added to its times.
    ///
    /// ```text
    /// self    a     b  b'    c          sources 0, 1
    /// other      x     y        z       sources 0     ─> 2
    /// merged  a  x  b  b' y  c  z       by (ts, self before other, arrival)
    /// ```
    /// Ids of `other` follow those of `self`, and strings are interned again. Nothing is unified: a pid in both traces
    /// means two processes, each with its own source. Only the reserved rows are shared: the first idle thread takes
    /// the reserved row of threads, and further idle threads are appended like other threads. The threads' CPU clocks
    /// are not shifted. A time that does not fit into 64 bits is clamped.
    ///
    /// Runs on CPUs and thread states that are open when their own trace ends are closed there if the other
    /// trace ends later: what came after was not recorded.
    pub fn append(&mut self, mut other: Self, shift_ns: i64) {
        let bounds = match (self.has_times(), other.has_times()) {
            (_, false) => self.bounds,
            (false, true) => shifted_bounds(&other, shift_ns),
            (true, true) => {
                let (first, last) = shifted_bounds(&other, shift_ns);
                (self.bounds.0.min(first), self.bounds.1.max(last))
            }
        };
        self.close_stretches(bounds.1);
        other.close_stretches(bounds.1.saturating_sub(shift_ns));
        let tasks = Tasks::separate(self, &other);
        self.push_rows_of(other, shift_ns, &tasks);
        self.bounds = bounds;
        self.put_in_order();
    }

    /// Closes open runs and states at the end of this trace, if the time line ends later.
    fn close_stretches(&mut self, line_ends: i64) {
        let end = self.bounds.1;
        if end >= line_ends {
            return;
        }
        let (ran, states) = (&mut self.sched_slices, &mut self.thread_states);
        for (ts, dur) in [(&ran.ts, &mut ran.dur), (&states.ts, &mut states.dur)] {
            for row in 0..dur.len() {
                if dur.get(row) == NO_DURATION {
                    *dur.get_mut(row) = end.saturating_sub(ts.get(row)).max(0);
                }
            }
        }
    }

    /// Whether any row has a time. Otherwise, the bounds have no meaning.
    fn has_times(&self) -> bool {
        !(self.slices.is_empty()
            && self.counters.is_empty()
            && self.sched_slices.is_empty()
            && self.thread_states.is_empty()
            && self.wakeups.is_empty()
            && self.ftrace_events.is_empty()
            && self.bounds == (0, 0))
    }

    /// Whether the trace has no content at all.
    fn is_blank(&self) -> bool {
        !self.has_times()
            && self.strings.is_empty()
            && self.sources.is_empty()
            && self.real_processes().next().is_none()
            && self.real_threads().next().is_none()
            && self.tracks.is_empty()
            && self.methods.is_empty()
            && self.args.is_empty()
            && self.records.is_empty()
            && self.metadata.is_empty()
            && self.clocks.is_empty()
            && self.repairs.rows().is_empty()
    }

    /// Puts an idle thread into the reserved row.
    fn take_idle_thread(&mut self, idle: ThreadRow) {
        let (threads, row) = (&mut self.threads, ThreadId::IDLE.row());
        *threads.name.get_mut(row) = idle.name;
        *threads.start_ts.get_mut(row) = idle.start_ts;
        *threads.end_ts.get_mut(row) = idle.end_ts;
        *threads.source.get_mut(row) = idle.source;
    }

    /// Appends the rows, not in order of time. Each table is freed when its rows have been added.
    fn push_rows_of(&mut self, mut other: Self, shift_ns: i64, tasks: &Tasks) {
        other.remap(&mut Ids::new(self, &other, tasks));
        other.shift_times(shift_ns);
        if !self.has_idle_thread() {
            self.take_idle_thread(other.threads.row(ThreadId::IDLE.row()));
        }
        self.complete(&other, tasks);
        self.sources.append(other.sources, |_| true);
        let is_apart = |shared: &[Option<u32>], row: usize| shared[row].is_none();
        self.processes
            .append(other.processes, |row| is_apart(&tasks.processes, row));
        self.threads
            .append(other.threads, |row| is_apart(&tasks.threads, row));
        self.tracks.append(other.tracks, |_| true);
        self.methods.append(other.methods, |_| true);
        self.slices.append(other.slices, |_| true);
        self.flows.append(other.flows, |_| true);
        self.counters.append(other.counters, |_| true);
        self.exact_counters.append(other.exact_counters, |_| true);
        self.ftrace_events.append(other.ftrace_events, |_| true);
        self.sched_slices.append(other.sched_slices, |_| true);
        self.thread_states.append(other.thread_states, |_| true);
        self.run_ends.append(other.run_ends, |_| true);
        self.wakeups.append(other.wakeups, |_| true);
        self.thread_names.append(other.thread_names, |_| true);
        self.args.append(other.args);
        self.records.append(other.records);
        self.metadata.append(other.metadata, |_| true);
        self.clocks.extend(other.clocks);
        for row in other.repairs.rows() {
            let detail = || row.detail.clone();
            self.repairs
                .add(row.source, row.kind, row.count, row.first, detail);
        }
    }
}

impl TraceBuilder {
    /// Appends a finished trace, as [`Trace::append`] does, for a reader whose input contains whole traces. The
    /// current source does not change. Slices that are open in `other` stay open and are not counted again. If
    /// the builder is empty, nothing is copied.
    pub fn append(&mut self, other: Trace, shift_ns: i64) {
        if other.has_times() {
            let (first, last) = shifted_bounds(&other, shift_ns);
            self.saw_time(first);
            self.saw_time(last);
        }
        if shift_ns == 0 && self.trace.is_blank() {
            self.trace = other;
        } else {
            let tasks = Tasks::separate(&self.trace, &other);
            self.trace.push_rows_of(other, shift_ns, &tasks);
        }
    }

    /// Appends a finished trace of the same recording. Its processes and threads become those of this trace that have
    /// the same numbers on the same machine; only rows from `shared` on are compared. The last source of the trace
    /// becomes the current one.
    pub fn append_shared(&mut self, other: Trace, shift_ns: i64, shared: Shared) {
        if other.has_times() {
            let (first, last) = shifted_bounds(&other, shift_ns);
            self.saw_time(first);
            self.saw_time(last);
        }
        let tasks = Tasks::shared(&self.trace, &other, shared);
        self.trace.push_rows_of(other, shift_ns, &tasks);
        self.continue_last_source();
    }

    /// Like [`append`](Self::append). The last source of the trace becomes the current one.
    pub fn append_sources(&mut self, other: Trace, shift_ns: i64) {
        self.append(other, shift_ns);
        self.continue_last_source();
    }
}

/// The bounds after the shift.
fn shifted_bounds(trace: &Trace, shift_ns: i64) -> (i64, i64) {
    let (first, last) = trace.bounds;
    (
        first.saturating_add(shift_ns),
        last.saturating_add(shift_ns),
    )
}

#[cfg(test)]
mod tests;
