//! What the trace is: the first thing the page asks.

use traceloom_analyze::{CpuSource, TreeClocks};
use traceloom_trace::{MethodId, NO_DURATION, RepairKind, RowId, Trace};

use crate::ask::Ask;
use crate::engine::Engine;
use crate::error::Answered;
use crate::frame::Frame;
use crate::json::Json;
use crate::ops::profile::put_clocks;
use crate::text::DETAIL_CHARS;

pub(crate) fn meta(engine: &Engine, _: &Ask, answer: &mut Frame) -> Answered {
    let (trace, timeline) = (&engine.trace, engine.timeline());
    let json = &mut answer.json;
    json.put("origin_ns", engine.origin_ns.to_string())
        .put("start_ns", engine.relative(trace.bounds.0))
        .put("duration_ns", engine.relative(trace.bounds.1))
        .put_cut("title", &title(trace), DETAIL_CHARS);
    put_sources(engine, json);
    put_clocks(json, clocks(trace));
    put_counts(trace, json);
    json.list("metadata", |json| {
        for row in trace.metadata.rows() {
            json.list("", |json| {
                engine.put_string(json, "", row.key, DETAIL_CHARS);
                engine.put_string(json, "", row.value, DETAIL_CHARS);
                json.put("", row.source.0);
            });
        }
    });
    put_repairs(trace, json);
    // The display's beat, where the trace has frames.
    let frames = &timeline.frames;
    let beat = (!frames.is_empty()).then_some(frames.vsync.period_ns);
    json.put("vsync_ns", beat);
    put_has(engine, json);
    json.put("name_count", timeline.names.len());
    Ok(())
}

/// The names of the inputs.
fn title(trace: &Trace) -> String {
    let mut title = String::new();
    for name in trace.sources.name.iter() {
        let name = trace.strings.get(name);
        if !title.is_empty() && !name.is_empty() {
            title += " + ";
        }
        title += name;
    }
    title
}

fn put_sources(engine: &Engine, json: &mut Json) {
    json.objects("sources", engine.trace.sources.rows(), |json, row| {
        engine.put_string(json, "name", row.name, DETAIL_CHARS);
        engine.put_string(json, "format", row.format, DETAIL_CHARS);
        engine.put_string(json, "title", row.name, DETAIL_CHARS);
        json.put("bytes", row.bytes);
    });
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

fn put_counts(trace: &Trace, json: &mut Json) {
    let counts = [
        ("slices", trace.slices.len()),
        ("threads", trace.threads.len()),
        ("processes", trace.processes.len()),
        ("tracks", trace.tracks.len()),
        ("methods", trace.methods.len()),
        ("counters", trace.counters.len()),
        ("instants", trace.instants.len()),
        ("flows", trace.flows.len()),
        ("sched_slices", trace.sched_slices.len()),
        ("thread_states", trace.thread_states.len()),
        ("ftrace_events", trace.ftrace_events.len()),
        ("args", trace.args.len()),
        ("strings", trace.strings.len()),
    ];
    json.object("counts", |json| {
        for (table, rows) in counts {
            json.put(table, rows);
        }
    });
}

fn put_repairs(trace: &Trace, json: &mut Json) {
    json.objects("repairs", trace.repairs.rows(), |json, row| {
        json.put("severity", row.kind.severity().name())
            .put("kind", row.kind.name())
            .put("count", row.count)
            .put("title", row.kind.explanation())
            .put("place", row.first.to_string())
            .put_cut("detail", &row.detail, DETAIL_CHARS)
            .put("source", row.source.0);
    });
}

fn put_has(engine: &Engine, json: &mut Json) {
    let trace = &engine.trace;
    let (sched, states) = (
        !trace.sched_slices.is_empty(),
        !trace.thread_states.is_empty(),
    );
    let mut methods = trace.slices.method_id.iter();
    let has = [
        ("frames", !engine.timeline().frames.is_empty()),
        ("sched", sched),
        ("states", states),
        ("flows", !trace.flows.is_empty() || states),
        ("methods", methods.any(|method| method != MethodId::NONE)),
        ("args", !trace.args.is_empty()),
        ("diff", trace.sources.len() == 2),
    ];
    json.object("has", |json| {
        for (what, is_there) in has {
            json.put(what, is_there);
        }
    });
}
