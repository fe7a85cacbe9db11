//! The rows of the timeline.

use traceloom_trace::NO_TIME;

use crate::ask::Ask;
use crate::engine::Engine;
use crate::error::Answered;
use crate::frame::Frame;
use crate::text::{LIST_CHARS, cut};

pub(crate) fn rows(engine: &Engine, _: &Ask, answer: &mut Frame) -> Answered {
    let rows = &engine.timeline().rows.all;
    let ts = |ts: i64| match ts {
        NO_TIME => f64::NAN,
        ts => engine.relative(ts),
    };
    let names = rows.iter().map(|row| cut(&row.name, LIST_CHARS));
    let notes = rows.iter().map(|row| cut(&row.note, LIST_CHARS));
    answer
        .put("names", names.collect::<Vec<_>>())
        .put("notes", notes.collect::<Vec<_>>());
    let numbers: Vec<u32> = (0..rows.len() as u32).collect();
    answer
        .u32("id", &numbers, |number| *number)
        .u32("parent", rows, |row| row.parent)
        .u8("kind", rows, |row| row.kind as u8)
        .u32("levels", rows, |row| row.levels)
        .u32("utid", rows, |row| row.utid.0)
        .u32("upid", rows, |row| row.upid.0)
        .u32("track", rows, |row| row.track.0)
        .u32("cpu", rows, |row| row.cpu)
        .u32("source", rows, |row| row.source.0)
        .f64("busy", rows, |row| row.busy_ns as f64)
        .f64("first", rows, |row| ts(row.extent.0))
        .f64("last", rows, |row| ts(row.extent.1))
        .f64("min", rows, |row| row.extremes.0)
        .f64("max", rows, |row| row.extremes.1)
        .u8("flags", rows, |row| row.flags);
    Ok(())
}
