use testkit::{PERF_IDENTIFIER, PerfDataBytes, PerfEvent, PerfRecord};
use traceloom_trace::{RepairKind, RowId};

use super::{read, repairs};

fn count(id: u64, cpu: u32, thread: u32, numbers: [u64; 3]) -> PerfRecord {
    PerfRecord::new(76, 0)
        .u64(&[id])
        .u32(&[cpu, thread])
        .u64(&numbers)
}

fn round(ns: u64) -> PerfRecord {
    PerfRecord::new(77, 0).u64(&[0, ns])
}

/// Counts have the time of the round after them. One that ran half of the time is doubled, and threads are added up.
#[test]
fn counts_of_perf_stat_are_counters() {
    let event = |config, id| PerfEvent {
        kind: 1,
        config,
        sample_type: PERF_IDENTIFIER,
        ids: vec![id],
        ..PerfEvent::default()
    };
    let file = PerfDataBytes {
        events: vec![event(1, 5), event(2, 6)],
        records: vec![
            PerfRecord::new(75, 0).u64(&[0]),
            count(5, 0, 0, [100, 50, 50]),
            count(6, 0, 0, [3, 50, 25]),
            count(6, 0, 1, [4, 50, 50]),
            round(1000),
            count(5, 0, 0, [150, 90, 90]),
            count(9, 0, 0, [1, 90, 90]),
            round(2000),
            count(6, 0, 0, [10, 95, 95]),
        ],
        ..PerfDataBytes::default()
    };
    let trace = read(&file.to_bytes());
    let counters = trace.counters.rows().map(|row| {
        let name = trace.tracks.name.get(row.track_id.row());
        (trace.strings.get(name), row.ts, row.value)
    });
    let expected = [
        ("task-clock", 1000, 100.0),
        ("page-faults", 1000, 10.0),
        ("task-clock", 2000, 150.0),
    ];
    assert_eq!(counters.collect::<Vec<_>>(), expected);
    let expected = [(RepairKind::BrokenBlock, 1), (RepairKind::SkippedEntry, 1)];
    assert_eq!(repairs(&trace), expected);
}
