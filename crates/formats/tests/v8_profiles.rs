//! CPU profiles of V8: those of real traces have as many samples as a generic JSON reader counts, and a small one has
//! the right stacks in both of Chrome's formats.

mod common;

use std::collections::HashMap;

use common::samples::{samples, stacks};
use common::{corpus, open};
use serde_json::{Value, json};
use testkit::Proto;
use traceloom_formats::ReadOptions;
use traceloom_trace::RepairKind;

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

/// The same profile in one piece.
fn whole() -> Value {
    let [_, first, second] = parts();
    let lists = |path: &str| {
        let list = |part: &Value| part.pointer(path).unwrap().as_array().unwrap().clone();
        [list(&first), list(&second)].concat()
    };
    json!({"nodes": lists("/cpuProfile/nodes"), "startTime": 1000, "endTime": 1100,
        "samples": lists("/cpuProfile/samples"), "timeDeltas": lists("/timeDeltas")})
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
    let profile = whole();
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

/// The same profile as a file.
#[test]
fn a_profile_as_a_file() {
    let profile = whole();
    let trace = open(profile.to_string().as_bytes(), ReadOptions::default());
    let expected = STACKS.map(|stack| stack.replace(" 8 ", " -1 "));
    assert_eq!(stacks(&trace), expected);
    assert_eq!(trace.repairs.rows().len(), 1, "the sample of node 9");
}

#[test]
fn real_files_have_all_samples() {
    let Some(corpus) = corpus() else { return };
    let mut profiles = 0;
    for (path, _) in corpus.files("cpuprofile/") {
        let bytes = corpus.read(path);
        let json: Value = serde_json::from_slice(&bytes).unwrap();
        let Some(expected) = json["samples"]
            .as_array()
            .filter(|_| json["nodes"].is_array())
        else {
            continue;
        };
        profiles += 1;
        let trace = open(&bytes, ReadOptions::default());
        assert_eq!(samples(&trace).len(), expected.len(), "{path}");
        assert!(
            trace.repairs.rows().is_empty(),
            "{path}: {:?}",
            trace.repairs
        );
    }
    assert!(profiles >= 3, "{profiles} profiles");
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
