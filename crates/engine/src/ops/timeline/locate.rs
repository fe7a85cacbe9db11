//! The position of a slice, and of its neighbours.

use serde::Deserialize;
use traceloom_analyze::timeline::Step;
use traceloom_trace::{RowId, SliceId};

use crate::ask::{Ask, existing};
use crate::engine::Engine;
use crate::error::Answered;
use crate::frame::Frame;

#[derive(Deserialize)]
struct LocateQuestion {
    id: u32,
}

pub(crate) fn locate(engine: &Engine, ask: &Ask, answer: &mut Frame) -> Answered {
    let LocateQuestion { id } = ask.read()?;
    put_place(engine, existing_slice(engine, "id", id)?, answer);
    Ok(())
}

#[derive(Deserialize)]
struct NeighbourQuestion {
    id: u32,
    to: Step,
}

pub(crate) fn neighbour(engine: &Engine, ask: &Ask, answer: &mut Frame) -> Answered {
    let NeighbourQuestion { id, to } = ask.read()?;
    let id = existing_slice(engine, "id", id)?;
    match engine.timeline().neighbour(&engine.trace, id, to) {
        Some(id) => put_place(engine, id, answer),
        None => _ = answer.put("none", true),
    }
    Ok(())
}

/// Checks that the slice in a field of the question exists.
pub(crate) fn existing_slice(engine: &Engine, field: &'static str, id: u32) -> Answered<SliceId> {
    existing(field, id, engine.trace.slices.len()).map(SliceId)
}

fn put_place(engine: &Engine, id: SliceId, answer: &mut Frame) {
    let (trace, timeline) = (&engine.trace, engine.timeline());
    let (row, level) = timeline.place_of(trace, id);
    let ts = trace.slices.ts.get(id.row());
    let end = timeline.end_of(trace, id.row());
    answer
        .put("id", id.0)
        .put("row", row)
        .put("ts", engine.relative(ts))
        .put("dur", engine.duration(trace.slices.dur.get(id.row())))
        .put("end", engine.relative(end))
        .put("level", level)
        .put("name", timeline.names.of_slice(id.row()).0);
}
