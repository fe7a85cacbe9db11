//! Frames: who drew, how well, and what held the worst ones.

use traceloom_analyze::TimeRange;
use traceloom_analyze::frames::{FrameApp, FrameSelection};
use traceloom_trace::{RowId, ThreadId};

use crate::ask::Ask;
use crate::engine::Engine;
use crate::error::Answered;
use crate::frame::Frame;
use crate::scope::Scope;

/// Frames told of where the question sets no limit.
const TOLD: u32 = 50;

/// The report of the scope's frames.
pub(crate) fn frames(engine: &Engine, ask: &Ask, answer: &mut Frame) -> Answered {
    let scope = Scope::of(engine, ask)?;
    let frames = &engine.timeline().frames;
    ask.check()?;
    let source = |app: &FrameApp| engine.trace.threads.source.get(app.utid.row());
    let selection = FrameSelection {
        range: scope.range.unwrap_or(TimeRange::ALL),
        wanted: &|app| scope.has(app.utid, app.upid, source(app)),
        limit: ask.u32_or("limit", TOLD)? as usize,
    };
    let report = frames.report(&engine.trace, &selection);
    ask.check()?;
    let rows = &engine.timeline().rows;
    answer
        .u32("app_row", &report.apps, &|app| {
            rows.of_frames(ThreadId(app.utid))
        })
        .put("vsync_ns", report.vsync_ns)
        .put("vsync_source", report.vsync_source)
        .put("deadline_ns", report.deadline_ns)
        .put("apps", report.apps)
        .put("worst", report.worst);
    Ok(())
}
