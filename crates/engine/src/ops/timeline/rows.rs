//! The rows and how to find them.

use traceloom_analyze::timeline::TimelineRow;
use traceloom_trace::NO_TIME;

use crate::ask::Ask;
use crate::cancel::Cancel;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::frame::Frame;
use crate::text::{LIST_CHARS, cut};

pub(crate) fn rows(engine: &Engine, _: &Ask, _: &Cancel) -> Result<Frame, EngineError> {
    let rows = &engine.timeline().rows.all;
    let text = |get: fn(&TimelineRow) -> &str| -> Vec<_> {
        rows.iter().map(|row| cut(get(row), LIST_CHARS)).collect()
    };
    let ts = |ts: i64| match ts {
        NO_TIME => f64::NAN,
        ts => engine.relative(ts),
    };
    Ok(Frame::new()
        .with("names", text(|row| &row.name))
        .with("notes", text(|row| &row.note))
        .u32("id", 0..rows.len() as u32)
        .u32("parent", rows.iter().map(|row| row.parent))
        .u8("kind", rows.iter().map(|row| row.kind as u8))
        .u32("levels", rows.iter().map(|row| row.levels))
        .u32("utid", rows.iter().map(|row| row.utid.0))
        .u32("upid", rows.iter().map(|row| row.upid.0))
        .u32("track", rows.iter().map(|row| row.track.0))
        .u32("cpu", rows.iter().map(|row| row.cpu))
        .u32("source", rows.iter().map(|row| row.source.0))
        .f64("busy", rows.iter().map(|row| row.busy_ns as f64))
        .f64("first", rows.iter().map(|row| ts(row.extent.0)))
        .f64("last", rows.iter().map(|row| ts(row.extent.1)))
        .f64("min", rows.iter().map(|row| row.extremes.0))
        .f64("max", rows.iter().map(|row| row.extremes.1))
        .u8("flags", rows.iter().map(|row| row.flags)))
}
