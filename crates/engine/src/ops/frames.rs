//! Frames: who drew, how well, and what held the worst ones.

use traceloom_analyze::TimeRange;
use traceloom_analyze::frames::{FrameApp, FrameSelection};
use traceloom_trace::{RowId, ThreadId};

use crate::ask::Ask;
use crate::cancel::Cancel;
use crate::choice::limit;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::frame::Frame;
use crate::scope::Scope;

/// Frames told of where the question sets no limit.
const TOLD: u32 = 50;

/// The report of the scope's frames.
pub(crate) fn frames(engine: &Engine, ask: &Ask, cancel: &Cancel) -> Result<Frame, EngineError> {
    let scope = Scope::of(engine, ask)?;
    let frames = &engine.timeline().frames;
    cancel.check()?;
    let selection = FrameSelection {
        range: scope.range.unwrap_or(TimeRange::ALL),
        wanted: &|app| is_in(engine, &scope, app),
        limit: limit(ask, "limit", TOLD)?,
    };
    let report = frames.report(&engine.trace, &selection);
    cancel.check()?;
    let rows = &engine.timeline().rows;
    let rows: Vec<u32> = report
        .apps
        .iter()
        .map(|app| rows.of_frames(ThreadId(app.utid)))
        .collect();
    Ok(Frame::new()
        .u32("app_row", rows)
        .with("vsync_ns", report.vsync_ns)
        .with("vsync_source", report.vsync_source)
        .with("deadline_ns", report.deadline_ns)
        .with("apps", report.apps)
        .with("worst", report.worst))
}

fn is_in(engine: &Engine, scope: &Scope, app: &FrameApp) -> bool {
    let threads = scope.threads.as_ref();
    let source = engine.trace.threads.source.get(app.utid.row());
    threads.is_none_or(|threads| threads.binary_search(&app.utid.0).is_ok())
        && scope.process.is_none_or(|upid| upid == app.upid.0)
        && scope.source.is_none_or(|wanted| wanted == source.0)
}
