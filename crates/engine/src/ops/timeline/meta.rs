//! What the trace is: the first thing the page asks.

use crate::json::{Value, json};
use traceloom_analyze::{CpuSource, TreeClocks};
use traceloom_trace::{MethodId, NO_DURATION, RepairKind, RowId, Trace};

use crate::ask::Ask;
use crate::cancel::Cancel;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::frame::Frame;
use crate::text::{DETAIL_CHARS, cut};

pub(crate) fn meta(engine: &Engine, _: &Ask, _: &Cancel) -> Result<Frame, EngineError> {
    let trace = &engine.trace;
    let clocks = clocks(trace);
    Ok(Frame::new()
        .with("origin_ns", engine.origin_ns.to_string())
        .with("start_ns", engine.relative(trace.bounds.0))
        .with("duration_ns", engine.relative(trace.bounds.1))
        .with("title", title(trace))
        .with("sources", sources(trace))
        .with("clocks", crate::ops::profile::clocks(clocks))
        .with("counts", counts(trace))
        .with("metadata", metadata(trace))
        .with("repairs", repairs(trace))
        .with("vsync_ns", vsync(engine))
        .with("has", has(engine))
        .with("name_count", engine.timeline().names.len()))
}

/// The names of the inputs.
fn title(trace: &Trace) -> String {
    let names = trace
        .sources
        .name
        .iter()
        .map(|name| trace.strings.get(name));
    let named: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
    cut(&named.join(" + "), DETAIL_CHARS).into_owned()
}

fn sources(trace: &Trace) -> Vec<Value> {
    let text = |id| cut(trace.strings.get(id), DETAIL_CHARS);
    let source = |row: traceloom_trace::SourceRow| {
        json!({
            "name": text(row.name),
            "format": text(row.format),
            "title": text(row.name),
            "bytes": row.bytes,
        })
    };
    trace.sources.rows().map(source).collect()
}

/// Which times slices have, as in a [`CallTree`](traceloom_analyze::CallTree).
pub(crate) fn clocks(trace: &Trace) -> TreeClocks {
    let thread_clock = trace.slices.thread_ts.iter().any(|ts| ts != NO_DURATION);
    let states = !thread_clock && !trace.thread_states.is_empty();
    TreeClocks {
        wall: !(thread_clock && trace.repairs.count(RepairKind::RebuiltTime) > 0),
        cpu: match (thread_clock, states) {
            (true, _) => CpuSource::ThreadClock,
            (_, true) => CpuSource::Scheduler,
            _ => CpuSource::None,
        },
        states,
    }
}

fn counts(trace: &Trace) -> Value {
    json!({
        "slices": trace.slices.len(),
        "threads": trace.threads.len(),
        "processes": trace.processes.len(),
        "tracks": trace.tracks.len(),
        "methods": trace.methods.len(),
        "counters": trace.counters.len(),
        "instants": trace.instants.len(),
        "flows": trace.flows.len(),
        "sched_slices": trace.sched_slices.len(),
        "thread_states": trace.thread_states.len(),
        "ftrace_events": trace.ftrace_events.len(),
        "args": trace.args.len(),
        "strings": trace.strings.len(),
    })
}

fn metadata(trace: &Trace) -> Vec<Value> {
    let text = |id| cut(trace.strings.get(id), DETAIL_CHARS);
    let rows = trace.metadata.rows();
    rows.map(|row| json!([text(row.key), text(row.value), row.source.0]))
        .collect()
}

fn repairs(trace: &Trace) -> Vec<Value> {
    let rows = trace.repairs.rows().iter();
    rows.map(|row| {
        json!({
            "severity": row.kind.severity().name(),
            "kind": row.kind.name(),
            "count": row.count,
            "title": row.kind.explanation(),
            "place": row.first.to_string(),
            "detail": cut(&row.detail, DETAIL_CHARS),
            "source": row.source.0,
        })
    })
    .collect()
}

/// The display's beat, where the trace has frames.
fn vsync(engine: &Engine) -> Option<i64> {
    let frames = &engine.timeline().frames;
    (!frames.is_empty()).then_some(frames.vsync.period_ns)
}

fn has(engine: &Engine) -> Value {
    let trace = &engine.trace;
    json!({
        "frames": !engine.timeline().frames.is_empty(),
        "sched": !trace.sched_slices.is_empty(),
        "states": !trace.thread_states.is_empty(),
        "flows": !trace.flows.is_empty() || !trace.thread_states.is_empty(),
        "methods": trace.slices.method_id.iter().any(|method| method != MethodId::NONE),
        "args": !trace.args.is_empty(),
        "diff": trace.sources.len() == 2,
    })
}
