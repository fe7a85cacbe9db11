use testkit::{
    PERF_IDENTIFIER, PERF_IP, PERF_TID, PERF_TIME, PerfDataBytes, PerfEvent, PerfRecord,
};
use traceloom_trace::{RepairKind, Trace};

use super::{SAMPLES, read, repairs, rows};

const FIELDS: u64 = PERF_IDENTIFIER | PERF_IP | PERF_TID;
const TIMED: u64 = 5;
const UNTIMED: u64 = 6;

/// Two events: the samples of one have times.
fn events() -> Vec<PerfEvent> {
    let event = |id, sample_type| PerfEvent {
        sample_type,
        ids: vec![id],
        ..PerfEvent::default()
    };
    vec![event(TIMED, FIELDS | PERF_TIME), event(UNTIMED, FIELDS)]
}

fn sample(id: u64, ts: &[u64]) -> PerfRecord {
    PerfRecord::new(9, 2)
        .u64(&[id, 0x1008])
        .u32(&[1, 1])
        .u64(ts)
}

fn trace(records: Vec<PerfRecord>) -> Trace {
    let file = PerfDataBytes {
        events: events(),
        records,
        ..PerfDataBytes::default()
    };
    read(&file.to_bytes())
}

fn times(trace: &Trace) -> Vec<i64> {
    let samples = rows(trace, SAMPLES).into_iter();
    samples
        .map(|row| trace.records.rows().ts.get(row))
        .collect()
}

#[test]
fn samples_of_a_file_without_times_stand_apart() {
    let trace = trace(vec![sample(UNTIMED, &[]); 3]);
    assert_eq!(times(&trace), [0, 1_000_000, 2_000_000]);
    assert_eq!(repairs(&trace), [(RepairKind::RebuiltTime, 3)]);
}

#[test]
fn samples_without_times_have_that_of_the_record_before() {
    let (with, without) = (|ts| sample(TIMED, &[ts]), || sample(UNTIMED, &[]));
    let trace = trace(vec![without(), with(30), without(), with(20), without()]);
    assert_eq!(times(&trace), [20, 20, 30, 30, 30]);
    assert_eq!(repairs(&trace), [(RepairKind::RebuiltTime, 3)]);
}

/// `--off-cpu` writes the time that threads waited, without saying when.
#[test]
fn samples_that_perf_makes_at_the_end_are_at_the_end() {
    const END: u64 = u64::MAX << 32;
    let with = |ts| sample(TIMED, &[ts]);
    let trace = trace(vec![with(30), with(END), with(END + 1), with(20)]);
    assert_eq!(times(&trace), [20, 30, 30, 30]);
    assert_eq!(repairs(&trace), [(RepairKind::RebuiltTime, 2)]);
}
