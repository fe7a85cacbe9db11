use serde_json::Value;
use traceloom_trace::{ClockKind, NO_DURATION, RepairKind, RowId, SliceId, Trace, TrackType};

use super::round_trip_tests::write;
use crate::error::ReadError;
use crate::format::ReadOptions;
use crate::read_bytes;

pub(super) fn read(text: &str) -> Trace {
    read_bytes(text.as_bytes(), ReadOptions::default()).unwrap()
}

/// `name ts+dur` of each slice, in µs, preceded by its depth.
pub(super) fn slices(trace: &Trace) -> Vec<String> {
    let row = |n: usize| {
        let row = trace.slices.row(n);
        let name = trace.slice_name(SliceId::from_row(n));
        let dur = match row.dur {
            NO_DURATION => "…".to_owned(),
            dur => (dur / 1_000).to_string(),
        };
        format!("{} {name} {}+{dur}", row.depth, row.ts / 1_000)
    };
    trace.slices.spans().map(row).collect()
}

#[test]
fn begins_ends_and_whole_slices_nest() {
    let trace = read(
        r#"{"traceEvents":[
        {"ph":"X","pid":1,"tid":2,"ts":2,"dur":3,"name":"inner"},
        {"ph":"X","pid":1,"tid":2,"ts":2.0,"dur":8.5,"tts":1,"tdur":2.25,"name":"outer","cat":"c"},
        {"ph":"B","pid":1,"tid":3,"ts":1,"name":"a","args":{"x":1}},
        {"ph":"B","pid":1,"tid":3,"ts":4,"name":"b"},
        {"ph":"E","pid":1,"tid":3,"ts":6,"args":{"y":"z"}},
        {"ph":"E","pid":1,"tid":3,"ts":9,"name":"a","args":{"y":[1]}},
        {"ph":"M","pid":1,"tid":3,"name":"thread_name","args":{"name":"worker"}},
        {"ph":"M","pid":1,"name":"process_name","args":{"name":"app"}}
        ],"otherData":{"version":"7"}}"#,
    );
    let expected = ["0 a 1+8", "0 outer 2+8", "1 inner 2+3", "1 b 4+2"];
    assert_eq!(slices(&trace), expected);
    let outer = trace.slices.row(1);
    assert_eq!((outer.dur, outer.thread_dur), (8_500, 2_250));
    let args: Vec<_> = trace
        .args
        .set(trace.slices.arg_set_id.get(0))
        .map(|(key, value)| (trace.strings.get(key), value.display(&trace.strings)))
        .collect();
    assert_eq!(args, [("x", "1".to_owned()), ("y", "[1]".to_owned())]);
    assert_eq!(trace.metadata("version"), Some("7"));
    let names: Vec<_> = trace
        .real_threads()
        .map(|utid| trace.strings.get(trace.threads.name.get(utid.row())))
        .collect();
    assert_eq!(names, ["", "worker"]);
    assert_eq!(trace.strings.get(trace.processes.name.get(1)), "app");
    assert!(trace.repairs.rows().is_empty(), "{:?}", trace.repairs);
}

#[test]
fn a_slice_that_crosses_another_lies_beside_it() {
    let trace = read(
        r#"[{"ph":"X","pid":1,"tid":1,"ts":0,"dur":5,"name":"a"},
            {"ph":"X","pid":1,"tid":1,"ts":3,"dur":5,"name":"b"},
            {"ph":"X","pid":1,"tid":1,"ts":4,"dur":1.0004,"name":"rounded"}"#,
    );
    assert_eq!(slices(&trace), ["0 a 0+5", "0 b 3+5", "1 rounded 4+1"]);
    let kinds = [0, 1].map(|row| trace.tracks.kind.get(trace.slices.track_id.get(row).row()));
    assert_eq!(
        kinds,
        [
            TrackType::ThreadExecution,
            TrackType::ThreadOverlappingSlice
        ]
    );
}

#[test]
fn async_slices_of_one_id_nest_and_others_overlap() {
    let trace = read(
        r#"[{"ph":"b","pid":1,"ts":0,"id":"0x1","cat":"net","name":"load"},
            {"ph":"b","pid":1,"ts":1,"id":"0x1","cat":"net","name":"connect"},
            {"ph":"b","pid":1,"ts":2,"id2":{"local":"0x2"},"cat":"net","name":"load"},
            {"ph":"n","pid":1,"ts":3,"id":"0x1","cat":"net","name":"now"},
            {"ph":"e","pid":1,"ts":4,"id":"0x1","cat":"net","name":"connect"},
            {"ph":"e","pid":1,"ts":7,"id":"0x1","cat":"net","name":"load"},
            {"ph":"e","pid":1,"ts":9,"id2":{"local":"0x2"},"cat":"net","name":"load"},
            {"ph":"S","pid":1,"ts":1,"id":3,"name":"old"},{"ph":"F","pid":1,"ts":5,"id":3,"name":"old"},
            {"ph":"F","pid":1,"ts":6,"id":4,"name":"never begun"}]"#,
    );
    let expected = ["0 load 0+7", "1 connect 1+3", "0 old 1+4", "0 load 2+7"];
    assert_eq!(slices(&trace), expected);
    assert_eq!(trace.slices.instants().count(), 1);
    assert_eq!(trace.repairs.count(RepairKind::UnmatchedEnd), 1);
}

#[test]
fn an_end_means_the_slice_with_its_name() {
    let trace = read(
        r#"[{"ph":"b","pid":1,"ts":0,"id":1,"cat":"c","name":"a"},
            {"ph":"b","pid":1,"ts":1,"id":1,"cat":"c","name":"b"},
            {"ph":"e","pid":1,"ts":2,"id":1,"cat":"c","name":"a"},
            {"ph":"e","pid":1,"ts":3,"id":1,"cat":"c","name":"b"},
            {"ph":"b","pid":1,"ts":4,"id":1,"cat":"c","name":"d"},
            {"ph":"e","pid":1,"ts":6,"id":1,"cat":"c"}]"#,
    );
    assert_eq!(slices(&trace), ["0 a 0+2", "0 b 1+2", "0 d 4+2"]);
    assert!(trace.repairs.rows().is_empty(), "{:?}", trace.repairs);
}

/// As in chrome://tracing: a global id goes before a local one, and `id` before both.
#[test]
fn what_lacks_its_id_or_has_no_readable_duration_is_counted() {
    let trace = read(
        r#"[{"ph":"b","pid":1,"ts":0,"id2":{"global":"g","local":"l"},"cat":"c","name":"global"},
            {"ph":"e","pid":2,"ts":1,"id2":{"global":"g"},"cat":"c","name":"global"},
            {"ph":"b","pid":1,"ts":2,"id2":{"local":"l"},"id":"i","cat":"c","name":"plain"},
            {"ph":"e","pid":1,"ts":3,"id":"i","cat":"c","name":"plain"},
            {"ph":"b","pid":1,"ts":4,"id2":{"":"x"},"cat":"c","name":"nothing"},
            {"ph":"n","pid":1,"ts":4,"cat":"c","name":"nothing"},
            {"ph":"X","pid":1,"tid":1,"ts":5,"dur":"7a","name":"bad"},
            {"ph":"X","pid":1,"tid":1,"ts":6,"name":"no end"},
            {}]"#,
    );
    assert_eq!(
        slices(&trace),
        ["0 global 0+1", "0 plain 2+1", "0 no end 6+…"]
    );
    assert_eq!(trace.slices.instants().count(), 0);
    assert_eq!(trace.repairs.count(RepairKind::UnparsedLine), 3);
}

#[test]
fn counters_instants_and_flows() {
    let trace = read(
        r#"[{"ph":"C","pid":1,"ts":0,"name":"memory","args":{"value":7.5}},
            {"ph":"C","pid":1,"ts":1,"name":"queue","id":"a","args":{"in":1,"out":"2","bad":"x"}},
            {"ph":"I","pid":1,"tid":1,"ts":3,"s":"g","name":"global"},
            {"ph":"i","pid":1,"tid":1,"ts":2,"name":"here","args":{"k":1}},
            {"ph":"X","pid":1,"tid":1,"ts":0,"dur":9,"name":"from"},
            {"ph":"X","pid":1,"tid":2,"ts":10,"dur":9,"name":"to"},
            {"ph":"X","pid":1,"tid":2,"ts":30,"dur":9,"name":"third"},
            {"ph":"s","pid":1,"tid":1,"ts":5,"id":1,"name":"f","cat":"c"},
            {"ph":"t","pid":1,"tid":2,"ts":12,"id":1,"name":"f","cat":"c"},
            {"ph":"f","pid":1,"tid":2,"ts":20,"id":1,"name":"f","cat":"c"},
            {"ph":"O","pid":1,"tid":1,"ts":4,"id":9,"name":"cc::Layer","args":{"snapshot":{"a":1}}}]"#,
    );
    let counters: Vec<_> = trace
        .counters
        .rows()
        .map(|row| {
            (
                trace.strings.get(trace.tracks.name.get(row.track_id.row())),
                row.value,
            )
        })
        .collect();
    let expected = [("memory", 7.5), ("queue[a] in", 1.0), ("queue[a] out", 2.0)];
    assert_eq!(counters, expected);
    assert_eq!(trace.repairs.count(RepairKind::BadField), 1);
    let flows: Vec<_> = trace
        .flows
        .rows()
        .map(|flow| [flow.slice_out, flow.slice_in].map(|slice| trace.slice_name(slice)))
        .collect();
    assert_eq!(flows, [["from", "to"], ["to", "third"]]);
    assert_eq!(trace.slices.instants().count(), 3);
}

#[test]
fn text_of_the_kernel_in_a_member_is_read_too() {
    let trace = read(
        "{\"traceEvents\":[{\"ph\":\"X\",\"pid\":7,\"tid\":8,\"ts\":1000000,\"dur\":5,\"name\":\"a\"}],\
         \"systemTraceEvents\":\"# tracer: nop\\n  app-8 ( 7) [000] .... 1.000001: \
         tracing_mark_write: B|7|b\\n  app-8 ( 7) [000] .... 1.000002: tracing_mark_write: E|7\\n\"}",
    );
    assert_eq!(slices(&trace), ["0 a 1000000+5", "0 b 1000001+1"]);
    assert_eq!(trace.sources.len(), 1);
}

#[test]
fn a_block_of_a_page_takes_the_clock_of_the_others() {
    let page = "<!DOCTYPE html><html><!-- BEGIN TRACE -->\
        <script class=\"trace-data\" type=\"application/text\">\n# tracer: nop\n\
        \x20 app-8 ( 8) [000] .... 5.000000: tracing_mark_write: trace_event_clock_sync: name=x-1\n\
        \x20 app-8 ( 8) [000] .... 5.000001: tracing_mark_write: B|8|a\n\
        \x20 app-8 ( 8) [000] .... 5.000009: tracing_mark_write: E|8\n\
        </script>\n<script class=\"trace-data\" type=\"application/text\">\n\
        {\"traceEvents\": [{\"ph\":\"c\",\"pid\":3,\"tid\":3,\"ts\":1002,\"name\":\"clock_sync\",\
        \"args\":{\"sync_id\":\"x-1\",\"issue_ts\":1000}},\
        {\"ph\":\"X\",\"pid\":3,\"tid\":3,\"ts\":1004,\"dur\":2,\"name\":\"host\"}]}</script></html>";
    let trace = read(page);
    assert_eq!(slices(&trace), ["0 a 5000001+8", "0 host 5000004+2"]);
    assert_eq!(trace.sources.len(), 1);
    assert_eq!(trace.clocks.len(), 1);
    assert_eq!(trace.clocks[0].clock, ClockKind::Trace);
    assert!(trace.repairs.rows().is_empty(), "{:?}", trace.repairs);
}

#[test]
fn broken_text_is_counted_and_other_json_refused() {
    let trace = read(
        r#"[{"ph":"X","pid":1,"tid":1,"ts":"x","name":"a"},7,{"ph":"B","ts":1,"name":"b"}, {"ph":"E","#,
    );
    assert_eq!(slices(&trace), ["0 b 1+…"]);
    let count = |kind| trace.repairs.count(kind);
    assert_eq!(count(RepairKind::UnparsedLine), 1);
    assert_eq!(count(RepairKind::TornRecord), 1);
    assert_eq!(count(RepairKind::TrailingBytes), 1);
    let small = r#"{"nodes":[{"id":1}]}"#.to_owned();
    let big = format!("{{\"nodes\":[{}1]}}", "1,".repeat(1 << 16));
    let array = format!("[{{\"id\":\"{}\"}},{{\"id\":2}}]", "1".repeat(1 << 17));
    for other in [small, big, array] {
        let error = read_bytes(other.as_bytes(), ReadOptions::default()).unwrap_err();
        assert!(matches!(error, ReadError::UnknownFormat { .. }), "{error}");
    }
}

/// An array of events needs no end, but an object does.
#[test]
fn an_object_without_its_end_is_torn() {
    let event = r#"{"ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"name":"a"}"#;
    let torn = |text: &str| read(text).repairs.count(RepairKind::TornRecord);
    assert_eq!(torn(&format!("{{\"traceEvents\":[{event},{event}")), 1);
    assert_eq!(torn(&format!("{{\"traceEvents\":[{event}]")), 1);
    assert_eq!(torn(&format!("{{\"traceEvents\":[{event}]}}\n")), 0);
    assert_eq!(torn(&format!("[{event},\n")), 0);
}

/// The first event alone is longer than the head that is used for detection.
#[test]
fn a_first_event_of_any_size_is_read() {
    for size in [1 << 10, 70_000, 1 << 20] {
        let long = "x".repeat(size);
        let event = format!(r#"{{"args":{{"text":"{long}"}},"name":"a","ts":1,"dur":2,"ph":"X"}}"#);
        for text in [format!("[{event}]"), format!("\n[ {event},\n{event}")] {
            let trace = read(&text);
            assert!(!trace.slices.is_empty(), "{size}");
        }
    }
}

/// The number of events of these phases that another reader finds; `None` if it reads nothing.
fn counted(bytes: &[u8], phases: &[&str]) -> Option<usize> {
    let mut text = String::from_utf8_lossy(bytes).trim_end().to_owned();
    if text.starts_with('[') && !text.ends_with(']') {
        text = format!("{}]", text.trim_end_matches(','));
    }
    let value: Value = serde_json::from_str(&text).ok()?;
    let events = value.get("traceEvents").unwrap_or(&value).as_array()?;
    let is = |event: &&Value| phases.iter().any(|phase| event["ph"] == *phase);
    // CPU profiles become samples.
    let is_profile = |event: &&Value| {
        let is_whole = event.pointer("/args/data/cpuProfile/nodes").is_some();
        let name = event["name"].as_str();
        is_whole || name.is_some_and(|name| name.starts_with("Profile"))
    };
    Some(
        events
            .iter()
            .filter(|event| is(event) && !is_profile(event))
            .count(),
    )
}

/// Larger files would make the test slow; other tests read them.
const BIG: usize = 800_000;

#[test]
fn real_traces_have_as_many_events_as_another_reader_finds() {
    let folder = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../shared/testdata/chrome-json"
    );
    let root = std::env::var("TRACELOOM_TESTDATA").map(|root| root + "/chrome-json");
    let Ok(files) = std::fs::read_dir(root.unwrap_or(folder.to_owned())) else {
        return eprintln!("skipped: no corpus");
    };
    let (mut checked, mut compared) = (0, 0);
    for path in files.map(|file| file.unwrap().path()) {
        let bytes = std::fs::read(&path).unwrap();
        if bytes.len() > BIG {
            continue;
        }
        let trace = read_bytes(&bytes, ReadOptions::default()).unwrap();
        checked += 1;
        let has_text = memchr::memmem::find(&bytes, b"systemTraceEvents").is_some();
        if let (Some(count), false) = (counted(&bytes, &["B", "X", "b", "S"]), has_text) {
            assert_eq!(trace.slices.span_count(), count, "{}", path.display());
            let moments = [
                "i", "I", "R", "n", "T", "p", "P", "N", "O", "D", "V", "v", "(", ")",
            ];
            let count = counted(&bytes, &moments).unwrap();
            assert_eq!(trace.slices.instants().count(), count, "{}", path.display());
            compared += 1;
        }
        if trace.slices.is_empty() {
            continue;
        }
        let again = read_bytes(&write(&trace).0, ReadOptions::default()).unwrap();
        let spans = |trace: &Trace| trace.slices.span_count();
        assert_eq!(spans(&again), spans(&trace), "{}", path.display());
        assert_eq!(again.counters.len(), trace.counters.len());
    }
    assert!(compared > 30, "{compared}");
    println!("{checked} real traces checked");
}

/// systrace's JSON with every kind of data. All agents' data is on one time line, because the
/// controller noted when it asked each agent for its marker.
#[test]
fn the_parts_of_systraces_json_lie_on_one_time_line() {
    let controller = r#"{"traceEvents":[
        {"ph":"c","cat":"__metadata","name":"clock_sync","ts":900100,"args":{"sync_id":"a","issue_ts":900000}},
        {"ph":"c","cat":"__metadata","name":"clock_sync","ts":900300,"args":{"sync_id":"b","issue_ts":900200}},
        {"ph":"c","cat":"__metadata","name":"clock_sync","ts":900500,"args":{"sync_id":"d","issue_ts":900400}}],
        "metadata":{"clock-domain":"SYSTRACE"}}"#;
    let mark = "tracing_mark_write: trace_event_clock_sync";
    let parts = [
        ("powerTraceAsString", "# BattOr\n0.10 5.0 4000.0\n0.30 6.0 4000.0 <b>\n".to_owned()),
        ("waltTrace", format!("# tracer: \n# clock_type=LINUX_CLOCK_MONOTONIC\n\
            WALTThread-1234 (42) [000] ...1 70.000004: tracing_mark_write: B|42|tap|description=x|WALT\n\
            WALTThread-1234 (42) [000] ...1 70.000006: tracing_mark_write: E|42|tap||WALT\n\
            <0>-0  (-----) [001] ...1  70.000002: {mark}: name=c\n")),
        ("atraceProcessDump", "ATRACE_PROCESS_DUMP\n{\"clock_sync_markers\":{\"d\":70001},\n\"dump\":{\
            \"start_ts\":\"70000\",\"snapshots\":[{\"ts\":\"70001\",\"memdump\":{\"8\":{\"rss\":3}}}],\
            \"processes\":{\"8\":{\"name\":\"shop\"}}}}".to_owned()),
        ("systemTraceEvents", format!("# tracer: nop\n  app-8 ( 8) [000] .... 5.000000: {mark}: name=a\n\
            \x20 app-8 ( 8) [000] .... 5.000001: {mark}: parent_ts=70.000001\n")),
        ("cgroupDump", "# tracer: \nCGROUP DUMP\ncpuset 4 7 1\n# cgroup task attachment\n/top-app (root=4) : 8 9\n".to_owned()),
        ("androidProcessDump", "PROCESS DUMP\nUSER PID TID CMD\nroot 8 9 worker\n".to_owned()),
        ("systraceController", controller.to_owned()),
    ];
    let members = parts.map(|(key, text)| format!("{}:{}", Value::from(key), Value::from(text)));
    let json = format!(
        "{{\"controllerTraceDataKey\":\"systraceController\",{}}}",
        members.join(",")
    );
    let trace = read(&json);
    assert_eq!(slices(&trace), ["0 tap|description=x|WALT 5000004+2"]);
    let mut values: Vec<_> = trace
        .counters
        .rows()
        .map(|row| (row.ts / 1000, row.value))
        .collect();
    values.sort_by(|a, b| a.partial_cmp(b).unwrap());
    // The BattOr's marker is 200 µs after the trace's marker, and its first sample 200 µs before
    // its own.
    let battor = [(5_000_000, 5.0), (5_000_000, 20.0), (5_000_000, 4000.0)];
    assert_eq!(values[..3], battor);
    let (at, rss) = values[values.len() - 1];
    // Aligned by `CLOCK_MONOTONIC`, because the marker is less precise by 100 µs.
    assert_eq!((at, rss), (5_001_000, 3072.0), "the process's memory");
    let process = trace.processes.row(1);
    assert_eq!((process.pid, trace.strings.get(process.name)), (8, "shop"));
    let fact = |key: &str| {
        trace
            .metadata
            .rows()
            .any(|row| trace.strings.get(row.key) == key)
    };
    assert!(fact("cgroup.tasks./top-app (root=4)") && fact("cgroup.cpuset"));
    assert!(trace.threads.tid.iter().any(|tid| tid == 9));
    let names = trace
        .sources
        .name
        .iter()
        .map(|name| trace.strings.get(name).to_owned());
    assert_eq!(
        names.skip(1).collect::<Vec<_>>(),
        ["powerTraceAsString", "waltTrace"]
    );
    assert!(trace.repairs.rows().is_empty(), "{:?}", trace.repairs);
}

#[test]
fn events_open_without_a_list_and_in_nested_lists() {
    let event = r#"{"ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"name":"a"}"#;
    let texts = [
        format!("{event}\n{event}\n"),
        format!("{event},\n{event},\n]"),
        format!("[[{event},{event}]]"),
        format!("[,{event},{event}]"),
        format!(r#"{{"traceEvents":[[{event}],[{event}]],"displayTimeUnit":"ns"}}"#),
    ];
    for text in texts {
        let trace = read(&text);
        assert_eq!(trace.slices.len(), 2, "{text}");
        assert!(trace.repairs.rows().is_empty(), "{text}");
    }
}
