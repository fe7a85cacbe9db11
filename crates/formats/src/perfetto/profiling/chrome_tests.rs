//! Tests of Chrome's samples, whose times are relative to the previous sample (`StreamingProfilePacket`).

use testkit::Proto;
use traceloom_trace::{FIGURES_TABLE, Trace};

use super::super::tests::{packet, read};
use super::tests::{only, rows, stack};

/// A trace whose samples count from `reference_us`. Each packet has the times between its samples, µs.
fn sampled<const N: usize>(reference_us: i64, packets: [&[i64]; N]) -> Trace {
    let clock = |id| Proto::new().int(1, id).int(2, 0);
    let clocks = Proto::new().message(1, clock(6)).message(1, clock(3));
    let thread = Proto::new().int(1, 7).int(2, 8).int(6, reference_us);
    let descriptor = packet(0, 44, thread).int(10, 1).int(13, 1);
    let first = [
        Proto::new().int(10, 2).message(6, clocks),
        descriptor.message(12, stack()),
    ];
    let samples = packets.map(|deltas| {
        let deltas: Vec<u64> = deltas.iter().map(|delta| *delta as u64).collect();
        let samples = Proto::new().packed(1, &vec![1; deltas.len()]);
        Proto::new()
            .int(10, 1)
            .message(54, samples.packed(2, &deltas))
    });
    read(first.into_iter().chain(samples))
}

#[test]
fn samples_count_from_the_time_before() {
    let trace = sampled(100, [&[5, 10]]);
    let times: Vec<i64> = rows(&trace, "__intrinsic_profiler_sample")
        .iter()
        .map(|(record, _)| trace.records.rows().ts.get(*record as usize))
        .collect();
    assert_eq!(times, [105_000, 115_000]);
}

#[test]
fn samples_before_time_0_are_counted() {
    let trace = sampled(0, [&[5, i64::MIN, 9], &[0]]);
    assert_eq!(rows(&trace, "__intrinsic_profiler_sample").len(), 1);
    let figure = only(&trace, FIGURES_TABLE);
    assert!(
        figure.contains("name=streaming_profile_invalid_timestamp"),
        "{figure}"
    );
    assert!(figure.contains("value=2"), "{figure}");
}
