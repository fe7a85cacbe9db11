//! Arrows: binder calls from slice to slice, and who woke whom.

use crate::json::{Value, json};
use traceloom_analyze::timeline::{NO_ROW, Wakeup};
use traceloom_trace::{RowId, SliceId, ThreadId};

use super::locate::slice_of;
use crate::ask::Ask;
use crate::cancel::Cancel;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::frame::Frame;
use crate::text::LIST_CHARS;

/// Arrows of each kind for one selection: more would hide what they show.
const MOST_FLOWS: usize = 100;
const MOST_WAKEUPS: usize = 16;
/// Rows between two looks at whether the answer is still wanted.
const STRIDE: usize = 1 << 16;

pub(crate) fn flows(engine: &Engine, ask: &Ask, cancel: &Cancel) -> Result<Frame, EngineError> {
    let (trace, timeline) = (&engine.trace, engine.timeline());
    let mut arrows = Vec::new();
    if ask.maybe("slice", Ask::u32)?.is_some() {
        let id = slice_of(engine, ask, "slice")?;
        arrows.extend(of_slice(engine, id, cancel)?);
        let (from, to) = (
            trace.slices.ts.get(id.row()),
            timeline.end_of(trace, id.row()),
        );
        if let Some(utid) = trace.track_thread(trace.slices.track_id.get(id.row())) {
            let mut wakeups = timeline.wakeups_of(trace, utid, from, to, MOST_WAKEUPS);
            wakeups.extend(timeline.woken_by(trace, utid, from, to, MOST_WAKEUPS));
            arrows.extend(wakeups.iter().map(|wakeup| engine.wakeup(wakeup)));
        }
    } else {
        let (utid, ts) = (ThreadId(ask.u32("utid")?), engine.absolute(ask.f64("ts")?));
        let wakeup = timeline.wakeup_at(trace, utid, ts);
        arrows.extend(wakeup.map(|wakeup| engine.wakeup(&wakeup)));
    }
    Ok(Frame::new().with("flows", arrows))
}

/// The rows of the flow table that touch a slice.
fn of_slice(engine: &Engine, id: SliceId, cancel: &Cancel) -> Result<Vec<Value>, EngineError> {
    let flows = &engine.trace.flows;
    let mut arrows = Vec::new();
    for row in 0..flows.len() {
        if row % STRIDE == 0 {
            cancel.check()?;
        }
        let (from, to) = (flows.slice_out.get(row), flows.slice_in.get(row));
        if from == id || to == id {
            let kind = engine.trace.strings.get(flows.name.get(row));
            let (from, to) = (engine.slice_end(from), engine.slice_end(to));
            arrows.push(json!({"kind": kind, "from": from, "to": to}));
        }
        if arrows.len() == MOST_FLOWS {
            break;
        }
    }
    Ok(arrows)
}

impl Engine {
    /// An end of an arrow that is the start of a slice.
    fn slice_end(&self, id: SliceId) -> Option<Value> {
        if id.row() >= self.trace.slices.len() {
            return None;
        }
        let (row, level) = self.timeline().place_of(&self.trace, id);
        let name = self.timeline().names.of_slice(id.row());
        Some(json!({
            "row": row,
            "ts": self.relative(self.trace.slices.ts.get(id.row())),
            "level": level,
            "slice": id.0,
            "label": self.label(name, LIST_CHARS),
        }))
    }

    /// The arrow from waker to woken.
    pub(crate) fn wakeup(&self, wakeup: &Wakeup) -> Value {
        let (from, to) = (
            self.thread_end(wakeup.waker, wakeup.ts),
            self.thread_end(wakeup.woken, wakeup.ts),
        );
        json!({"kind": "wakeup", "from": from, "to": to})
    }

    /// An end of an arrow on a thread; in its innermost slice where it is in one.
    fn thread_end(&self, utid: ThreadId, ts: i64) -> Value {
        let (trace, timeline) = (&self.trace, self.timeline());
        let slice = timeline.slice_of_thread_at(trace, utid, ts);
        let level = slice.map(|id| timeline.place_of(trace, id).1);
        let row = timeline.rows.of_thread(utid);
        json!({
            "row": (row != NO_ROW).then_some(row),
            "ts": self.relative(ts),
            "level": level,
            "slice": slice.map(|id| id.0),
            "utid": utid.0,
            "label": self.thread_label(utid),
        })
    }
}
