//! Written traces can be read again.

use serde_json::Value;
use traceloom_trace::{RowId, SliceId, Trace};

use super::ChromeJson;
use crate::format::{Format, ReadOptions, WriteOptions};
use crate::omissions::{Omission, Written};
use crate::read_bytes;

pub fn write(trace: &Trace) -> (Vec<u8>, Written) {
    let mut out = Vec::new();
    let writer = ChromeJson.writer().unwrap();
    let written = writer.write(trace, &WriteOptions::default(), &mut out);
    (out, written.unwrap())
}

/// Everything that must survive writing and reading: the contents of threads, including clocks.
fn facts(trace: &Trace) -> Vec<String> {
    let mut facts = Vec::new();
    for n in trace.slices.spans() {
        let row = trace.slices.row(n);
        let track = trace.tracks.row(row.track_id.row());
        let name = trace.slice_name(SliceId::from_row(n));
        let args: Vec<_> = trace
            .args
            .set(row.arg_set_id)
            .map(|(key, value)| {
                format!(
                    "{}={}",
                    trace.strings.get(key),
                    value.display(&trace.strings)
                )
            })
            .collect();
        let owner = track.utid.some().filter(|_| track.kind.is_stack());
        let owner = owner.map(|utid| trace.strings.get(trace.threads.name.get(utid.row())));
        // The format cannot distinguish a clock without an end from one without a duration.
        let clocks = (row.dur >= 0).then_some((row.thread_ts, row.thread_dur));
        facts.push(format!(
            "{} {} {} {name} {owner:?} {clocks:?} {args:?}",
            row.ts, row.dur, row.depth
        ));
    }
    for row in trace.counters.rows() {
        facts.push(format!("{} {}", row.ts, row.value));
    }
    facts.sort();
    facts
}

#[test]
fn method_traces_and_system_traces_come_back() {
    const EXAMPLES: [&[u8]; 2] = [
        include_bytes!("../../../../examples/app.trace"),
        include_bytes!("../../../../examples/linux.html"),
    ];
    for bytes in EXAMPLES {
        let trace = read_bytes(bytes, ReadOptions::default()).unwrap();
        let (json, written) = write(&trace);
        let _well_formed: Value = serde_json::from_slice(&json).unwrap();
        let again = read_bytes(&json, ReadOptions::default()).unwrap();
        for (before, after) in facts(&trace).iter().zip(facts(&again)) {
            assert_eq!(*before, after);
        }
        assert_eq!(facts(&trace).len(), facts(&again).len());
        assert_eq!(
            written.count(Omission::SchedSlices),
            trace.sched_slices.len() as u64
        );
        assert_eq!(written.count(Omission::CpuTimes), 0);
    }
}

#[test]
fn clocks_of_instants_and_lone_durations_come_back() {
    let text = br#"[{"ph":"i","pid":1,"tid":1,"ts":1,"tts":3.5,"s":"t","name":"a"},
        {"ph":"X","pid":1,"tid":1,"ts":2,"dur":2,"tdur":1.5,"name":"b"}]"#;
    let trace = read_bytes(text, ReadOptions::default()).unwrap();
    let again = read_bytes(&write(&trace).0, ReadOptions::default()).unwrap();
    for trace in [trace, again] {
        let clocks = trace
            .slices
            .rows()
            .map(|row| (row.thread_ts, row.thread_dur));
        assert_eq!(clocks.collect::<Vec<_>>(), [(3_500, -1), (-1, 1_500)]);
    }
}

/// Sort indexes of processes and threads are kept and written again.
#[test]
fn sort_indexes_come_back() {
    let text = br#"[
        {"ph":"M","name":"process_sort_index","pid":7,"args":{"sort_index":-2}},
        {"ph":"M","name":"thread_sort_index","pid":7,"tid":8,"args":{"sort_index":5}},
        {"ph":"X","name":"work","pid":7,"tid":8,"ts":1,"dur":2}]"#;
    let hints = |text: &[u8]| {
        let trace = crate::read_bytes(text, crate::ReadOptions::default()).unwrap();
        let sets = trace
            .processes
            .arg_set_id
            .iter()
            .chain(trace.threads.arg_set_id.iter());
        let args = sets.flat_map(|set| trace.args.set(set).collect::<Vec<_>>());
        let hints = args.map(|(key, value)| {
            format!(
                "{}={}",
                trace.strings.get(key),
                value.display(&trace.strings)
            )
        });
        (hints.collect::<Vec<_>>(), trace)
    };
    let (first, trace) = hints(text);
    assert_eq!(
        first,
        ["process_sort_index_hint=-2", "thread_sort_index_hint=5"]
    );
    let mut written = Vec::new();
    let format = &super::ChromeJson as &dyn crate::format::Format;
    let writer = format.writer().unwrap();
    writer
        .write(&trace, &Default::default(), &mut written)
        .unwrap();
    assert_eq!(hints(&written).0, first);
}

/// The GPU's clock may be ahead of the processor's.
#[test]
fn flows_against_the_time_are_counted() {
    let text = r#"[{"ph":"X","pid":1,"tid":1,"ts":5,"dur":9,"name":"a"},{"ph":"X","pid":1,"tid":2,"ts":3,"dur":9,"name":"b"},
        {"ph":"X","pid":1,"tid":3,"ts":5,"dur":0,"name":"c"},
        {"ph":"s","pid":1,"tid":1,"ts":6,"id":1,"name":"f"},{"ph":"t","pid":1,"tid":2,"ts":7,"id":1,"name":"f"},
        {"ph":"s","pid":1,"tid":2,"ts":4,"id":2,"name":"f"},{"ph":"f","bp":"e","pid":1,"tid":3,"ts":5,"id":2,"name":"f"}]"#;
    let trace = read_bytes(text.as_bytes(), ReadOptions::default()).unwrap();
    assert_eq!(trace.flows.len(), 2);
    let (json, written) = write(&trace);
    let again = read_bytes(&json, ReadOptions::default()).unwrap();
    assert_eq!(again.flows.len(), 1);
    assert_eq!(written.count(Omission::Flows), 1);
}
