//! Where a slice stands, and which one is next to it.

use traceloom_analyze::timeline::Step;
use traceloom_trace::{RowId, SliceId};

use crate::ask::Ask;
use crate::cancel::Cancel;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::frame::Frame;

pub(crate) fn locate(engine: &Engine, ask: &Ask, _: &Cancel) -> Result<Frame, EngineError> {
    Ok(place(engine, slice_of(engine, ask, "id")?))
}

pub(crate) fn neighbour(engine: &Engine, ask: &Ask, _: &Cancel) -> Result<Frame, EngineError> {
    let id = slice_of(engine, ask, "id")?;
    let step = match ask.text("to")? {
        "next" => Step::Next,
        "previous" => Step::Previous,
        "parent" => Step::Parent,
        "child" => Step::Child,
        other => {
            return Err(EngineError::Field {
                field: "to",
                expected: "next, previous, parent or child",
                found: other.to_owned(),
            });
        }
    };
    let found = engine.timeline().neighbour(&engine.trace, id, step);
    Ok(match found {
        Some(id) => place(engine, id),
        None => Frame::new().with("none", true),
    })
}

/// The slice that a field names.
pub(crate) fn slice_of(
    engine: &Engine,
    ask: &Ask,
    field: &'static str,
) -> Result<SliceId, EngineError> {
    let (id, count) = (ask.u32(field)?, engine.trace.slices.len());
    match (id as usize) < count {
        true => Ok(SliceId(id)),
        false => Err(EngineError::NoSuchRow {
            field,
            id: id.into(),
            count: count as u64,
        }),
    }
}

fn place(engine: &Engine, id: SliceId) -> Frame {
    let (trace, timeline) = (&engine.trace, engine.timeline());
    let (row, level) = timeline.place_of(trace, id);
    let (ts, end) = (
        trace.slices.ts.get(id.row()),
        timeline.end_of(trace, id.row()),
    );
    Frame::new()
        .with("id", id.0)
        .with("row", row)
        .with("ts", engine.relative(ts))
        .with("dur", engine.duration(trace.slices.dur.get(id.row())))
        .with("end", engine.relative(end))
        .with("level", level)
        .with("name", timeline.names.of_slice(id.row()).0)
}
