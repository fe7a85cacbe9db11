use testkit::{
    PERF_BRANCHES, PERF_CHAIN, PERF_IP, PERF_TID, PERF_TIME, PerfDataBytes, PerfEvent, PerfRecord,
};
use traceloom_trace::RepairKind;

use super::{read, repairs, stacks};

/// The first record maps a file at 0x1000.
fn file(event: PerfEvent, records: Vec<PerfRecord>) -> PerfDataBytes {
    let map = PerfRecord::new(1, 2).u32(&[1, 1]);
    let mut map = map.u64(&[0x1000, 0x1000, 0]).text("a");
    if event.sample_id_all {
        map = map.u32(&[1, 1]).u64(&[1]);
    }
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

/// The stack of the user is in a later record, with the same cookie and thread.
#[test]
fn later_stacks_follow_those_of_samples() {
    let [kernel, user, later] = [-128, -512, -640].map(|mark: i64| mark as u64);
    let event = PerfEvent {
        sample_type: PERF_IP | PERF_TID | PERF_TIME | PERF_CHAIN,
        sample_id_all: true,
        ..PerfEvent::default()
    };
    let sample = |tid, ts, cookie| {
        let sample = PerfRecord::new(9, 1).u64(&[0xffff_0001]).u32(&[1, tid]);
        sample.u64(&[ts, 4, kernel, 0xffff_0001, later, cookie])
    };
    let stack = |tid, cookie, address| {
        let stack = PerfRecord::new(22, 2).u64(&[cookie, 2, user, address]);
        stack.u32(&[1, tid]).u64(&[9])
    };
    let records = vec![
        sample(1, 5, 7),
        sample(1, 6, 7),
        sample(2, 7, 7),
        sample(1, 8, 8),
        stack(2, 7, 0x1031),
        stack(1, 7, 0x1021),
    ];
    let trace = read(&file(event, records).to_bytes());
    let in_kernel = ":ffff0001";
    let expected = [
        vec![in_kernel, "a:20"],
        vec![in_kernel, "a:20"],
        vec![in_kernel, "a:30"],
        vec![in_kernel],
    ];
    assert_eq!(stacks(&trace), expected);
    assert_eq!(repairs(&trace), []);
}
