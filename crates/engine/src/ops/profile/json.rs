//! Rows of a profile as JSON. Keys are those of `traceloom profile --json`; `label` and `name_id`
//! come on top.

use crate::json::{Map, Value, json};
use traceloom_analyze::{CpuSource, Function, RepairNote, ReportEdge, Times, TreeClocks};

use crate::trees::Ranking;

pub(super) fn times(times: &Times) -> Value {
    let all = [
        ("cpu_ns", times.cpu_ns),
        ("wall_ns", times.wall_ns),
        ("runnable_ns", times.runnable_ns),
        ("sleeping_ns", times.sleeping_ns),
        ("uninterruptible_ns", times.uninterruptible_ns),
    ];
    let mut map = Map::new();
    for (key, ns) in all {
        if let Some(ns) = ns {
            map.insert(key, &ns);
        }
    }
    map.end()
}

pub(in crate::ops) fn clocks(clocks: TreeClocks) -> Value {
    let cpu = match clocks.cpu {
        CpuSource::None => "none",
        CpuSource::ThreadClock => "thread_clock",
        CpuSource::Scheduler => "scheduler",
    };
    json!({"wall": clocks.wall, "cpu": cpu, "states": clocks.states})
}

/// A function's texts: `label`, and what it is made of where it is a method.
pub(super) fn function(function: &Function) -> Map {
    let mut map = Map::new();
    map.insert("label", &function.label());
    let parts = [
        ("class", &function.class),
        ("method", &function.name),
        ("signature", &function.signature),
    ];
    for (key, text) in parts.into_iter().filter(|(_, text)| !text.is_empty()) {
        map.insert(key, text);
    }
    map
}

pub(super) fn row(ranking: &Ranking, at: usize) -> Value {
    let row = &ranking.profile.rows[at];
    let mut map = function(&row.function);
    map.insert("rank", &row.rank);
    map.insert("name", &ranking.names[at]);
    map.insert("calls", &row.calls);
    map.insert("recursive_calls", &row.recursive_calls);
    map.insert("inclusive", &times(&row.inclusive));
    map.insert("exclusive", &times(&row.exclusive));
    map.end()
}

pub(super) fn edges(ranking: &Ranking, edges: &[ReportEdge]) -> Vec<Value> {
    edges.iter().map(|one| edge(ranking, one)).collect()
}

fn edge(ranking: &Ranking, edge: &ReportEdge) -> Value {
    let name = (edge.rank as usize)
        .checked_sub(1)
        .and_then(|at| ranking.names.get(at));
    let mut map = function(&edge.function);
    map.insert("rank", &edge.rank);
    map.insert("name", &name.copied().unwrap_or(u32::MAX));
    map.insert("calls", &edge.calls);
    map.insert("of_calls", &edge.of_calls);
    map.insert("inclusive", &times(&edge.inclusive));
    map.end()
}

pub(super) fn repairs(notes: &[RepairNote]) -> Vec<Value> {
    let note = |note: &RepairNote| {
        json!({
            "kind": note.kind, "severity": note.severity, "count": note.count,
            "first": note.first, "explanation": note.explanation,
        })
    };
    notes.iter().map(note).collect()
}
