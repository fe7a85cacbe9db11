//! Rows of a profile as JSON. Keys are those of `traceloom profile --json`; `label` and `name_id`
//! come on top.

use traceloom_analyze::{CpuSource, Function, RepairNote, ReportEdge, Times, TreeClocks};

use crate::json::Json;
use crate::trees::Ranking;

pub(super) fn put_times(json: &mut Json, key: &str, times: &Times) {
    let all = [
        ("cpu_ns", times.cpu_ns),
        ("wall_ns", times.wall_ns),
        ("runnable_ns", times.runnable_ns),
        ("sleeping_ns", times.sleeping_ns),
        ("uninterruptible_ns", times.uninterruptible_ns),
    ];
    json.object(key, |json| {
        for (key, ns) in all {
            if let Some(ns) = ns {
                json.put(key, ns);
            }
        }
    });
}

pub(in crate::ops) fn put_clocks(json: &mut Json, clocks: TreeClocks) {
    let cpu = match clocks.cpu {
        CpuSource::None => "none",
        CpuSource::ThreadClock => "thread_clock",
        CpuSource::Scheduler => "scheduler",
    };
    json.object("clocks", |json| {
        json.put("wall", clocks.wall)
            .put("cpu", cpu)
            .put("states", clocks.states);
    });
}

/// A function's texts: `label`, and what it is made of where it is a method.
pub(super) fn put_function(json: &mut Json, function: &Function) {
    json.put("label", function.label());
    let parts = [
        ("class", &function.class),
        ("method", &function.name),
        ("signature", &function.signature),
    ];
    for (key, text) in parts {
        if !text.is_empty() {
            json.put(key, text);
        }
    }
}

pub(super) fn put_row(json: &mut Json, ranking: &Ranking, at: usize) {
    let row = &ranking.profile.rows[at];
    put_function(json, &row.function);
    json.put("rank", row.rank)
        .put("name", ranking.names[at])
        .put("calls", row.calls)
        .put("recursive_calls", row.recursive_calls);
    put_times(json, "inclusive", &row.inclusive);
    put_times(json, "exclusive", &row.exclusive);
}

pub(super) fn put_edges(json: &mut Json, key: &str, ranking: &Ranking, edges: &[ReportEdge]) {
    json.objects(key, edges, |json, edge| {
        let row = (edge.rank as usize).wrapping_sub(1);
        let name = ranking.names.get(row).copied();
        put_function(json, &edge.function);
        json.put("rank", edge.rank)
            .put("name", name.unwrap_or(u32::MAX))
            .put("calls", edge.calls)
            .put("of_calls", edge.of_calls);
        put_times(json, "inclusive", &edge.inclusive);
    });
}

pub(super) fn put_repairs(json: &mut Json, notes: &[RepairNote]) {
    json.objects("repairs", notes, |json, note| {
        json.put("kind", note.kind)
            .put("severity", note.severity)
            .put("count", note.count)
            .put("first", &note.first)
            .put("explanation", note.explanation);
    });
}
