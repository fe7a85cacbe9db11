//! CPU profiles of V8: those of real traces have as many samples as a generic JSON reader counts, and a small one has
//! the right stacks in both of Chrome's formats.

mod common;

use std::collections::HashMap;

use common::{corpus, open, text};
use serde_json::{Value, json};
use testkit::Proto;
use traceloom_formats::ReadOptions;
use traceloom_trace::{ArgValue, IdKind, RepairKind, Trace};

/// The number of samples in the events of a JSON trace, and how many of these have a complete stack.
fn counted(trace: &Value) -> (u64, u64) {
    let events = trace.get("traceEvents").unwrap_or(trace);
    let mut known: HashMap<String, Vec<u64>> = HashMap::new();
    let (mut all, mut complete) = (0, 0);
    for event in events.as_array().into_iter().flatten() {
        if event["name"] != "ProfileChunk" {
            continue;
        }
        let nodes = known.entry(format!("{} {}", event["pid"], event["id"]));
        let nodes = nodes.or_default();
        let profile = &event["args"]["data"]["cpuProfile"];
        for node in profile["nodes"].as_array().into_iter().flatten() {
            let parent = node["parent"].as_u64();
            if parent.is_none_or(|parent| nodes.contains(&parent)) {
                nodes.extend(node["id"].as_u64());
            }
        }
        for sample in profile["samples"].as_array().into_iter().flatten() {
            all += 1;
            complete += u64::from(sample.as_u64().is_some_and(|node| nodes.contains(&node)));
        }
    }
    (all, complete)
}

fn samples(trace: &Trace) -> Vec<usize> {
    let tables = trace.records.rows().table.iter().enumerate();
    let of_table = tables.filter(|(_, name)| text(trace, *name) == "__intrinsic_profiler_sample");
    of_table.map(|(row, _)| row).collect()
}

#[test]
fn real_traces_have_all_samples() {
    let Some(corpus) = corpus() else { return };
    let mut profiles = 0;
    for (path, _) in corpus.files("chrome-json/") {
        let bytes = corpus.read(path);
        let Ok(json) = serde_json::from_slice::<Value>(&bytes) else {
            continue;
        };
        let (all, complete) = counted(&json);
        if all == 0 {
            continue;
        }
        profiles += 1;
        let trace = open(&bytes, ReadOptions::default());
        assert_eq!(samples(&trace).len() as u64, complete, "{path}");
        let mut repairs = trace.repairs.rows().iter();
        let is_told = repairs.any(|row| row.kind == RepairKind::BadField);
        assert_eq!(is_told, all != complete, "{path}");
    }
    assert!(profiles >= 5, "{profiles} traces with profiles");
}

/// A column of a record.
fn cell(trace: &Trace, row: usize, column: &str) -> Option<ArgValue> {
    trace.records.cell(row, trace.strings.lookup(column)?)
}

fn referred(trace: &Trace, row: usize, column: &str) -> Option<usize> {
    match cell(trace, row, column)? {
        ArgValue::Row(IdKind::Record, row) => Some(row as usize),
        _ => None,
    }
}

/// Each sample: its time, its thread, and its stack from the innermost frame.
fn stacks(trace: &Trace) -> Vec<String> {
    let shown = |row, column| {
        let value = cell(trace, row, column);
        value.map_or(String::new(), |value| {
            value.display(&trace.strings).to_string()
        })
    };
    let stack = |row| {
        let mut names = Vec::new();
        let mut callsite = referred(trace, row, "callsite_id");
        while let Some(row) = callsite {
            let frame = referred(trace, row, "frame_id").unwrap();
            names.push(shown(frame, "name"));
            callsite = referred(trace, row, "parent_id");
        }
        let task = referred(trace, row, "task_context_id").unwrap();
        let Some(ArgValue::Row(IdKind::Thread, utid)) = cell(trace, task, "utid") else {
            return "no thread".to_owned();
        };
        let tid = trace.threads.tid.get(utid as usize);
        let ts = trace.records.rows().ts.get(row);
        format!("{ts} {tid} {}", names.join(" < "))
    };
    samples(trace).into_iter().map(stack).collect()
}

/// The data of a profile: its start, and two chunks.
fn parts() -> [Value; 3] {
    let node = |id: u32, parent: Option<u32>, name: &str| json!({"id": id, "parent": parent, "callFrame": {"functionName": name, "url": "app.js", "lineNumber": 4}});
    let nodes = [node(1, None, "(root)"), node(2, Some(1), "draw")];
    [
        json!({"startTime": 1000}),
        json!({"cpuProfile": {"nodes": nodes, "samples": [1, 2]}, "timeDeltas": [10, 20]}),
        json!({"cpuProfile": {"nodes": [node(3, Some(2), "")], "samples": [3, 9]}, "timeDeltas": [30, 40]}),
    ]
}

const STACKS: [&str; 3] = [
    "1010000 8 (root)",
    "1030000 8 draw < (root)",
    "1060000 8 (anonymous) < draw < (root)",
];

/// The profiled thread is the thread of the first event. Another thread writes the chunks.
const TIDS: [i64; 3] = [8, 9, 9];

#[test]
fn a_profile_in_json() {
    let event = |(data, tid): (Value, i64)| {
        let name = ["ProfileChunk", "Profile"][usize::from(tid == 8)];
        json!({"ph": "P", "name": name, "cat": "v8", "pid": 7, "tid": tid, "ts": 2000, "id": "0x1", "args": {"data": data}})
    };
    let mut events: Vec<Value> = parts().into_iter().zip(TIDS).map(event).collect();
    for _ in 0..2 {
        let trace = open(json!(events).to_string().as_bytes(), ReadOptions::default());
        assert_eq!(stacks(&trace), STACKS);
        assert_eq!(trace.repairs.rows().len(), 1, "the sample of node 9");
        assert_eq!(trace.slices.len(), 0);
        // Chrome may write the thread of the chunks before the profiled thread.
        events.rotate_left(1);
    }
}

/// webpack writes such events, and so did early versions of DevTools.
#[test]
fn a_whole_profile_in_one_event() {
    let [_, first, second] = parts();
    let lists = |path: &str| {
        let list = |part: &Value| part.pointer(path).unwrap().as_array().unwrap().clone();
        [list(&first), list(&second)].concat()
    };
    let profile = json!({"nodes": lists("/cpuProfile/nodes"), "startTime": 1000, "endTime": 1100,
        "samples": lists("/cpuProfile/samples"), "timeDeltas": lists("/timeDeltas")});
    let event = json!({"ph": "I", "name": "CpuProfile", "pid": 7, "tid": 8, "ts": 1100, "id": 1,
        "args": {"data": {"cpuProfile": profile}}});
    let other = json!({"ph": "I", "name": "CpuProfile", "pid": 7, "tid": 8, "ts": 5, "args": {}});
    let trace = open(
        json!([event, other]).to_string().as_bytes(),
        ReadOptions::default(),
    );
    assert_eq!(stacks(&trace), STACKS);
    assert_eq!(trace.repairs.rows().len(), 1, "the sample of node 9");
    assert_eq!(trace.slices.len(), 1, "the event without a profile");
}

#[test]
fn a_profile_in_track_events() {
    let thread = |uuid, tid| {
        let thread = Proto::new().int(1, 7).int(2, tid);
        let track = Proto::new().int(1, uuid).message(4, thread);
        Proto::new().int(10, 1).message(60, track)
    };
    let event = |(data, tid): (Value, i64)| {
        let annotation = Proto::new().text(10, "data").text(9, &data.to_string());
        let legacy = Proto::new().int(2, i64::from(b'P')).int(6, 1);
        let event = Proto::new()
            .int(11, tid)
            .message(4, annotation)
            .message(6, legacy);
        let packet = Proto::new().int(8, 2_000_000).int(10, 1).int(58, 3);
        packet.message(11, event)
    };
    let events = parts().into_iter().zip(TIDS).map(event);
    let packets = [thread(8, 8), thread(9, 9)].into_iter().chain(events);
    let file = packets.fold(Proto::new(), |file, packet| file.message(1, packet));
    let trace = open(file.bytes(), ReadOptions::default());
    assert_eq!(stacks(&trace), STACKS);
    assert_eq!(trace.slices.len(), 0);
}
