use testkit::Proto;
use traceloom_trace::{ArgValue, RepairKind, Trace};

use crate::{ReadOptions, read_bytes};

fn file(records: &[Proto], end: &[u8]) -> Vec<u8> {
    let mut bytes = b"SIMPLEPERF\x01\x00".to_vec();
    for record in records {
        bytes.extend((record.bytes().len() as u32).to_le_bytes());
        bytes.extend(record.bytes());
    }
    bytes.extend(end);
    bytes
}

fn read(records: &[Proto]) -> Trace {
    read_bytes(&file(records, &[0; 4]), ReadOptions::default()).unwrap()
}

/// The values of a column of a table.
fn column(trace: &Trace, table: &str, key: &str) -> Vec<String> {
    let value = |row| match trace.records.cell(row, trace.strings.lookup(key)?)? {
        ArgValue::Text(text) => Some(trace.strings.get(text).to_owned()),
        ArgValue::Int(number) => Some(number.to_string()),
        other => Some(format!("{other:?}")),
    };
    let tables = trace.records.rows().table.iter().enumerate();
    let rows = tables.filter(|(_, of)| trace.strings.get(*of) == table);
    rows.map(|(row, _)| value(row).unwrap_or_default())
        .collect()
}

fn entry(address: i64, file: i64, symbol: i64) -> Proto {
    Proto::new().int(1, address).int(2, file).int(3, symbol)
}

fn sample(ts: i64, tid: i64, stack: &[Proto]) -> Proto {
    let sample = Proto::new().int(1, ts).int(2, tid);
    let sample = stack
        .iter()
        .fold(sample, |sample, entry| sample.message(3, entry.clone()));
    Proto::new().message(1, sample.int(4, 1_000).int(5, 0))
}

fn described() -> [Proto; 3] {
    let libc = Proto::new()
        .int(1, 7)
        .text(2, "/lib/libc.so")
        .text(3, "malloc")
        .text(3, "free");
    let thread = Proto::new().int(1, 42).int(2, 40).text(3, "worker");
    let meta = Proto::new().text(1, "cpu-clock").text(2, "com.example");
    [
        Proto::new().message(3, libc),
        Proto::new().message(4, thread),
        Proto::new().message(5, meta),
    ]
}

/// The stack of a sample begins with the innermost function. It refers to records that come later.
#[test]
fn samples_name_what_comes_behind_them() {
    let stack = [entry(16, 7, 1), entry(32, 7, 0)];
    let mut records = vec![sample(2_000, 42, &stack), sample(1_000, 42, &stack[1..])];
    records.extend(described());
    let trace = read(&records);
    assert_eq!(
        column(&trace, "stack_profile_frame", "name"),
        ["malloc", "free"]
    );
    assert_eq!(
        column(&trace, "stack_profile_frame", "rel_pc"),
        ["32", "16"]
    );
    assert_eq!(
        column(&trace, "stack_profile_mapping", "name"),
        ["/lib/libc.so"]
    );
    assert_eq!(
        column(&trace, "stack_profile_callsite", "depth"),
        ["0", "1"]
    );
    let samples = "__intrinsic_profiler_sample";
    assert_eq!(
        column(&trace, samples, "source"),
        ["simpleperf", "simpleperf"]
    );
    let callsites = column(&trace, samples, "callsite_id");
    assert_ne!(
        callsites[0], callsites[1],
        "the first sample is that of 1000 ns"
    );
    let thread = trace
        .threads
        .rows()
        .find(|thread| thread.tid == 42)
        .unwrap();
    assert_eq!(trace.strings.get(thread.name), "worker");
    assert_eq!(trace.counters.len(), 2);
    assert_eq!(trace.bounds, (1_000, 2_000));
    assert!(trace.repairs.rows().is_empty());
}

#[test]
fn what_is_missing_is_counted() {
    let mut records = vec![
        sample(1, 42, &[entry(1, 9, 0)]),
        sample(2, 42, &[entry(1, 7, 5)]),
    ];
    records.push(sample(3, 42, &[entry(1, 7, -1)]));
    records.extend(described());
    records.push(Proto::new().message(2, Proto::new().int(1, 3).int(2, 5)));
    records.push(Proto::new().message(6, Proto::new().int(1, 1).int(2, 4).int(3, 42)));
    let whole = file(&records, &[0; 4]);
    let trace = read_bytes(&whole, ReadOptions::default()).unwrap();
    assert_eq!(
        trace.repairs.count(RepairKind::BadField),
        2,
        "symbol -1 means none"
    );
    assert_eq!(trace.repairs.count(RepairKind::LostEvents), 5);
    assert_eq!(trace.repairs.count(RepairKind::SkippedEntry), 1);
    assert_eq!(
        column(&trace, "__intrinsic_profiler_sample", "source").len(),
        3
    );
    for end in 12..whole.len() {
        let torn = read_bytes(&whole[..end], ReadOptions::default()).unwrap();
        assert_eq!(torn.repairs.count(RepairKind::TornRecord), 1, "{end}");
    }
    let more = [whole, b"more".to_vec()].concat();
    let trace = read_bytes(&more, ReadOptions::default()).unwrap();
    assert_eq!(trace.repairs.count(RepairKind::TrailingBytes), 4);
}

/// Samples of all CPUs include samples of the idle threads.
#[test]
fn the_idle_threads_have_their_name() {
    let idle = Proto::new().int(1, 0).int(2, 0).text(3, "swapper");
    let mut records = vec![sample(1, 0, &[]), sample(2, 42, &[])];
    records.extend(described());
    records.push(Proto::new().message(4, idle));
    let trace = read(&records);
    let threads = trace.threads.rows();
    let threads: Vec<_> = threads
        .map(|thread| (thread.tid, trace.strings.get(thread.name)))
        .collect();
    assert_eq!(threads, [(0, "swapper"), (42, "worker")]);
    assert_eq!(trace.real_threads().count(), 2);
}

#[test]
fn a_report_without_records_is_a_trace() {
    assert!(read(&[]).repairs.rows().is_empty());
}
