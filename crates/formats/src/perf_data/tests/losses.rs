use testkit::{PERF_IP, PERF_TID, PERF_TIME, PerfDataBytes, PerfEvent, PerfRecord};
use traceloom_trace::{RepairKind, Trace};

use super::{count, read};

/// A file with a sample, and with these records.
fn trace(read_format: u64, records: &[PerfRecord]) -> Trace {
    let sample = PerfRecord::new(9, 2).u64(&[0x1008]).u32(&[1, 1]).u64(&[5]);
    let file = PerfDataBytes {
        events: vec![PerfEvent {
            sample_type: PERF_IP | PERF_TID | PERF_TIME,
            read_format,
            ..PerfEvent::default()
        }],
        records: [&[sample], records].concat(),
        ..PerfDataBytes::default()
    };
    read(&file.to_bytes())
}

fn lost(number: u64) -> PerfRecord {
    PerfRecord::new(2, 0).u64(&[7, number])
}

fn lost_samples(misc: u16, number: u64) -> PerfRecord {
    PerfRecord::new(13, misc).u64(&[number])
}

/// perf writes the kernel's counts of lost samples at the end. They include what was noted before.
#[test]
fn losses_are_counted_once() {
    const COUNT_OF_LOST: u64 = 1 << 4;
    let records = [lost(10), lost(20), lost_samples(0, 33), lost_samples(0, 2)];
    let trace = trace(COUNT_OF_LOST, &records);
    assert_eq!(count(&trace, RepairKind::LostEvents), 35);
}

/// Without these counts, both kinds of records are of the kernel, and about different losses.
#[test]
fn losses_of_the_kernel_add_up() {
    let trace = trace(0, &[lost(10), lost_samples(0, 3)]);
    assert_eq!(count(&trace, RepairKind::LostEvents), 13);
}

#[test]
fn filtered_samples_are_not_lost() {
    const OF_FILTER: u16 = 1 << 15;
    let trace = trace(0, &[lost_samples(OF_FILTER, 500), lost_samples(0, 3)]);
    assert_eq!(count(&trace, RepairKind::LostEvents), 3);
    assert_eq!(trace.metadata("filtered_samples"), Some("500"));
}
