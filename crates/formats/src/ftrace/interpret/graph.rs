//! Calls of kernel functions, from the function_graph tracer.

use traceloom_trace::{
    ArgSetId, RepairKind, RowId, SliceBegin, SliceId, ThreadId, TraceBuilder, TrackId, TrackType,
};

use super::interpreter::Interpreter;
use super::position::{At, Position};
use super::state::GraphCpu;
use crate::ftrace::event::{GraphCall, GraphRow, Record};
use crate::ftrace::graph::NO_TID;

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

    /// Adds a call to its track; returns where it ends.
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
            GraphCall::Exit => {
                let begin = out
                    .open_slice(track)
                    .map(|open: SliceId| out.trace().slices.ts.get(open.row()));
                let Some(begin) = begin else {
                    self.history.unmatched_at(position.place().with_ts(ts));
                    return ts;
                };
                let end = match row.dur {
                    Some(dur) if !row.timed => ts.max(begin.saturating_add(dur)),
                    _ => ts,
                };
                out.end_slice(track, end, None);
                end
            }
            GraphCall::Comment(text) => {
                let name = out.intern(text);
                out.instant(track, ts, name, ArgSetId::NONE);
                ts
            }
            GraphCall::Switch => ts,
        }
    }

    fn graph_cpu(&mut self, cpu: u32) -> &mut GraphCpu {
        self.graph.get_mut(cpu as usize)
    }
}

/// The track for functions, separate from the thread's own slices.
fn function_row(utid: ThreadId, out: &mut TraceBuilder) -> TrackId {
    let name = out.intern(b"functions");
    out.thread_named_track(TrackType::ThreadFuncgraph, utid, name)
}
