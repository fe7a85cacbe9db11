//! Profiles of Firefox Profiler: those of real files have as many samples as a generic JSON reader counts, and small
//! ones have the right stacks in both forms.

mod common;

use common::samples::{cell, samples, stacks};
use common::{corpus, counters, open, slices, text};
use serde_json::{Value, json};
use traceloom_formats::ReadOptions;
use traceloom_trace::{ClockKind, RepairKind, Trace};

fn read(profile: &Value) -> Trace {
    open(profile.to_string().as_bytes(), ReadOptions::default())
}

/// The threads of a profile and of the processes in it, some of which are texts.
fn threads(profile: &Value) -> Vec<Value> {
    let list = |name: &str| profile[name].as_array().into_iter().flatten();
    let own = list("threads").flat_map(|thread| match thread {
        Value::String(text) => threads(&serde_json::from_str(text).unwrap()),
        thread => vec![thread.clone()],
    });
    own.chain(list("processes").flat_map(threads)).collect()
}

/// The number of samples with a stack.
fn counted(profile: &Value) -> usize {
    let of_thread = |thread: &Value| {
        let samples = &thread["samples"];
        let rows = match samples["schema"]["stack"].as_u64() {
            Some(place) => {
                let rows = samples["data"].as_array().unwrap().iter();
                rows.map(|row| row[place as usize].clone()).collect()
            }
            None => samples["stack"].as_array().unwrap().clone(),
        };
        rows.iter().filter(|stack| !stack.is_null()).count()
    };
    threads(profile).iter().map(of_thread).sum()
}

#[test]
fn real_files_have_all_samples() {
    let Some(corpus) = corpus() else { return };
    let mut profiles = 0;
    for (path, _) in corpus.files("firefox/") {
        let bytes = corpus.read(path);
        let Ok(json) = serde_json::from_slice::<Value>(&bytes) else {
            continue;
        };
        let profile = json.get("profile").unwrap_or(&json);
        profiles += 1;
        let trace = open(&bytes, ReadOptions::default());
        assert_eq!(samples(&trace).len(), counted(profile), "{path}");
    }
    assert!(profiles >= 8, "{profiles} profiles");
}

/// The tables of stacks: `main` calls `draw`, of a library, and `load`, of a script.
fn tables() -> Value {
    json!({
        "stackTable": {"frame": [0, 1, 2], "prefix": [null, 0, 0]},
        "frameTable": {"func": [0, 1, 2], "address": [-1, 498, -1], "line": [null, null, 9]},
        "funcTable": {"name": [0, 1, 2], "resource": [-1, 0, -1], "fileName": [null, null, 3], "lineNumber": [null, null, 8]},
        "resourceTable": {"lib": [0], "name": [4]},
        "stringArray": ["main", "0x1f2", "load", "app.js", "libshop.so", "tick", "net"],
    })
}

fn processed() -> Value {
    let mut thread = tables();
    thread["name"] = json!("GeckoMain");
    thread["processName"] = json!("shop");
    thread["pid"] = json!("7");
    thread["tid"] = json!(7);
    thread["samples"] = json!({"stack": [1, null, 2], "timeDeltas": [1.5, 1, 0.25]});
    json!({
        "meta": {"interval": 1, "startTime": 1000.5, "product": "ls", "startTimeAsClockMonotonicNanosecondsSinceBoot": 5},
        "libs": [{"name": "libshop.so", "path": "/data/libshop.so", "codeId": "c0de"}],
        "threads": [thread],
    })
}

const STACKS: [&str; 2] = ["1500000 7  < main", "2750000 7 load < main"];

#[test]
fn a_processed_profile() {
    let trace = read(&processed());
    assert_eq!(stacks(&trace), STACKS);
    let thread = trace
        .threads
        .row(trace.real_threads().next().unwrap().0 as usize);
    assert_eq!(trace.strings.get(thread.name), "shop");
    assert!(trace.repairs.rows().is_empty(), "{:?}", trace.repairs);
    let tables = trace.records.rows().table.iter().enumerate();
    let of = |name: &str| {
        let rows = tables.clone();
        rows.filter(|(_, table)| text(&trace, *table) == name)
            .last()
            .unwrap()
            .0
    };
    let shown = |table, column| {
        let value = cell(&trace, of(table), column).unwrap();
        value.display(&trace.strings).to_string()
    };
    assert_eq!(shown("stack_profile_symbol", "source_file"), "app.js");
    assert_eq!(shown("stack_profile_symbol", "line_number"), "9");
    let clocks = trace
        .clocks
        .iter()
        .map(|clock| (clock.clock, clock.value_ns));
    let expected = [
        (ClockKind::Realtime, 1_000_500_000),
        (ClockKind::Monotonic, 5),
    ];
    assert_eq!(clocks.collect::<Vec<_>>(), expected);
}

/// Since version 60 the tables of stacks are shared, since 66 a caller is given by its distance, and since 70 frames
/// refer to libraries.
#[test]
fn the_newest_processed_profile() {
    let mut profile = processed();
    let mut shared = tables();
    shared["stackTable"] = json!({"frame": [0, 1, 2], "prefixOffset": [0, 1, 2]});
    shared["frameTable"]["lib"] = json!([-1, 0, -1]);
    shared["funcTable"]["resource"] = json!([-1, -1, -1]);
    shared["funcTable"]["source"] = json!([null, null, 0]);
    shared["funcTable"]
        .as_object_mut()
        .unwrap()
        .remove("fileName");
    shared["sources"] = json!({"filename": [3]});
    profile["shared"] = shared;
    let thread = profile["threads"][0].as_object_mut().unwrap();
    for (table, _) in tables().as_object().unwrap() {
        thread.remove(table);
    }
    let trace = read(&profile);
    assert_eq!(stacks(&trace), STACKS);
    assert!(trace.repairs.rows().is_empty(), "{:?}", trace.repairs);
}

/// simpleperf writes this form. The times of an inner process count from its own start.
#[test]
fn a_raw_profile_with_processes() {
    let thread = |pid: i64| {
        json!({"name": "worker", "pid": pid, "tid": pid + 1,
        "stringTable": ["main (in libc.so)", "draw(int) (in /data/(a b)/libshop.so)"],
        "frameTable": {"schema": {"location": 0, "line": 1}, "data": [[0], [1, 3]]},
        "stackTable": {"schema": {"prefix": 0, "frame": 1}, "data": [[null, 0], [0, 1]]},
        "samples": {"schema": {"stack": 0, "time": 1, "responsiveness": 2}, "data": [[1, 2.5, 0], [0, 3]]}})
    };
    let inner = json!({"meta": {"startTime": 1010}, "threads": [thread(9)]});
    let trace = read(
        &json!({"meta": {"interval": 1, "startTime": 1000, "categories": []},
        "threads": [thread(7)], "processes": [inner]}),
    );
    let expected = [
        "2500000 8 draw(int) < main",
        "3000000 8 main",
        "12500000 10 draw(int) < main",
        "13000000 10 main",
    ];
    assert_eq!(stacks(&trace), expected);
}

#[test]
fn markers_are_slices_that_may_cross() {
    let mut profile = processed();
    profile["meta"]["categories"] = json!([{"name": "Other"}, {"name": "DOM"}]);
    profile["threads"][0]["markers"] = json!({
        "name": [5, 6, 6, 5, 5, 5],
        "startTime": [1, 2, 4, 6, null, 9],
        "endTime": [null, 5, 8, null, 7, null],
        "phase": [0, 1, 1, 2, 3, 3],
        "category": [0, 1, 1, 0, 0, 0],
        "data": [{"flow": 7}, null, null, null, null, null],
    });
    let trace = read(&profile);
    let expected = [
        "t7:/0 net 2000+3000",
        "t7:/0 net 4000+4000",
        "t7:/0 tick 6000+1000",
    ];
    assert_eq!(slices(&trace), expected);
    assert_eq!(trace.repairs.count(RepairKind::Unplaced), 1);
    assert_eq!(trace.repairs.rows().len(), 1);
}

/// Before version 20 of the raw form, markers had one time.
#[test]
fn old_markers_have_their_phase_in_their_data() {
    let mut profile = processed();
    profile["threads"][0]["markers"] = json!({
        "name": [5, 6, 5, 5],
        "time": [1, 2, 3, 4],
        "data": [
            {"type": "tracing", "interval": "start"},
            {"startTime": 1.5, "endTime": 2},
            {"type": "tracing", "interval": "end"},
            null,
        ],
    });
    let trace = read(&profile);
    assert_eq!(
        slices(&trace),
        ["t7:/0 tick 1000+2000", "t7:/1 net 1500+500"]
    );
    assert_eq!(trace.slices.len(), 3, "and an instant");
    assert!(trace.repairs.rows().is_empty(), "{:?}", trace.repairs);
}

/// The developer tools of old versions changed the times of samples, but not of markers.
#[test]
fn markers_of_a_profile_in_another_object_have_no_place() {
    let mut profile = processed();
    profile["threads"][0]["markers"] = json!({"name": [5], "time": [900], "data": [null]});
    let trace = read(&json!({"label": "", "duration": 9, "markers": [], "profile": profile}));
    assert_eq!(stacks(&trace), STACKS);
    assert_eq!(trace.slices.len(), 0);
    assert_eq!(trace.repairs.count(RepairKind::Unplaced), 1);
}

#[test]
fn weights_and_counters() {
    let mut profile = processed();
    let samples = &mut profile["threads"][0]["samples"];
    samples["weight"] = json!([3, 1, -2]);
    samples["weightType"] = json!("tracing-ms");
    profile["threads"][0]["nativeAllocations"] = json!({"time": [1], "weight": [64], "stack": [1]});
    profile["counters"] =
        json!([{"name": "malloc", "pid": "7", "samples": {"time": [1, 2], "count": [100, -20]}}]);
    let trace = read(&profile);
    assert_eq!(
        counters(&trace),
        [
            "json_counter malloc=100",
            "global_counter duration=3000000",
            "json_counter malloc=80",
        ]
    );
    assert_eq!(
        trace.repairs.count(RepairKind::BadField),
        1,
        "a weight below 0"
    );
    assert_eq!(trace.repairs.count(RepairKind::SkippedEntry), 1);
}

/// Times that do not fit into a trace are left out, and so are threads that would need too much memory.
#[test]
fn numbers_that_are_too_large_are_counted() {
    let mut profile = processed();
    profile["threads"][0]["samples"]["timeDeltas"] = json!([1e300, 1, 1]);
    let trace = read(&profile);
    assert_eq!(trace.repairs.count(RepairKind::Unplaced), 1);
    profile = processed();
    let thread = json!({"tid": 1});
    profile["threads"]
        .as_array_mut()
        .unwrap()
        .extend(vec![thread; 5_000]);
    let trace = read(&profile);
    assert!(trace.repairs.count(RepairKind::BeyondLimit) > 3_000);
    assert_eq!(stacks(&trace), STACKS);
}

/// Damage is counted: a text that ends early, and rows that refer to rows that are not there.
#[test]
fn damaged_profiles_tell_what_is_missing() {
    let mut profile = processed();
    profile["threads"][0]["samples"]["stack"] = json!([1, 77, 2]);
    profile["threads"][0]["stackTable"]["prefix"] = json!([null, 0, 9]);
    let trace = read(&profile);
    assert_eq!(trace.repairs.count(RepairKind::BadField), 2);
    let text = processed().to_string();
    let known = text.find("interval").unwrap() + 12;
    for end in (known..text.len()).step_by(7) {
        let trace = open(&text.as_bytes()[..end], ReadOptions::default());
        assert!(!trace.repairs.rows().is_empty(), "{end} bytes");
    }
}
