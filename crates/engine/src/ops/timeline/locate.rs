//! Where a slice stands, and which one is next to it.

use traceloom_analyze::timeline::Step;
use traceloom_trace::{RowId, SliceId};

use crate::ask::Ask;
use crate::engine::Engine;
use crate::error::Answered;
use crate::frame::Frame;

pub(crate) fn locate(engine: &Engine, ask: &Ask, answer: &mut Frame) -> Answered {
    put_place(engine, slice_of(engine, ask, "id")?, answer);
    Ok(())
}

pub(crate) fn neighbour(engine: &Engine, ask: &Ask, answer: &mut Frame) -> Answered {
    let id = slice_of(engine, ask, "id")?;
    let step = match ask.text("to")? {
        "next" => Step::Next,
        "previous" => Step::Previous,
        "parent" => Step::Parent,
        "child" => Step::Child,
        _ => return Err(ask.other("to", "next, previous, parent or child")),
    };
    match engine.timeline().neighbour(&engine.trace, id, step) {
        Some(id) => put_place(engine, id, answer),
        None => _ = answer.put("none", true),
    }
    Ok(())
}

/// The slice that a field names.
pub(crate) fn slice_of(engine: &Engine, ask: &Ask, field: &'static str) -> Answered<SliceId> {
    ask.row(field, engine.trace.slices.len()).map(SliceId)
}

fn put_place(engine: &Engine, id: SliceId, answer: &mut Frame) {
    let (trace, timeline) = (&engine.trace, engine.timeline());
    let (row, level) = timeline.place_of(trace, id);
    let (ts, end) = (
        trace.slices.ts.get(id.row()),
        timeline.end_of(trace, id.row()),
    );
    answer
        .put("id", id.0)
        .put("row", row)
        .put("ts", engine.relative(ts))
        .put("dur", engine.duration(trace.slices.dur.get(id.row())))
        .put("end", engine.relative(end))
        .put("level", level)
        .put("name", timeline.names.of_slice(id.row()).0);
}
