//! What ran in a range.

use std::cmp::Reverse;

use traceloom_analyze::TimeRange;
use traceloom_analyze::timeline::{RangeScope, RowKind, StateKind, inside};
use traceloom_trace::{RowId, SmallSort, ThreadId};

use super::find::stats_fields;
use crate::ask::Ask;
use crate::engine::Engine;
use crate::error::{Answered, EngineError};
use crate::frame::Frame;
use crate::json::Json;
use crate::scope::Scope;
use crate::text::LIST_CHARS;

/// Rows of each table unless the page wants another number.
const USUAL_LIMIT: u32 = 500;
/// Threads that are listed for a CPU.
const TOP_THREADS: usize = 5;

pub(crate) fn range(engine: &Engine, ask: &Ask, answer: &mut Frame) -> Answered {
    let scope = Scope::of(engine, ask)?;
    let limit = ask.u32_or("limit", USUAL_LIMIT)? as usize;
    let times = inside(&engine.trace, scope.range);
    let json = &mut answer.json;
    put_names(engine, ask, &scope, limit, json)?;
    put_threads(engine, ask, &scope, times, limit, json)?;
    put_cpus(engine, ask, times, json);
    put_counters(engine, ask, times, limit, json);
    ask.check()
}

fn put_names(engine: &Engine, ask: &Ask, scope: &Scope, limit: usize, json: &mut Json) -> Answered {
    let tracks = scope.tracks(&engine.trace);
    let slices = RangeScope {
        range: scope.range,
        tracks: tracks.as_deref(),
        all_tracks: ask.flag("all_tracks"),
    };
    let cancelled = || ask.cancel.is_raised();
    let timeline = engine.timeline();
    let stats = timeline.by_name(&engine.trace, &slices, limit, &cancelled);
    let (stats, hidden) = stats.ok_or(EngineError::Cancelled)?;
    json.objects("by_name", &stats, |json, stats| {
        json.put("name", stats.name.0);
        engine.put_label(json, "label", stats.name);
        json.put("count", stats.count);
        stats_fields(json, stats);
    });
    json.put("names_hidden", hidden);
    Ok(())
}

/// Threads that did something, those that ran longest first.
fn put_threads(
    engine: &Engine,
    ask: &Ask,
    scope: &Scope,
    range: TimeRange,
    limit: usize,
    json: &mut Json,
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
        // A thread of two sources is listed once.
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
    used.small_sort_by_key(|(utid, times)| (Reverse(times[StateKind::Running as usize]), *utid));
    let hidden = used.len().saturating_sub(limit);
    used.truncate(limit);
    json.objects("threads", &used, |json, (utid, times)| {
        json.put("utid", utid.0)
            .put("row", timeline.rows.of_thread(*utid));
        engine.put_thread_label(json, "label", *utid);
        put_times(json, times);
    });
    json.put("threads_hidden", hidden);
    Ok(())
}

fn put_cpus(engine: &Engine, ask: &Ask, range: TimeRange, json: &mut Json) {
    let (trace, timeline) = (&engine.trace, engine.timeline());
    let to_ns = range.to_ns.max(range.from_ns);
    let whole = to_ns.abs_diff(range.from_ns).max(1) as f64;
    let is_used = |cpu: &u32| !timeline.runs_of(*cpu).is_empty() && !ask.cancel.is_raised();
    let used = (0..timeline.cpus()).filter(is_used);
    json.objects("cpus", used, |json, cpu| {
        let used = timeline.cpu_use(trace, cpu, range);
        json.put("cpu", cpu)
            .put("row", timeline.rows.of_cpu(cpu))
            .put("busy_ns", used.busy_ns)
            .put("percent", used.busy_ns as f64 * 100.0 / whole);
        let top = used.top.iter().take(TOP_THREADS);
        json.objects("top", top, |json, &(utid, ns)| {
            json.put("utid", utid.0);
            engine.put_thread_label(json, "label", utid);
            json.put("ns", ns);
        });
    });
}

fn put_counters(engine: &Engine, ask: &Ask, range: TimeRange, limit: usize, json: &mut Json) {
    let (trace, timeline) = (&engine.trace, engine.timeline());
    let mut room = limit;
    json.list("counters", |json| {
        for (at, row) in timeline.rows.all.iter().enumerate() {
            if row.kind != RowKind::Counter || room == 0 || ask.cancel.is_raised() {
                continue;
            }
            if let Some(used) = timeline.counter_use(trace, row.track, range) {
                room -= 1;
                json.object("", |json| {
                    json.put("row", at)
                        .put_cut("label", &row.name, LIST_CHARS)
                        .put("min", used.extremes.0)
                        .put("max", used.extremes.1)
                        .put("mean", used.mean)
                        .put("last", used.last);
                });
            }
        }
    });
}

/// Adds a thread's times in the states that the page tells apart, ns.
pub(super) fn put_times(json: &mut Json, times: &[i64; StateKind::COUNT]) {
    let groups: [(&str, &[StateKind]); 6] = [
        ("running_ns", &[StateKind::Running]),
        ("runnable_ns", &[StateKind::Runnable, StateKind::Preempted]),
        ("sleeping_ns", &[StateKind::Sleeping]),
        ("uninterruptible_ns", &[StateKind::Uninterruptible]),
        ("io_ns", &[StateKind::UninterruptibleIo]),
        (
            "other_ns",
            &[StateKind::Stopped, StateKind::Unknown, StateKind::Dead],
        ),
    ];
    for (key, kinds) in groups {
        let add = |sum: i64, kind: &StateKind| sum.saturating_add(times[*kind as usize]);
        json.put(key, kinds.iter().fold(0, add));
    }
}
