//! Frames: the apps that drew, their statistics, and the causes of the worst frames.

use serde::Deserialize;
use traceloom_analyze::TimeRange;
use traceloom_analyze::frames::{FrameApp, FrameSelection};
use traceloom_trace::{RowId, ThreadId};

use crate::ask::Ask;
use crate::engine::Engine;
use crate::error::Answered;
use crate::frame::Frame;

/// The number of frames in an answer if the question has no `limit`.
const DEFAULT_LIMIT: u32 = 50;

#[derive(Deserialize)]
struct Question {
    limit: Option<u32>,
}

/// The report of the scope's frames.
pub(crate) fn frames(engine: &Engine, ask: &Ask, answer: &mut Frame) -> Answered {
    let question: Question = ask.read()?;
    let scope = engine.scope(ask)?;
    let frames = &engine.timeline().frames;
    ask.check()?;
    let source = |app: &FrameApp| engine.trace.threads.source.get(app.utid.row());
    let selection = FrameSelection {
        range: scope.range.unwrap_or(TimeRange::ALL),
        wanted: &|app| scope.has(app.utid, app.upid, source(app)),
        limit: question.limit.unwrap_or(DEFAULT_LIMIT) as usize,
    };
    let report = frames.report(&engine.trace, &selection);
    ask.check()?;
    let rows = &engine.timeline().rows;
    answer
        .u32("app_row", &report.apps, |app| {
            rows.of_frames(ThreadId(app.utid))
        })
        .put_fields(report);
    Ok(())
}
