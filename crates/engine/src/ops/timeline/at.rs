//! What a row shows at a moment.

use crate::json::{Map, Value, json};
use traceloom_analyze::timeline::{StateKind, Timeline, TimelineRow, run_extent, state_extent};
use traceloom_trace::{RowId, ThreadId, Trace};

use crate::ask::Ask;
use crate::cancel::Cancel;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::frame::Frame;
use crate::text::{DETAIL_CHARS, LIST_CHARS, cut};

pub(crate) fn at(engine: &Engine, ask: &Ask, _: &Cancel) -> Result<Frame, EngineError> {
    let (row, ts) = (ask.u32("row")?, engine.absolute(ask.f64("ts")?));
    let rows = &engine.timeline().rows.all;
    let Some(about) = rows.get(row as usize) else {
        return Err(EngineError::NoSuchRow {
            field: "row",
            id: row.into(),
            count: rows.len() as u64,
        });
    };
    let found = match ask.text("what")? {
        "state" => engine.state_at(about.utid, ts),
        "sched" => engine.run_at(about.cpu, ts),
        "counter" => engine.value_at(about, ts),
        "instant" => engine.instant_at(row, ts),
        other => {
            return Err(EngineError::Field {
                field: "what",
                expected: "state, sched, counter or instant",
                found: other.to_owned(),
            });
        }
    };
    Ok(match found {
        Some(fields) => Frame::new().with_all(&fields),
        None => Frame::new().with("none", true),
    })
}

impl Engine {
    fn thread_json(&self, utid: ThreadId) -> Value {
        json!({
            "utid": utid.0,
            "label": self.thread_label(utid),
            "row": self.timeline().rows.of_thread(utid),
        })
    }

    fn state_at(&self, utid: ThreadId, ts: i64) -> Option<Map> {
        let (trace, timeline) = (&self.trace, self.timeline());
        let found = timeline.state_at(trace, utid, ts)? as usize;
        let row = trace.thread_states.row(found);
        let (start, end) = state_extent(trace, found);
        let kind = StateKind::of(trace, found);
        let rows = timeline.states_of(utid);
        let at = rows.binary_search(&(found as u32)).unwrap_or(0);
        let woken_by = timeline.waker_behind(trace, utid, at);
        let thread = |utid: ThreadId| utid.some().map(|utid| self.thread_json(utid));
        Some(json!(fields {
            "state": kind as u8,
            "label": kind.name(),
            "letters": row.state.to_string(),
            "ts": self.relative(start),
            "end": self.relative(end),
            "dur": self.duration(row.dur),
            "cpu": (row.cpu != u32::MAX).then_some(row.cpu),
            "blocked_function": cut(trace.strings.get(row.blocked_function), LIST_CHARS),
            "io_wait": match row.io_wait { 0 => Some(false), 1 => Some(true), _ => None },
            "waker": thread(row.waker_utid),
            "ended_by": thread(woken_by),
            "thread": self.thread_json(utid),
            "priority": self.priority(trace, &row),
        }))
    }

    /// The priority of a running thread: that of the run on its CPU.
    fn priority(&self, trace: &Trace, row: &traceloom_trace::ThreadStateRow) -> Option<i32> {
        if row.cpu == u32::MAX {
            return None;
        }
        let run = self.timeline().run_at(trace, row.cpu, row.ts)? as usize;
        let is_it = trace.sched_slices.utid.get(run) == row.utid;
        is_it.then(|| trace.sched_slices.priority.get(run))
    }

    fn run_at(&self, cpu: u32, ts: i64) -> Option<Map> {
        let trace = &self.trace;
        let found = self.timeline().run_at(trace, cpu, ts)? as usize;
        let (row, (start, end)) = (trace.sched_slices.row(found), run_extent(trace, found));
        Some(json!(fields {
            "thread": self.thread_json(row.utid),
            "process": self.process_label(row.utid),
            "ts": self.relative(start),
            "end": self.relative(end),
            "dur": self.duration(row.dur),
            "cpu": cpu,
            "priority": row.priority,
            "end_state": StateKind::of_task(row.end_state, -1).name(),
            "end_letters": row.end_state.to_string(),
        }))
    }

    fn process_label(&self, utid: ThreadId) -> Option<String> {
        let upid = (utid.row() < self.trace.threads.len())
            .then(|| self.trace.threads.upid.get(utid.row()))?;
        let row = self.timeline().rows.of_process(upid);
        let row = self.timeline().rows.all.get(row as usize)?;
        Some(cut(&row.name, LIST_CHARS).into_owned())
    }

    fn value_at(&self, about: &TimelineRow, ts: i64) -> Option<Map> {
        let (trace, timeline) = (&self.trace, self.timeline());
        let rows = match about.track.0 {
            u32::MAX => &[],
            _ => timeline.values_of(about.track),
        };
        let at = Timeline::last_before(rows, ts, &|row| trace.counters.ts.get(row))?;
        let value = |at: usize| {
            let row = trace.counters.row(*rows.get(at)? as usize);
            Some(json!(fields {"ts": self.relative(row.ts), "value": row.value}))
        };
        let mut here = value(at)?;
        here.extend(&json!(fields {
            "previous": at.checked_sub(1).and_then(value),
            "next": value(at + 1),
            "label": cut(&about.name, LIST_CHARS),
            "unit": about.note,
        }));
        Some(here)
    }

    /// The instant next to a moment, with its arguments.
    fn instant_at(&self, row: u32, ts: i64) -> Option<Map> {
        let (trace, timeline) = (&self.trace, self.timeline());
        let when = |row: usize| trace.instants.ts.get(row);
        let near = |&(track, _): &(traceloom_trace::TrackId, u32)| {
            let rows = timeline.instants_of(track);
            let after = Timeline::last_before(rows, ts, &when).map_or(0, |at| at + 1);
            let both = [after.checked_sub(1), Some(after)];
            both.into_iter()
                .flatten()
                .filter_map(|at| rows.get(at).copied())
                .collect::<Vec<_>>()
        };
        let all = timeline.rows.tracks(row).iter().flat_map(near);
        let found = all.min_by_key(|&row| when(row as usize).abs_diff(ts))? as usize;
        let instant = trace.instants.row(found);
        let args = trace.args.set(instant.arg_set_id).map(|(key, value)| {
            let value = value.display(&trace.strings);
            json!([
                cut(trace.strings.get(key), LIST_CHARS),
                cut(&value, DETAIL_CHARS)
            ])
        });
        Some(json!(fields {
            "id": found,
            "ts": self.relative(instant.ts),
            "name": timeline.names.of_text(instant.name).0,
            "label": cut(trace.strings.get(instant.name), DETAIL_CHARS),
            "args": args.collect::<Vec<_>>(),
        }))
    }
}
