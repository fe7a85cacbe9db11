//! Tests of the clocks of packets.

use testkit::Proto;
use traceloom_trace::{ClockKind, Trace};

use super::tests::{packet, read};

/// A battery packet with this timestamp.
fn value(ts: i64) -> Proto {
    packet(ts, 38, Proto::new().int(1, 5))
}

fn times(trace: &Trace) -> Vec<i64> {
    trace.counters.ts.iter().collect()
}

/// A snapshot with the trace's clock and the times of these clocks.
fn snapshot(primary: i64, clocks: &[(i64, i64)]) -> Proto {
    let clocks = clocks.iter().fold(Proto::new(), |all, (clock, ns)| {
        all.message(1, Proto::new().int(1, *clock).int(2, *ns))
    });
    Proto::new().message(6, clocks.int(2, primary))
}

#[test]
fn packets_without_a_clock_are_on_that_of_the_trace() {
    const MONOTONIC: i64 = 3;
    let trace = read([
        snapshot(MONOTONIC, &[(MONOTONIC, 100), (1, 900)]),
        value(120),
    ]);
    assert_eq!(times(&trace), [120]);
    let clocks = [(MONOTONIC, 100), (6, 1_100)];
    let boot = value(1_120).int(58, 6);
    let trace = read([snapshot(MONOTONIC, &clocks), value(110), boot]);
    assert_eq!(times(&trace), [110, 120]);
}

#[test]
fn the_clock_0_names_none() {
    let clocks = [(3, 100), (6, 1_100)];
    let trace = read([snapshot(6, &clocks), value(1_200).int(58, 0)]);
    assert_eq!(times(&trace), [1_200]);
}

#[test]
fn a_trace_on_the_wall_clock_shows_the_date() {
    const REALTIME: i64 = 1;
    let trace = read([snapshot(REALTIME, &[(REALTIME, 900)]), value(920)]);
    let clocks = trace
        .clocks
        .iter()
        .map(|row| (row.clock, row.ts, row.value_ns));
    let expected = [(ClockKind::Realtime, 900, 900)];
    assert_eq!(clocks.collect::<Vec<_>>(), expected);
    assert_eq!(trace.metadata("trace_time_clock_id"), Some("1"));
}
