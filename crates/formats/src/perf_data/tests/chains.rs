use testkit::{PERF_BRANCHES, PERF_IP, PERF_TID, PERF_TIME, PerfDataBytes, PerfEvent, PerfRecord};
use traceloom_trace::RepairKind;

use super::{read, repairs, stacks};

/// The first record maps a file at 0x1000.
fn file(event: PerfEvent, records: Vec<PerfRecord>) -> PerfDataBytes {
    let map = PerfRecord::new(1, 2).u32(&[1, 1]);
    let map = map.u64(&[0x1000, 0x1000, 0]).text("a");
    PerfDataBytes {
        events: vec![event],
        records: [vec![map], records].concat(),
        ..PerfDataBytes::default()
    }
}

/// A number for each branch follows the branches, and the copy of the stack follows these numbers.
#[test]
fn numbers_of_branches_are_skipped() {
    const COUNTERS: u64 = 1 << 19;
    const STACK: u64 = 1 << 13;
    let event = PerfEvent {
        sample_type: PERF_IP | PERF_TID | PERF_TIME | PERF_BRANCHES | STACK,
        branch_sample_type: 8 | COUNTERS,
        ..PerfEvent::default()
    };
    let sample = PerfRecord::new(9, 2).u64(&[0x1008]).u32(&[1, 1]).u64(&[5]);
    let branches = [0x1000, 0x1004, 0, 0x1004, 0x1008, 0];
    let sample = sample.u64(&[2]).u64(&branches).u64(&[u64::MAX, u64::MAX]);
    let trace = read(&file(event, vec![sample.u64(&[8, 7, 8])]).to_bytes());
    assert_eq!(stacks(&trace), [["a:8"]]);
    assert_eq!(repairs(&trace), [(RepairKind::SkippedEntry, 1)]);
}
