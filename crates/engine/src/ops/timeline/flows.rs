//! Arrows: binder calls from slice to slice, and who woke whom.

use traceloom_analyze::timeline::{NO_ROW, Wakeup};
use traceloom_trace::{RowId, SliceId, ThreadId};

use super::locate::slice_of;
use crate::ask::Ask;
use crate::engine::Engine;
use crate::error::Answered;
use crate::frame::Frame;
use crate::json::Json;

/// Arrows of each kind for one selection: more would hide what they show.
const MOST_FLOWS: usize = 100;
const MOST_WAKEUPS: usize = 16;
/// Rows between two looks at whether the answer is still wanted.
const STRIDE: usize = 1 << 16;

pub(crate) fn flows(engine: &Engine, ask: &Ask, answer: &mut Frame) -> Answered {
    let (trace, timeline) = (&engine.trace, engine.timeline());
    let (mut touching, mut wakeups) = (Vec::new(), Vec::new());
    if ask.has("slice") {
        let id = slice_of(engine, ask, "slice")?;
        touching = flows_of(engine, id, ask)?;
        let (from, to) = (
            trace.slices.ts.get(id.row()),
            timeline.end_of(trace, id.row()),
        );
        if let Some(utid) = trace.track_thread(trace.slices.track_id.get(id.row())) {
            wakeups = timeline.wakeups_of(trace, utid, from, to, MOST_WAKEUPS);
            wakeups.extend(timeline.woken_by(trace, utid, from, to, MOST_WAKEUPS));
        }
    } else {
        let (utid, ts) = (ThreadId(ask.u32("utid")?), engine.absolute(ask.f64("ts")?));
        wakeups.extend(timeline.wakeup_at(trace, utid, ts));
    }
    answer.json.list("flows", |json| {
        for row in touching {
            engine.put_flow(json, row);
        }
        for wakeup in &wakeups {
            engine.put_wakeup(json, wakeup);
        }
    });
    Ok(())
}

/// The rows of the flow table that touch a slice.
fn flows_of(engine: &Engine, id: SliceId, ask: &Ask) -> Answered<Vec<usize>> {
    let flows = &engine.trace.flows;
    let mut touching = Vec::new();
    for row in 0..flows.len() {
        if row % STRIDE == 0 {
            ask.check()?;
        }
        if flows.slice_out.get(row) == id || flows.slice_in.get(row) == id {
            touching.push(row);
        }
        if touching.len() == MOST_FLOWS {
            break;
        }
    }
    Ok(touching)
}

impl Engine {
    /// The arrow of a row of the flow table.
    fn put_flow(&self, json: &mut Json, row: usize) {
        let flows = &self.trace.flows;
        json.object("", |json| {
            json.put("kind", self.trace.strings.get(flows.name.get(row)));
            self.put_slice_end(json, "from", flows.slice_out.get(row));
            self.put_slice_end(json, "to", flows.slice_in.get(row));
        });
    }

    /// An end of an arrow that is the start of a slice.
    fn put_slice_end(&self, json: &mut Json, key: &str, id: SliceId) {
        if id.row() >= self.trace.slices.len() {
            json.put(key, None::<u32>);
            return;
        }
        let (row, level) = self.timeline().place_of(&self.trace, id);
        let name = self.timeline().names.of_slice(id.row());
        json.object(key, |json| {
            json.put("row", row)
                .put("ts", self.relative(self.trace.slices.ts.get(id.row())))
                .put("level", level)
                .put("slice", id.0);
            self.put_label(json, "label", name);
        });
    }

    /// The arrow from waker to woken.
    fn put_wakeup(&self, json: &mut Json, wakeup: &Wakeup) {
        json.object("", |json| {
            json.put("kind", "wakeup");
            self.put_thread_end(json, "from", wakeup.waker, wakeup.ts);
            self.put_thread_end(json, "to", wakeup.woken, wakeup.ts);
        });
    }

    /// An end of an arrow on a thread; in its innermost slice where it is in one.
    fn put_thread_end(&self, json: &mut Json, key: &str, utid: ThreadId, ts: i64) {
        let (trace, timeline) = (&self.trace, self.timeline());
        let slice = timeline.slice_of_thread_at(trace, utid, ts);
        let level = slice.map(|id| timeline.place_of(trace, id).1);
        let row = timeline.rows.of_thread(utid);
        json.object(key, |json| {
            json.put("row", (row != NO_ROW).then_some(row))
                .put("ts", self.relative(ts))
                .put("level", level)
                .put("slice", slice.map(|id| id.0))
                .put("utid", utid.0);
            self.put_thread_label(json, "label", utid);
        });
    }
}
