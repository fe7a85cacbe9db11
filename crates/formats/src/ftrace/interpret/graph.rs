//! Calls of kernel functions, from the function_graph tracer.

use traceloom_trace::{
    ArgSetId, RepairKind, RowId, SliceBegin, SliceId, ThreadId, TraceBuilder, TrackId, TrackType,
};

use super::interpreter::Interpreter;
use super::position::{At, Position};
use super::state::GraphCpu;
use crate::ftrace::event::{GraphCall, GraphRow, Record};
use crate::ftrace::graph::NO_TID;

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
        let ts = if row.timed {
            record.ts
        } else {
            state.cursor_ns
        };
        if !row.timed && row.call != GraphCall::Switch {
            out.repair(RepairKind::RebuiltTime, 1, position.place(), || {
                "the rows have no time; each CPU's calls stand one after another".to_owned()
            });
        }
        self.events += u64::from(row.call != GraphCall::Switch);
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
        let end = self.call(track, ts, row, position, out);
        self.graph_cpu(cpu).cursor_ns = end;
    }

    /// Adds a row of trace-cmd, which has the usual prefix.
    pub(super) fn graph_event(&mut self, at: At, row: GraphRow<'_>, out: &mut TraceBuilder) {
        let track = function_row(at.utid, out);
        self.call(track, at.ts, row, at.position, out);
    }

    /// Adds a call to its track; returns its end time.
    fn call(
        &mut self,
        track: TrackId,
        ts: i64,
        row: GraphRow<'_>,
        position: Position,
        out: &mut TraceBuilder,
    ) -> i64 {
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
            GraphCall::Exit(name) => self.function_exit(track, ts, (name, row), position, out),
            GraphCall::Comment(text) => {
                let name = out.intern(text);
                out.instant(track, ts, name, ArgSetId::NONE);
                ts
            }
            GraphCall::Switch => ts,
        }
    }

    /// Ends a call; returns its end time. Calls inside it whose ends are lost end with it.
    fn function_exit(
        &mut self,
        track: TrackId,
        ts: i64,
        (name, row): (&[u8], GraphRow<'_>),
        position: Position,
        out: &mut TraceBuilder,
    ) -> i64 {
        let Some(inner) = calls_inside(track, name, out) else {
            self.history.unmatched_at(position.place().with_ts(ts));
            return ts;
        };
        for _ in 0..inner {
            out.end_slice(track, ts, None);
        }
        out.repair(
            RepairKind::MissingExit,
            inner as u64,
            position.place().with_ts(ts),
            || "the end of a function is missing".to_owned(),
        );
        let begin = out.open_slice(track);
        let begin = begin.map_or(ts, |open: SliceId| out.trace().slices.ts.get(open.row()));
        let end = match row.dur {
            Some(dur) if !row.timed => ts.max(begin.saturating_add(dur)),
            _ => ts,
        };
        out.end_slice(track, end, None);
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
