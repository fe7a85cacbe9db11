//! Tests dumps alone, next to a trace, and truncated.

use traceloom_trace::{RepairKind, RowId, Trace};

use crate::{ReadOptions, read_bytes};

fn read(text: &str) -> Trace {
    read_bytes(text.as_bytes(), ReadOptions::default()).unwrap()
}

const DUMP: &str = r#"ATRACE_PROCESS_DUMP
{"clock_sync_markers":{"id-1": 21917000},
"dump":{"start_ts": "21917568", "snapshots":[
{"ts":"21917568","meminfo":{"MemTotal":1000,"MemFree":100,"Buffers":10,"Cached":300,"Mapped":50,"SwapTotal":9,"SwapFree":4}},
{"ts":"21917570","memdump":{
"788":{"vm":20,"rss":10,"oom_sc":0,"oom_sc_adj":-900,"min_flt":7,"maj_flt":5,"utime":83,"stime":11
, "mmaps":[{"vm":"a1000-a5000","file":"foo","flags":"rw-s","pss":100,"rss":200,"swp":10,"pc":50,"pd":60,"sc":40,"sd":45}]}}
}],
"processes":{"37":{"name":"kworker/5:0H"},
"788":{"name":"system_server","exe":"/system/bin/app_process64","threads":{
"788":{"name":"system_server"},
"793":{"name":"Signal Catcher"}
}}}}}"#;

fn counters(trace: &Trace) -> Vec<String> {
    let rows = trace.counters.rows().map(|row| {
        let track = trace.tracks.row(row.track_id.row());
        let pid = track.upid.some();
        let pid = pid.map_or(-1, |upid| trace.processes.pid.get(upid.row()));
        let name = trace.strings.get(track.name);
        format!("{} {pid} {name} {}", row.ts / 1_000_000, row.value / 1024.0)
    });
    rows.collect()
}

#[test]
fn a_dump_alone() {
    let trace = read(DUMP);
    let counters = counters(&trace);
    for expected in [
        "21917568 -1 MemTotal 1000",
        "21917568 -1 mem.used 640",
        "21917568 -1 mem.swapped 5",
        "21917570 788 mem.virt 20",
        "21917570 788 mem.rss 10",
    ] {
        assert!(counters.iter().any(|row| row == expected), "{counters:?}");
    }
    assert_eq!(counters.len(), 7 + 2 + 8);
    let tasks: Vec<_> = trace
        .threads
        .rows()
        .map(|row| (row.tid, trace.strings.get(row.name), row.upid.row()))
        .collect();
    assert!(tasks.contains(&(793, "Signal Catcher", 1)), "{tasks:?}");
    let names = trace
        .real_processes()
        .map(|upid| trace.strings.get(trace.processes.name.get(upid.row())));
    assert_eq!(names.collect::<Vec<_>>(), ["system_server", "kworker/5:0H"]);
    assert_eq!(trace.slices.len(), 1);
    let map = trace.slices.row(0);
    assert_eq!(trace.strings.get(map.name), "foo");
    assert_eq!(trace.args.set(map.arg_set_id).count(), 9);
    assert!(trace.repairs.rows().is_empty(), "{:?}", trace.repairs);
    assert_eq!(trace.clocks.len(), 2);
}

#[test]
fn beside_a_trace_it_lies_on_its_time_line() {
    // CLOCK_MONOTONIC shows 21,917.000 s (low precision) at 5 s, and the marker is at 6 s.
    let page = |sync: &str| {
        format!(
            "<!DOCTYPE html><html><!-- BEGIN TRACE -->\
             <script class=\"trace-data\" type=\"application/text\">\n# tracer: nop\n\
             \x20 app-788 (788) [000] .... 5.000000: tracing_mark_write: \
             trace_event_clock_sync: parent_ts=21917.0000\n\
             \x20 app-788 (788) [000] .... 6.000000: tracing_mark_write: \
             trace_event_clock_sync: name={sync}\n\
             </script><script class=\"trace-data\" type=\"application/text\">\n{DUMP}\n\
             </script></html>"
        )
    };
    let first = |trace: &Trace| trace.counters.ts.get(0) / 1_000_000;
    let trace = read(&page("id-1"));
    assert_eq!(first(&trace), 6568, "by the marker, which is exact");
    assert_eq!(
        trace.real_processes().count(),
        2,
        "788 is the one of the events"
    );
    assert_eq!(first(&read(&page("id-2"))), 5568, "by the clock");
    assert!(trace.repairs.rows().is_empty(), "{:?}", trace.repairs);
}

#[test]
fn a_dump_that_breaks_off_gives_what_is_there() {
    let whole = read(DUMP);
    let behind_memory = DUMP.find("\"processes\"").unwrap();
    for end in super::TITLE.len()..DUMP.len() {
        let trace = read(&DUMP[..end]);
        assert_eq!(trace.repairs.count(RepairKind::TornRecord), 1, "{end}");
        if end >= behind_memory {
            assert_eq!(trace.counters.len(), whole.counters.len(), "{end}");
        }
    }
}
