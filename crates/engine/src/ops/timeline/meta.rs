//! General information about the trace: the page's first question.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;
use traceloom_analyze::{CpuSource, TreeClocks};
use traceloom_trace::{MethodId, NO_DURATION, RepairKind, RepairRow, RowId, SourceRow, Trace};

use crate::ask::Ask;
use crate::engine::Engine;
use crate::error::Answered;
use crate::frame::Frame;
use crate::text::{DETAIL_CHARS, cut, shortened};

pub(crate) fn meta(engine: &Engine, _: &Ask, answer: &mut Frame) -> Answered {
    let (trace, timeline) = (&engine.trace, engine.timeline());
    let sources = trace.sources.rows().map(|row| Source::new(engine, row));
    let metadata = trace.metadata.rows().map(|row| {
        let text = |id| engine.string(id, DETAIL_CHARS);
        (text(row.key), text(row.value), row.source.0)
    });
    let records = timeline.records.counts();
    let records = records.map(|(table, count)| (trace.strings.get(table), count));
    let repairs = trace.repairs.rows().iter();
    let repairs = repairs.map(|row| Repair::new(engine, row));
    let frames = &timeline.frames;
    let late = frames
        .frames
        .iter()
        .filter(|frame| frame.is_janky())
        .count();
    let vsync_ns = (!frames.is_empty()).then_some(frames.vsync.period_ns);
    answer
        .put("origin_ns", engine.origin.0.to_string())
        .put("start_ns", engine.relative(trace.bounds.0))
        .put("duration_ns", engine.relative(trace.bounds.1))
        .put("title", shortened(title(trace), DETAIL_CHARS))
        .put("sources", sources.collect::<Vec<_>>())
        .put("clocks", clocks(trace))
        .put("counts", Counts::new(trace))
        .put("records", records.collect::<BTreeMap<_, _>>())
        .put("metadata", metadata.collect::<Vec<_>>())
        .put("repairs", repairs.collect::<Vec<_>>())
        .put("vsync_ns", vsync_ns)
        .put("late_frames", late)
        .put("has", Has::new(engine))
        .put("name_count", timeline.names.len());
    Ok(())
}

/// The names of the sources.
fn title(trace: &Trace) -> String {
    let names = trace.sources.name.iter();
    let names = names.map(|name| trace.strings.get(name));
    let names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
    names.join(" + ")
}

#[derive(Serialize)]
struct Source<'a> {
    name: Cow<'a, str>,
    format: Cow<'a, str>,
    title: Cow<'a, str>,
    bytes: u64,
}

impl<'a> Source<'a> {
    fn new(engine: &'a Engine, row: SourceRow) -> Self {
        Self {
            name: engine.string(row.name, DETAIL_CHARS),
            format: engine.string(row.format, DETAIL_CHARS),
            title: engine.string(row.name, DETAIL_CHARS),
            bytes: row.bytes,
        }
    }
}

/// The kinds of times that slices have, as in a [`CallTree`](traceloom_analyze::CallTree).
fn clocks(trace: &Trace) -> TreeClocks {
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

/// The number of rows in each table.
#[derive(Serialize)]
struct Counts {
    slices: usize,
    threads: usize,
    processes: usize,
    tracks: usize,
    methods: usize,
    counters: usize,
    instants: usize,
    flows: usize,
    sched_slices: usize,
    thread_states: usize,
    ftrace_events: usize,
    args: usize,
    strings: usize,
}

impl Counts {
    fn new(trace: &Trace) -> Self {
        Self {
            slices: trace.slices.span_count(),
            threads: trace.real_threads().count(),
            processes: trace.real_processes().count(),
            tracks: trace.tracks.len(),
            methods: trace.methods.len(),
            counters: trace.counters.len(),
            instants: trace.slices.instants().count(),
            flows: trace.flows.len(),
            sched_slices: trace.sched_slices.len(),
            thread_states: trace.thread_states.len(),
            ftrace_events: trace.ftrace_events.len(),
            args: trace.args.len(),
            strings: trace.strings.texts(),
        }
    }
}

#[derive(Serialize)]
struct Repair<'a> {
    severity: &'static str,
    kind: &'static str,
    count: u64,
    title: &'static str,
    place: String,
    detail: Cow<'a, str>,
    ts: Option<f64>,
    source: u32,
}

impl<'a> Repair<'a> {
    fn new(engine: &Engine, row: &'a RepairRow) -> Self {
        Self {
            severity: row.kind.severity().name(),
            kind: row.kind.name(),
            count: row.count,
            title: row.kind.explanation(),
            place: row.first.to_string(),
            detail: cut(&row.detail, DETAIL_CHARS),
            ts: row.first.ts.map(|ts| engine.relative(ts)),
            source: row.source.0,
        }
    }
}

/// The views that have something to show.
#[derive(Serialize)]
struct Has {
    frames: bool,
    sched: bool,
    states: bool,
    flows: bool,
    methods: bool,
    args: bool,
    diff: bool,
}

impl Has {
    fn new(engine: &Engine) -> Self {
        let trace = &engine.trace;
        let states = !trace.thread_states.is_empty();
        let mut methods = trace.slices.method_id.iter();
        Self {
            frames: !engine.timeline().frames.is_empty(),
            sched: !trace.sched_slices.is_empty(),
            states,
            flows: !trace.flows.is_empty() || states,
            methods: methods.any(|method| method != MethodId::NONE),
            args: !trace.args.is_empty(),
            diff: trace.sources.len() == 2,
        }
    }
}
