//! Calls of kernel functions, from the function_graph tracer.
//!
//! Printed times are in microseconds, printed durations in nanoseconds. Binary records have exact times, but the kernel
//! reads the clock for them a little later than for the duration. A clock for each CPU and each track holds the end of
//! the last row. A row happens at its own time, but not before the clock, and a call lasts as long as its own duration.
//! So short calls have their real durations, calls next to each other do not overlap, and calls stay inside their
//! callers.

use traceloom_trace::{
    ArgSetId, RepairKind, RowId, SliceBegin, SliceId, ThreadId, TraceBuilder, TrackId, TrackType,
};

use super::interpreter::Interpreter;
use super::position::{At, Position};
use super::state::GraphCpu;
use crate::ftrace::event::{GraphCall, GraphRow, Record};
use crate::ftrace::graph::NO_TID;

/// The most that a clock may be ahead of a row's time, and a duration may differ from the rows' times, ns. Printed
/// times are cut to microseconds, and the tracer itself takes time between the two. A larger difference shows a damaged
/// row, or a duration without the time that the task slept (`nosleep-time`). Then the row's time counts.
const ROUNDING_NS: i64 = 2_000;

/// When a row happened.
#[derive(Clone, Copy, Debug)]
struct When {
    /// The time of the row, ns.
    ts: i64,
    /// The end of the rows before it, ns. No call ends before this.
    after: i64,
    /// How far from `ts` a call's duration may place its end, ns.
    tolerance: u64,
}

impl When {
    /// The row has no time; it follows the row before it.
    fn untimed(cursor_ns: i64) -> Self {
        Self {
            ts: cursor_ns,
            after: cursor_ns,
            tolerance: u64::MAX,
        }
    }

    /// The row has a time, which may be rounded.
    fn timed(own: i64, clock: i64) -> Self {
        let is_ahead = clock > own.saturating_add(ROUNDING_NS);
        let after = if is_ahead { own } else { clock };
        Self {
            ts: own.max(after),
            after,
            tolerance: ROUNDING_NS.unsigned_abs(),
        }
    }

    /// The end of a call that began at `begin`.
    fn end(self, begin: i64, dur: Option<i64>) -> i64 {
        let end = dur.map(|dur| begin.saturating_add(dur));
        end.filter(|end| end.abs_diff(self.ts) <= self.tolerance)
            .map_or(self.ts, |end| end.max(self.after))
    }
}

/// The maximum number of open calls that are searched for the one that ends. The kernel traces fewer.
const DEEPEST: usize = 512;

impl Interpreter {
    /// Adds a row of the tracer's own output. If rows have no times, the time line of each CPU is
    /// built from the durations of its calls.
    pub(super) fn graph_row(
        &mut self,
        record: &Record<'_>,
        row: GraphRow<'_>,
        position: Position,
        out: &mut TraceBuilder,
    ) {
        let cpu = record.cpu;
        let state = self.graph_cpu(cpu);
        if record.tid != NO_TID {
            state.tid = Some(record.tid);
        }
        let tid = state.tid;
        if !row.timed && row.call.is_entry() {
            out.repair(RepairKind::RebuiltTime, 1, position.place(), || {
                "the rows have no time; each CPU's calls stand one after another".to_owned()
            });
        }
        self.events += u64::from(row.call.is_entry());
        let slot = tid.map(|tid| self.threads.current(tid, position, out));
        if let Some(slot) = slot {
            self.threads.name(slot, record.comm, out);
        }
        let track = match slot {
            Some(slot) => function_row(self.threads.slot(slot).utid, out),
            None => {
                let name = out.intern(b"functions");
                out.cpu_track(TrackType::CpuFuncgraph, cpu, name)
            }
        };
        if row.timed {
            return self.timed_call((track, cpu), record.ts, row, position, out);
        }
        let when = When::untimed(self.graph_cpu(cpu).cursor_ns);
        self.graph_cpu(cpu).cursor_ns = self.call(track, when, row, position, out);
    }

    /// Adds a row that has a thread and a time. Such rows come from trace-cmd, from the tracer with `funcgraph-proc`,
    /// and from binary traces.
    pub(super) fn graph_event(&mut self, at: At, row: GraphRow<'_>, out: &mut TraceBuilder) {
        let track = function_row(at.utid, out);
        self.timed_call((track, at.cpu), at.ts, row, at.position, out);
    }

    /// Adds a row with a time.
    fn timed_call(
        &mut self,
        (track, cpu): (TrackId, u32),
        ts: i64,
        row: GraphRow<'_>,
        position: Position,
        out: &mut TraceBuilder,
    ) {
        let track_clock = self.graph_ends.get(track.row());
        let clock = self.graph_cpu(cpu).cursor_ns.max(track_clock);
        let when = When::timed(ts, clock);
        let end = self.call(track, when, row, position, out);
        self.graph_cpu(cpu).cursor_ns = end;
        *self.graph_ends.get_mut(track.row()) = end;
    }

    /// Adds a call to its track; returns its end time.
    fn call(
        &mut self,
        track: TrackId,
        when: When,
        row: GraphRow<'_>,
        position: Position,
        out: &mut TraceBuilder,
    ) -> i64 {
        let ts = when.ts;
        match row.call {
            GraphCall::Enter(name) => {
                let name = out.intern(name);
                out.begin_slice(track, SliceBegin::named(ts, name));
                ts
            }
            GraphCall::Leaf(name) => {
                let name = out.intern(name);
                let dur = row.dur.unwrap_or(0);
                out.whole_slice(track, SliceBegin::named(ts, name), dur);
                ts.saturating_add(dur)
            }
            GraphCall::Exit(name) => {
                self.function_exit(track, when, (name, row.dur), position, out)
            }
            GraphCall::Comment(text) => {
                let name = out.intern(text);
                out.instant(track, ts, name, ArgSetId::NONE);
                ts
            }
            GraphCall::Switch | GraphCall::Interrupt => ts,
        }
    }

    /// Ends a call; returns its end time. Calls inside it whose ends are lost end with it.
    fn function_exit(
        &mut self,
        track: TrackId,
        when: When,
        (name, dur): (&[u8], Option<i64>),
        position: Position,
        out: &mut TraceBuilder,
    ) -> i64 {
        let place = position.place().with_ts(when.ts);
        let Some(inner) = calls_inside(track, name, out) else {
            self.history.unmatched_at(place);
            return when.ts;
        };
        let open = out.open_slices(track).iter().rev().nth(inner).copied();
        let begin = open.map_or(when.ts, |open: SliceId| {
            out.trace().slices.ts.get(open.row())
        });
        let end = when.end(begin, dur);
        for _ in 0..=inner {
            out.end_slice(track, end, None);
        }
        out.repair(RepairKind::MissingExit, inner as u64, place, || {
            "the end of a function is missing".to_owned()
        });
        end
    }

    fn graph_cpu(&mut self, cpu: u32) -> &mut GraphCpu {
        self.graph.get_mut(cpu as usize)
    }
}

/// The number of open calls inside the one that ends; `None` if no open call has this name. Without a name, the
/// innermost call ends.
fn calls_inside(track: TrackId, name: &[u8], out: &TraceBuilder) -> Option<usize> {
    let trace = out.trace();
    let is_it = |id: &SliceId| {
        let open = trace.strings.get(trace.slices.name.get(id.row()));
        // The kernel prints the module after the name.
        let open = open.split(' ').next().unwrap_or_default();
        name.is_empty() || open.as_bytes() == name
    };
    let open = out.open_slices(track).iter().rev();
    open.take(DEEPEST).position(is_it)
}

/// The track for functions, separate from the thread's own slices.
fn function_row(utid: ThreadId, out: &mut TraceBuilder) -> TrackId {
    let name = out.intern(b"functions");
    out.thread_named_track(TrackType::ThreadFuncgraph, utid, name)
}

#[cfg(test)]
mod tests;
