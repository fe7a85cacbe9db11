//! The activity in a time range.

use std::borrow::Cow;
use std::cmp::Reverse;

use serde::{Deserialize, Serialize};
use traceloom_analyze::TimeRange;
use traceloom_analyze::timeline::{NameStats, RangeScope, RowKind, StateKind, inside};
use traceloom_trace::{RowId, ThreadId, sort};

use super::statistics::{NameTimes, StateAnswer};
use crate::ask::Ask;
use crate::engine::Engine;
use crate::error::{Answered, EngineError};
use crate::frame::Frame;
use crate::scope::Scope;
use crate::text::{LIST_CHARS, cut};

/// The number of rows in each table if the question sets no limit.
const DEFAULT_LIMIT: u32 = 500;
/// The number of threads listed for a CPU.
const TOP_THREADS: usize = 5;

#[derive(Deserialize)]
struct Question {
    limit: Option<u32>,
    all_tracks: Option<bool>,
}

pub(crate) fn range(engine: &Engine, ask: &Ask, answer: &mut Frame) -> Answered {
    let question: Question = ask.read()?;
    let scope = engine.scope(ask)?;
    let limit = question.limit.unwrap_or(DEFAULT_LIMIT) as usize;
    let times = inside(&engine.trace, scope.range);
    let all_tracks = question.all_tracks == Some(true);
    put_names(engine, ask, &scope, all_tracks, limit, answer)?;
    put_threads(engine, ask, &scope, times, limit, answer)?;
    answer
        .put("cpus", cpus(engine, ask, times))
        .put("counters", counters(engine, ask, times, limit));
    ask.check()
}

#[derive(Serialize)]
struct Name {
    name: u32,
    label: String,
    count: u64,
    #[serde(flatten)]
    times: NameTimes,
}

fn put_names(
    engine: &Engine,
    ask: &Ask,
    scope: &Scope,
    all_tracks: bool,
    limit: usize,
    answer: &mut Frame,
) -> Answered {
    let tracks = scope.tracks(&engine.trace);
    let slices = RangeScope {
        range: scope.range,
        tracks: tracks.as_deref(),
        all_tracks,
    };
    let cancelled = || ask.cancel.is_raised();
    let stats = engine
        .timeline()
        .by_name(&engine.trace, &slices, limit, &cancelled);
    let (stats, hidden) = stats.ok_or(EngineError::Cancelled)?;
    let name = |stats: &NameStats| Name {
        name: stats.name.0,
        label: engine.label(stats.name),
        count: stats.count,
        times: NameTimes::new(stats),
    };
    answer
        .put("by_name", stats.iter().map(name).collect::<Vec<_>>())
        .put("names_hidden", hidden);
    Ok(())
}

#[derive(Serialize)]
struct Thread {
    utid: u32,
    row: u32,
    label: String,
    #[serde(flatten)]
    times: StateAnswer,
}

/// Threads with activity, longest running time first.
fn put_threads(
    engine: &Engine,
    ask: &Ask,
    scope: &Scope,
    range: TimeRange,
    limit: usize,
    answer: &mut Frame,
) -> Answered {
    let (trace, timeline) = (&engine.trace, engine.timeline());
    let is_in_scope = |utid: ThreadId| {
        let row = utid.row();
        scope.has(
            utid,
            trace.threads.upid.get(row),
            trace.threads.source.get(row),
        )
    };
    let mut used: Vec<(ThreadId, [i64; StateKind::COUNT])> = Vec::new();
    for utid in (0..trace.threads.len()).map(ThreadId::from_row) {
        // A thread recorded by two sources is listed once.
        let same = timeline.who_has_states(utid);
        let is_listed = same != utid && is_in_scope(same);
        if timeline.states_of(utid).is_empty() || is_listed || !is_in_scope(utid) {
            continue;
        }
        ask.check()?;
        let times = timeline.thread_use(trace, utid, range);
        if times.iter().any(|ns| *ns > 0) {
            used.push((utid, times));
        }
    }
    sort::by_key(&mut used, |(utid, times)| {
        (Reverse(times[StateKind::Running as usize]), *utid)
    });
    let hidden = used.len().saturating_sub(limit);
    used.truncate(limit);
    let thread = |(utid, times): &(ThreadId, [i64; StateKind::COUNT])| Thread {
        utid: utid.0,
        row: timeline.rows.of_thread(*utid),
        label: engine.thread_label(*utid),
        times: StateAnswer::new(times),
    };
    answer
        .put("threads", used.iter().map(thread).collect::<Vec<_>>())
        .put("threads_hidden", hidden);
    Ok(())
}

#[derive(Serialize)]
struct Cpu {
    cpu: u32,
    row: u32,
    busy_ns: i64,
    percent: f64,
    top: Vec<CpuThread>,
}

#[derive(Serialize)]
struct CpuThread {
    utid: u32,
    label: String,
    ns: i64,
}

fn cpus(engine: &Engine, ask: &Ask, range: TimeRange) -> Vec<Cpu> {
    let (trace, timeline) = (&engine.trace, engine.timeline());
    let to_ns = range.to_ns.max(range.from_ns);
    let whole = to_ns.abs_diff(range.from_ns).max(1) as f64;
    let is_used = |cpu: &u32| !timeline.runs_of(*cpu).is_empty() && !ask.cancel.is_raised();
    let used = (0..timeline.cpus()).filter(is_used);
    let cpu = |cpu: u32| {
        let used = timeline.cpu_use(trace, cpu, range);
        let top = used.top.iter().take(TOP_THREADS);
        let top = top.map(|&(utid, ns)| CpuThread {
            utid: utid.0,
            label: engine.thread_label(utid),
            ns,
        });
        Cpu {
            cpu,
            row: timeline.rows.of_cpu(cpu),
            busy_ns: used.busy_ns,
            percent: used.busy_ns as f64 * 100.0 / whole,
            top: top.collect(),
        }
    };
    used.map(cpu).collect()
}

#[derive(Serialize)]
struct Counter<'a> {
    row: usize,
    label: Cow<'a, str>,
    min: f64,
    max: f64,
    mean: f64,
    last: f64,
}

fn counters<'e>(engine: &'e Engine, ask: &Ask, range: TimeRange, limit: usize) -> Vec<Counter<'e>> {
    let (trace, timeline) = (&engine.trace, engine.timeline());
    let mut counters = Vec::new();
    for (at, row) in timeline.rows.all.iter().enumerate() {
        if row.kind != RowKind::Counter || counters.len() == limit || ask.cancel.is_raised() {
            continue;
        }
        if let Some(used) = timeline.counter_use(trace, row.track, range) {
            counters.push(Counter {
                row: at,
                label: cut(&row.name, LIST_CHARS),
                min: used.extremes.0,
                max: used.extremes.1,
                mean: used.mean,
                last: used.last,
            });
        }
    }
    counters
}
