//! Arrows: from slice to slice (binder calls), and from a thread to the thread that it woke.

use serde::{Deserialize, Serialize};
use traceloom_analyze::timeline::{NO_ROW, Wakeup};
use traceloom_trace::{RowId, SliceId, ThreadId};

use super::locate::existing_slice;
use crate::ask::{Ask, unexpected};
use crate::engine::Engine;
use crate::error::Answered;
use crate::frame::Frame;

/// The maximum number of arrows of each kind per selection. More of them would make the picture
/// unreadable.
const MOST_FLOWS: usize = 100;
const MOST_WAKEUPS: usize = 16;
/// The number of rows between two checks whether the answer is still needed.
const STRIDE: usize = 1 << 16;

#[derive(Deserialize)]
struct Question {
    slice: Option<u32>,
    utid: Option<u32>,
    ts: Option<f64>,
}

#[derive(Serialize)]
struct Arrow<'a> {
    kind: &'a str,
    from: Option<End>,
    to: Option<End>,
}

/// An end of an arrow.
#[derive(Serialize)]
struct End {
    row: Option<u32>,
    ts: f64,
    level: Option<u32>,
    slice: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    utid: Option<u32>,
    label: String,
}

pub(crate) fn flows(engine: &Engine, ask: &Ask, answer: &mut Frame) -> Answered {
    let question: Question = ask.read()?;
    let (trace, timeline) = (&engine.trace, engine.timeline());
    let (mut touching, mut wakeups) = (Vec::new(), Vec::new());
    if let Some(id) = question.slice {
        let id = existing_slice(engine, "slice", id)?;
        touching = flows_of(engine, id, ask)?;
        let from = trace.slices.ts.get(id.row());
        let to = timeline.end_of(trace, id.row());
        if let Some(utid) = trace.track_thread(trace.slices.track_id.get(id.row())) {
            wakeups = timeline.wakeups_of(trace, utid, from, to, MOST_WAKEUPS);
            wakeups.extend(timeline.woken_by(trace, utid, from, to, MOST_WAKEUPS));
        }
    } else {
        let utid = question.utid;
        let utid = utid.ok_or_else(|| unexpected("utid", "a row number", "nothing"))?;
        let ts = question.ts;
        let ts = ts.ok_or_else(|| unexpected("ts", "a number", "nothing"))?;
        wakeups.extend(timeline.wakeup_at(trace, ThreadId(utid), engine.absolute(ts)));
    }
    let mut arrows: Vec<Arrow<'_>> = Vec::new();
    arrows.extend(touching.into_iter().map(|row| engine.flow(row)));
    arrows.extend(wakeups.iter().map(|wakeup| engine.wakeup(wakeup)));
    answer.put("flows", arrows);
    Ok(())
}

/// The rows of the flow table that start or end at a slice.
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
    fn flow(&self, row: usize) -> Arrow<'_> {
        let flows = &self.trace.flows;
        Arrow {
            kind: self.trace.strings.get(flows.name.get(row)),
            from: self.slice_end(flows.slice_out.get(row)),
            to: self.slice_end(flows.slice_in.get(row)),
        }
    }

    /// An arrow end at the start of a slice.
    fn slice_end(&self, id: SliceId) -> Option<End> {
        if id.row() >= self.trace.slices.len() {
            return None;
        }
        let (row, level) = self.timeline().place_of(&self.trace, id);
        Some(End {
            row: Some(row),
            ts: self.relative(self.trace.slices.ts.get(id.row())),
            level: Some(level),
            slice: Some(id.0),
            utid: None,
            label: self.label(self.timeline().names.of_slice(id.row())),
        })
    }

    /// The arrow from the waker to the woken thread.
    fn wakeup(&self, wakeup: &Wakeup) -> Arrow<'static> {
        Arrow {
            kind: "wakeup",
            from: Some(End {
                label: self.waker_label(wakeup.waker),
                ..self.thread_end(wakeup.waker, wakeup.ts)
            }),
            to: Some(self.thread_end(wakeup.woken, wakeup.ts)),
        }
    }

    /// An arrow end on a thread, in its innermost slice if there is one.
    fn thread_end(&self, utid: ThreadId, ts: i64) -> End {
        let (trace, timeline) = (&self.trace, self.timeline());
        let slice = timeline.slice_of_thread_at(trace, utid, ts);
        let row = timeline.rows.of_thread(utid);
        End {
            row: (row != NO_ROW).then_some(row),
            ts: self.relative(ts),
            level: slice.map(|id| timeline.place_of(trace, id).1),
            slice: slice.map(|id| id.0),
            utid: Some(utid.0),
            label: self.thread_label(utid),
        }
    }
}
