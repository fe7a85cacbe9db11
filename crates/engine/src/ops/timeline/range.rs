//! What ran in a range.

use std::cmp::Reverse;
use traceloom_trace::SmallSort;

use crate::json::{Value, json};
use traceloom_analyze::TimeRange;
use traceloom_analyze::timeline::{RangeScope, RowKind, StateKind, inside};
use traceloom_trace::{RowId, ThreadId};

use crate::ask::Ask;
use crate::cancel::Cancel;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::frame::Frame;
use crate::scope::Scope;
use crate::text::LIST_CHARS;

/// Rows of each table unless the page wants another number.
const USUAL_LIMIT: u32 = 500;
/// Threads that are listed for a CPU.
const TOP_THREADS: usize = 5;

pub(crate) fn range(engine: &Engine, ask: &Ask, cancel: &Cancel) -> Result<Frame, EngineError> {
    let scope = Scope::of(engine, ask)?;
    let limit = ask.maybe("limit", Ask::u32)?.unwrap_or(USUAL_LIMIT) as usize;
    let (by_name, hidden) = by_name(engine, &scope, limit, ask.flag("all_tracks"), cancel)?;
    let times = inside(&engine.trace, scope.range);
    let (threads, more) = threads(engine, &scope, times, limit, cancel)?;
    Ok(Frame::new()
        .with("by_name", by_name)
        .with("names_hidden", hidden)
        .with("threads", threads)
        .with("threads_hidden", more)
        .with("cpus", cpus(engine, times, cancel)?)
        .with("counters", counters(engine, times, limit, cancel)?))
}

fn by_name(
    engine: &Engine,
    scope: &Scope,
    limit: usize,
    all_tracks: bool,
    cancel: &Cancel,
) -> Result<(Vec<Value>, usize), EngineError> {
    let tracks = scope.tracks(&engine.trace);
    let slices = RangeScope {
        range: scope.range,
        tracks: tracks.as_deref(),
        all_tracks,
    };
    let cancelled = || cancel.is_raised();
    let stats = engine
        .timeline()
        .by_name(&engine.trace, &slices, limit, &cancelled);
    let (stats, hidden) = stats.ok_or(EngineError::Cancelled)?;
    let row = stats.into_iter().map(|stats| {
        json!({
            "name": stats.name.0,
            "label": engine.label(stats.name, LIST_CHARS),
            "count": stats.count,
            "total_ns": stats.total_ns,
            "self_ns": stats.self_ns,
            "min_ns": stats.min_ns,
            "median_ns": stats.median_ns,
            "p95_ns": stats.p95_ns,
            "max_ns": stats.max_ns,
        })
    });
    Ok((row.collect(), hidden))
}

/// Threads that did something, those that ran longest first.
fn threads(
    engine: &Engine,
    scope: &Scope,
    range: TimeRange,
    limit: usize,
    cancel: &Cancel,
) -> Result<(Vec<Value>, usize), EngineError> {
    let (trace, timeline) = (&engine.trace, engine.timeline());
    let mut used: Vec<(ThreadId, [i64; StateKind::COUNT])> = Vec::new();
    for utid in (0..trace.threads.len()).map(ThreadId::from_row) {
        // A thread of two sources is listed once.
        let same = timeline.who_has_states(utid);
        let is_listed = same != utid && scope.has_thread(trace, same);
        if timeline.states_of(utid).is_empty() || is_listed || !scope.has_thread(trace, utid) {
            continue;
        }
        cancel.check()?;
        let times = timeline.thread_use(trace, utid, range);
        if times.iter().any(|ns| *ns > 0) {
            used.push((utid, times));
        }
    }
    let running = |times: &[i64; StateKind::COUNT]| times[StateKind::Running as usize];
    used.small_sort_by_key(|(utid, times)| (Reverse(running(times)), *utid));
    let hidden = used.len().saturating_sub(limit);
    let row = |(utid, times): &(ThreadId, [i64; StateKind::COUNT])| {
        let of = |kind: StateKind| times[kind as usize];
        let both = |one: StateKind, other: StateKind| of(one).saturating_add(of(other));
        json!({
            "utid": utid.0,
            "row": timeline.rows.of_thread(*utid),
            "label": engine.thread_label(*utid),
            "running_ns": of(StateKind::Running),
            "runnable_ns": both(StateKind::Runnable, StateKind::Preempted),
            "sleeping_ns": of(StateKind::Sleeping),
            "uninterruptible_ns": of(StateKind::Uninterruptible),
            "io_ns": of(StateKind::UninterruptibleIo),
            "other_ns": both(StateKind::Stopped, StateKind::Unknown).saturating_add(of(StateKind::Dead)),
        })
    };
    Ok((used.iter().take(limit).map(row).collect(), hidden))
}

fn cpus(engine: &Engine, range: TimeRange, cancel: &Cancel) -> Result<Vec<Value>, EngineError> {
    let (trace, timeline) = (&engine.trace, engine.timeline());
    let whole = (i128::from(range.to_ns) - i128::from(range.from_ns)).max(1) as f64;
    let mut cpus = Vec::new();
    for cpu in (0..timeline.cpus()).filter(|cpu| !timeline.runs_of(*cpu).is_empty()) {
        cancel.check()?;
        let used = timeline.cpu_use(trace, cpu, range);
        let top = used.top.iter().take(TOP_THREADS).map(
            |&(utid, ns)| json!({"utid": utid.0, "label": engine.thread_label(utid), "ns": ns}),
        );
        cpus.push(json!({
            "cpu": cpu,
            "row": timeline.rows.of_cpu(cpu),
            "busy_ns": used.busy_ns,
            "percent": used.busy_ns as f64 * 100.0 / whole,
            "top": top.collect::<Vec<_>>(),
        }));
    }
    Ok(cpus)
}

fn counters(
    engine: &Engine,
    range: TimeRange,
    limit: usize,
    cancel: &Cancel,
) -> Result<Vec<Value>, EngineError> {
    let (trace, timeline) = (&engine.trace, engine.timeline());
    let mut counters = Vec::new();
    for (at, row) in timeline.rows.all.iter().enumerate() {
        if row.kind != RowKind::Counter || counters.len() >= limit {
            continue;
        }
        cancel.check()?;
        if let Some(used) = timeline.counter_use(trace, row.track, range) {
            counters.push(json!({
                "row": at,
                "label": crate::text::cut(&row.name, LIST_CHARS),
                "min": used.extremes.0,
                "max": used.extremes.1,
                "mean": used.mean,
                "last": used.last,
            }));
        }
    }
    Ok(counters)
}

impl Scope {
    /// Whether a thread belongs to the scope.
    fn has_thread(&self, trace: &traceloom_trace::Trace, utid: ThreadId) -> bool {
        let row = trace.threads.row(utid.row());
        let threads = self.threads.as_ref();
        threads.is_none_or(|threads| threads.binary_search(&utid.0).is_ok())
            && self.process.is_none_or(|process| process == row.upid.0)
            && self.source.is_none_or(|source| source == row.source.0)
    }
}
