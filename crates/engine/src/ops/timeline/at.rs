//! What a row shows at a moment.

use traceloom_analyze::timeline::{StateKind, Timeline, TimelineRow, run_extent, state_extent};
use traceloom_trace::{RowId, ThreadId, Trace};

use crate::ask::{Ask, no_such_row};
use crate::engine::Engine;
use crate::error::Answered;
use crate::frame::Frame;
use crate::json::Json;
use crate::text::{DETAIL_CHARS, LIST_CHARS};

pub(crate) fn at(engine: &Engine, ask: &Ask, answer: &mut Frame) -> Answered {
    let (row, ts) = (ask.u32("row")?, engine.absolute(ask.f64("ts")?));
    let rows = &engine.timeline().rows.all;
    let Some(about) = rows.get(row as usize) else {
        return Err(no_such_row("row", row, rows.len()));
    };
    let json = &mut answer.json;
    let found = match ask.text("what")? {
        "state" => engine.state_at(about.utid, ts, json),
        "sched" => engine.run_at(about.cpu, ts, json),
        "counter" => engine.value_at(about, ts, json),
        "instant" => engine.instant_at(row, ts, json),
        _ => return Err(ask.other("what", "state, sched, counter or instant")),
    };
    if found.is_none() {
        json.put("none", true);
    }
    Ok(())
}

impl Engine {
    fn put_thread(&self, json: &mut Json, key: &str, utid: ThreadId) {
        json.object(key, |json| {
            json.put("utid", utid.0);
            self.put_thread_label(json, "label", utid);
            json.put("row", self.timeline().rows.of_thread(utid));
        });
    }

    fn put_other_thread(&self, json: &mut Json, key: &str, utid: ThreadId) {
        match utid.some() {
            Some(utid) => self.put_thread(json, key, utid),
            None => _ = json.put(key, None::<u32>),
        }
    }

    fn put_extent(&self, json: &mut Json, (start, end): (i64, i64), dur: i64) {
        json.put("ts", self.relative(start))
            .put("end", self.relative(end))
            .put("dur", self.duration(dur));
    }

    fn state_at(&self, utid: ThreadId, ts: i64, json: &mut Json) -> Option<()> {
        let (trace, timeline) = (&self.trace, self.timeline());
        let found = timeline.state_at(trace, utid, ts)? as usize;
        let row = trace.thread_states.row(found);
        let kind = StateKind::of(trace, found);
        let rows = timeline.states_of(utid);
        let at = rows.binary_search(&(found as u32)).unwrap_or(0);
        json.put("state", kind as u8)
            .put("label", kind.name())
            .put("letters", row.state.to_string());
        self.put_extent(json, state_extent(trace, found), row.dur);
        json.put("cpu", (row.cpu != u32::MAX).then_some(row.cpu));
        self.put_string(json, "blocked_function", row.blocked_function, LIST_CHARS);
        json.put(
            "io_wait",
            matches!(row.io_wait, 0 | 1).then_some(row.io_wait == 1),
        );
        self.put_other_thread(json, "waker", row.waker_utid);
        self.put_other_thread(json, "ended_by", timeline.waker_behind(trace, utid, at));
        self.put_thread(json, "thread", utid);
        json.put("priority", self.priority(trace, &row));
        Some(())
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

    fn run_at(&self, cpu: u32, ts: i64, json: &mut Json) -> Option<()> {
        let trace = &self.trace;
        let found = self.timeline().run_at(trace, cpu, ts)? as usize;
        let row = trace.sched_slices.row(found);
        self.put_thread(json, "thread", row.utid);
        match self.process_of(row.utid) {
            Some(process) => json.put_cut("process", &process.name, LIST_CHARS),
            None => json.put("process", None::<u32>),
        };
        self.put_extent(json, run_extent(trace, found), row.dur);
        json.put("cpu", cpu)
            .put("priority", row.priority)
            .put("end_state", StateKind::of_task(row.end_state, -1).name())
            .put("end_letters", row.end_state.to_string());
        Some(())
    }

    /// The row of a thread's process.
    fn process_of(&self, utid: ThreadId) -> Option<&TimelineRow> {
        let (upids, rows) = (&self.trace.threads.upid, &self.timeline().rows);
        let upid = (utid.row() < upids.len()).then(|| upids.get(utid.row()))?;
        rows.all.get(rows.of_process(upid) as usize)
    }

    fn value_at(&self, about: &TimelineRow, ts: i64, json: &mut Json) -> Option<()> {
        let (trace, timeline) = (&self.trace, self.timeline());
        let rows = match about.track.0 {
            u32::MAX => &[],
            _ => timeline.values_of(about.track),
        };
        let at = Timeline::last_before(rows, ts, &|row| trace.counters.ts.get(row))?;
        let put = |json: &mut Json, row: u32| {
            json.put("ts", self.relative(trace.counters.ts.get(row as usize)))
                .put("value", trace.counters.value.get(row as usize));
        };
        put(json, *rows.get(at)?);
        for (key, near) in [("previous", at.wrapping_sub(1)), ("next", at + 1)] {
            match rows.get(near) {
                Some(row) => json.object(key, |json| put(json, *row)),
                None => json.put(key, None::<u32>),
            };
        }
        json.put_cut("label", &about.name, LIST_CHARS)
            .put("unit", &about.note);
        Some(())
    }

    /// The instant next to a moment, with its arguments.
    fn instant_at(&self, row: u32, ts: i64, json: &mut Json) -> Option<()> {
        let (trace, timeline) = (&self.trace, self.timeline());
        let when = |row: usize| trace.instants.ts.get(row);
        let mut nearest: Option<u32> = None;
        for &(track, _) in timeline.rows.tracks(row) {
            let rows = timeline.instants_of(track);
            let before = Timeline::last_before(rows, ts, &when);
            let after = before.map_or(0, |at| at + 1);
            for &near in &rows[before.unwrap_or(0)..rows.len().min(after + 1)] {
                let away = |row: u32| when(row as usize).abs_diff(ts);
                if nearest.is_none_or(|known| away(near) < away(known)) {
                    nearest = Some(near);
                }
            }
        }
        let found = nearest? as usize;
        let name = trace.instants.name.get(found);
        json.put("id", found)
            .put("ts", self.relative(when(found)))
            .put("name", timeline.names.of_text(name).0);
        self.put_string(json, "label", name, DETAIL_CHARS);
        self.put_args(json, trace.instants.arg_set_id.get(found));
        Some(())
    }
}
