//! Stack frames, and the samples and events that refer to them.

use traceloom_trace::{ArgValue, IdKind, RepairKind, Trace};

use super::tests::read;

/// A column of a record.
fn cell(trace: &Trace, row: usize, column: &str) -> Option<ArgValue> {
    trace.records.cell(row, trace.strings.lookup(column)?)
}

fn referred(trace: &Trace, row: usize, column: &str) -> Option<usize> {
    match cell(trace, row, column)? {
        ArgValue::Row(_, row) => Some(row as usize),
        _ => None,
    }
}

fn shown(trace: &Trace, row: usize, column: &str) -> String {
    let value = cell(trace, row, column);
    value.map_or(String::new(), |value| {
        value.display(&trace.strings).to_string()
    })
}

fn rows(trace: &Trace, table: &str) -> Vec<usize> {
    let tables = trace.records.rows().table.iter().enumerate();
    let rows = tables.filter(|(_, name)| trace.strings.get(*name) == table);
    rows.map(|(row, _)| row).collect()
}

/// The names of a stack from the innermost frame.
fn stack(trace: &Trace, mut callsite: Option<usize>) -> String {
    let mut names = Vec::new();
    while let Some(row) = callsite {
        let frame = referred(trace, row, "frame_id").unwrap();
        names.push(shown(trace, frame, "name"));
        callsite = referred(trace, row, "parent_id");
    }
    names.join(" < ")
}

/// The time, the tid and the stack of each sample.
fn samples(trace: &Trace) -> Vec<String> {
    let sample = |row| {
        let task = referred(trace, row, "task_context_id").unwrap();
        let Some(ArgValue::Row(IdKind::Thread, utid)) = cell(trace, task, "utid") else {
            return "no thread".to_owned();
        };
        let tid = trace.threads.tid.get(utid as usize);
        let ts = trace.records.rows().ts.get(row);
        let stack = stack(trace, referred(trace, row, "callsite_id"));
        format!("{ts} {tid} {stack}")
    };
    let rows = rows(trace, "__intrinsic_profiler_sample");
    rows.into_iter().map(sample).collect()
}

const FRAMES: &str = r#""stackFrames":{"3":{"name":"draw","parent":2,"category":"app"},
    "1":{"name":"main","category":"app"},"2":{"name":"loop","parent":"1","category":"app","line":"7"}}"#;

/// As Hermes writes them: numbers are strings, and the CPU is unknown.
#[test]
fn samples_have_the_stacks_of_their_frames() {
    let trace = read(&format!(
        r#"{{"traceEvents":[{{"ph":"M","name":"thread_name","pid":7,"tid":"8","args":{{"name":"js"}}}}],
        "samples":[{{"cpu":"-1","name":"","ts":"20","pid":7,"tid":"8","weight":"1","sf":1}},
            {{"cpu":"-1","name":"","ts":"10","pid":7,"tid":"8","weight":"1","sf":3}}],{FRAMES}}}"#
    ));
    let expected = ["10000 8 draw < loop < main", "20000 8 main"];
    assert_eq!(samples(&trace), expected);
    assert!(trace.repairs.rows().is_empty(), "{:?}", trace.repairs);
    let mapping = rows(&trace, "stack_profile_mapping")[0];
    assert_eq!(shown(&trace, mapping, "name"), "app");
    let lines = rows(&trace, "stack_profile_symbol");
    let lines = lines
        .into_iter()
        .map(|row| shown(&trace, row, "line_number"));
    let lines: Vec<_> = lines.collect();
    assert!(lines.contains(&"7".to_owned()), "{lines:?}");
}

/// As converters of perf data write them: no pid, and a weight of an event.
#[test]
fn samples_without_a_pid_belong_to_the_thread_with_their_tid() {
    let trace = read(&format!(
        r#"{{{FRAMES},"samples":[{{"name":"cycles","weight":30,"ts":1.5,"cpu":1,"comm":"app","tid":8,"sf":2}},
            {{"name":"cycles","weight":12,"ts":2,"cpu":1,"comm":"app","tid":8,"sf":2}},
            {{"name":"cycles","weight":1,"ts":2,"cpu":0,"comm":"other","tid":99,"sf":2}}],
        "traceEvents":[{{"ph":"X","ts":1,"dur":9,"pid":7,"tid":8,"name":"a"}}]}}"#
    ));
    let stack = "loop < main";
    let expected = [(1500, 8), (2000, 8), (2000, 99)];
    let expected = expected.map(|(ts, tid)| format!("{ts} {tid} {stack}"));
    assert_eq!(samples(&trace), expected);
    let threads = trace.threads.rows();
    let named = threads.filter(|row| !row.name.is_empty());
    let names: Vec<_> = named.map(|row| trace.strings.get(row.name)).collect();
    assert_eq!(names, ["app", "other"]);
    let sums: Vec<_> = trace.counters.rows().map(|row| row.value).collect();
    assert_eq!(sums, [30.0, 42.0, 1.0]);
    let session = rows(&trace, "__intrinsic_profiler_session");
    assert_eq!(session.len(), 1);
    assert_eq!(shown(&trace, session[0], "event"), "cycles");
}

/// As Go's trace viewer writes them.
#[test]
fn slices_and_instants_have_stacks() {
    let trace = read(&format!(
        r#"{{"traceEvents":[{{"ph":"X","ts":1,"dur":9,"pid":7,"tid":8,"name":"a","sf":2,"esf":3}},
            {{"ph":"B","ts":20,"pid":7,"tid":8,"name":"b","sf":1}},{{"ph":"E","ts":30,"pid":7,"tid":8,"sf":2}},
            {{"ph":"I","s":"t","ts":40,"pid":7,"tid":8,"name":"c","sf":3}},
            {{"ph":"P","ts":50,"pid":7,"tid":8,"name":"d","sf":3}},
            {{"ph":"X","ts":60,"dur":1,"pid":7,"tid":8,"name":"e","sf":77}}],{FRAMES}}}"#
    ));
    let row = |row| {
        let slice = referred(&trace, row, "slice_id").unwrap();
        let name = trace.strings.get(trace.slices.name.get(slice));
        let begin = stack(&trace, referred(&trace, row, "callsite_id"));
        let end = stack(&trace, referred(&trace, row, "end_callsite_id"));
        format!("{name} [{begin}] [{end}]")
    };
    let mut found: Vec<_> = rows(&trace, "__intrinsic_track_event_callstacks")
        .into_iter()
        .map(row)
        .collect();
    found.sort();
    let expected = [
        "a [] [draw < loop < main]",
        "a [loop < main] []",
        "b [] [loop < main]",
        "b [main] []",
        "c [draw < loop < main] []",
        "d [draw < loop < main] []",
    ];
    assert_eq!(found, expected);
    assert_eq!(samples(&trace), ["50000 8 draw < loop < main"]);
    assert_eq!(trace.repairs.count(RepairKind::BadField), 1, "frame 77");
}

/// As Dart's developer tools write them.
#[test]
fn sample_events_have_stacks_with_files() {
    let trace = read(
        r#"{"type":"_CpuProfileTimeline","samplePeriod":50,"stackFrames":{
            "1-1":{"category":"Dart","name":"main","resolvedUrl":"a.dart","sourceLine":3},
            "1-2":{"category":"Dart","name":"draw","parent":"1-1","resolvedUrl":"","sourceLine":null}},
        "traceEvents":[{"ph":"P","name":"","pid":7,"tid":8,"ts":2,"cat":"Dart","sf":"1-2"},
            {"ph":"P","name":"","pid":7,"tid":8,"ts":1,"cat":"Dart","sf":"1-1"}]}"#,
    );
    assert_eq!(samples(&trace), ["1000 8 main", "2000 8 draw < main"]);
    let symbols = rows(&trace, "stack_profile_symbol").into_iter();
    let mut places: Vec<_> = symbols
        .map(|row| {
            let columns = ["name", "source_file", "line_number"];
            columns.map(|column| shown(&trace, row, column)).join(" ")
        })
        .collect();
    places.sort();
    assert_eq!(places, ["draw  ", "main a.dart 3"]);
}

#[test]
fn frames_and_samples_that_do_not_fit_are_counted() {
    let trace = read(
        r#"{"traceEvents":[],"stackFrames":{"1":{"name":"a","parent":2},"2":{"name":"b","parent":1},
            "3":{"name":"c","parent":4}},
        "samples":[{"ts":1,"tid":1,"sf":3},{"ts":2,"tid":1,"sf":9},{"ts":3,"tid":1},{"tid":1,"sf":3},7]}"#,
    );
    assert_eq!(samples(&trace), ["1000 1 c", "2000 1 ", "3000 1 "]);
    let bad = trace.repairs.count(RepairKind::BadField);
    assert_eq!(bad, 2 + 2, "frames without callers, samples without frames");
    assert_eq!(trace.repairs.count(RepairKind::UnparsedLine), 2);
    assert!(!rows(&trace, "stack_profile_callsite").is_empty());
}

#[test]
fn the_number_of_frames_is_limited_by_the_size_of_the_file() {
    let frames: Vec<_> = (0..200_000).map(|id| format!("\"{id}\":{{}}")).collect();
    let frames = format!("{{{}}}", frames.join(","));
    let trace = read(&format!(r#"{{"traceEvents":[],"stackFrames":{frames}}}"#));
    let beyond = trace.repairs.count(RepairKind::BeyondLimit);
    let most = (1 << 16) + frames.len() as u64 / 24;
    assert!(most < 200_000);
    assert_eq!(beyond, 200_000 - most);
}

/// Each cycle is searched once.
#[test]
fn frames_that_call_each_other_are_counted() {
    let pair = |n: u32| {
        format!(
            r#""{0}":{{"parent":{1}}},"{1}":{{"parent":{0}}}"#,
            2 * n,
            2 * n + 1
        )
    };
    let pairs: Vec<_> = (0..20_000).map(pair).collect();
    let frames = pairs.join(",");
    let trace = read(&format!(
        r#"{{"traceEvents":[],"stackFrames":{{{frames}}}}}"#
    ));
    assert_eq!(trace.repairs.count(RepairKind::BadField), 20_000);
}
