//! Tests of the clocks of packets.

use testkit::Proto;
use traceloom_trace::{ClockKind, RepairKind, Severity, Trace};

use super::tests::{packet, read};

/// A battery packet with this timestamp.
fn value(ts: i64) -> Proto {
    packet(ts, 38, Proto::new().int(1, 5))
}

fn times(trace: &Trace) -> Vec<i64> {
    trace.counters.ts.iter().collect()
}

/// A snapshot with these clock times. `primary` is the trace's clock.
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

/// The boot time, ns, at which the monotonic clock of [`both`] is at 0.
const BOOT_AHEAD: i64 = 4_000_000;

/// A snapshot of the monotonic clock and the boot time. The boot time is the trace's clock.
fn both() -> Proto {
    snapshot(6, &[(3, 1_000_000), (6, 1_000_000 + BOOT_AHEAD)])
}

/// A packet of sequence 1 with an instant, to which `more` adds fields.
fn instant(ts: i64, name: &str, more: impl FnOnce(Proto) -> Proto) -> Proto {
    let event = Proto::new().int(9, 3).int(11, 5).text(23, name);
    packet(ts, 11, more(event)).int(10, 1)
}

/// The names and times of the slices.
fn slices(trace: &Trace) -> Vec<(&str, i64)> {
    let rows = trace.slices.rows();
    rows.map(|row| (trace.strings.get(row.name), row.ts))
        .collect()
}

/// A packet that clears the state of sequence 1. Its relative times count from 100 µs.
fn thread() -> Proto {
    let thread = Proto::new().int(1, 7).int(2, 8).int(6, 100);
    Proto::new().message(44, thread).int(10, 1).int(13, 1)
}

#[test]
fn the_time_of_an_event_counts_more_than_that_of_its_packet() {
    let trace = read([
        both(),
        // The packet uses a different clock than the event.
        instant(70_000, "late", |event| event.int(16, 2_000)).int(58, 6),
        instant(6_500_000, "now", |event| event.int(16, 0)),
        instant(60_000, "early", |event| event.int(16, 1_000)),
    ]);
    let expected = [
        ("early", 1_000_000 + BOOT_AHEAD),
        ("late", 2_000_000 + BOOT_AHEAD),
        ("now", 6_500_000),
    ];
    assert_eq!(slices(&trace), expected);
}

#[test]
fn the_clock_of_a_sequence_is_not_that_of_an_event_with_a_time() {
    let wall = Proto::new().int(58, 1);
    let trace = read([
        snapshot(6, &[(1, 9_000_000_000), (3, 0), (6, BOOT_AHEAD)]),
        Proto::new().int(10, 1).int(13, 1).message(59, wall),
        instant(9_000_000_700, "packet", |event| event),
        instant(9_000_000_700, "event", |event| event.int(16, 2)),
    ]);
    let expected = [("packet", BOOT_AHEAD + 700), ("event", BOOT_AHEAD + 2_000)];
    assert_eq!(slices(&trace), expected);
}

#[test]
fn a_relative_time_counts_more_than_an_absolute_one() {
    let trace = read([
        both(),
        thread(),
        instant(9, "a", |event| event.int(1, 10)),
        // An absolute time does not change the base of relative times.
        instant(9, "b", |event| event.int(16, 500)),
        instant(9, "c", |event| event.int(16, 700).int(1, 5)),
    ]);
    let at = |us: i64| us * 1_000 + BOOT_AHEAD;
    let expected = [("a", at(110)), ("c", at(115)), ("b", at(500))];
    assert_eq!(slices(&trace), expected);
}

#[test]
fn an_event_whose_time_is_relative_to_a_lost_one_has_no_time() {
    let trace = read([
        both(),
        instant(5_000_001, "a", |event| event.int(1, 10)),
        thread(),
        instant(5_000_002, "b", |event| event.int(1, -101)),
        instant(5_000_003, "c", |event| event),
    ]);
    assert_eq!(slices(&trace), [("c", 5_000_003)]);
    assert_eq!(trace.repairs.count(RepairKind::Unplaced), 2);
}

/// A snapshot of sequence 1. Its clock 64 counts microseconds since the previous packet, and is at `BOOT_AHEAD`.
fn incremental() -> Proto {
    let clock = Proto::new().int(1, 64).int(2, BOOT_AHEAD / 1_000);
    let clock = clock.int(3, 1).int(4, 1_000);
    let boot = Proto::new().int(1, 6).int(2, BOOT_AHEAD);
    let clocks = Proto::new().message(1, clock).message(1, boot);
    Proto::new().int(10, 1).message(6, clocks)
}

#[test]
fn a_packet_moves_its_clock_on_even_if_its_event_has_another_time() {
    let trace = read([
        incremental(),
        both(),
        instant(10, "a", |event| event).int(58, 64),
        instant(20, "b", |event| event.int(16, 1)).int(58, 64),
        instant(5, "c", |event| event).int(58, 64),
    ]);
    let expected = [
        ("b", BOOT_AHEAD + 1_000),
        ("a", BOOT_AHEAD + 10_000),
        ("c", BOOT_AHEAD + 35_000),
    ];
    assert_eq!(slices(&trace), expected);
}

#[test]
fn the_contents_of_a_packet_move_its_clock_on_once() {
    let twice = instant(10, "a", |event| event).message(38, Proto::new().int(1, 5));
    let trace = read([
        incremental(),
        twice.int(58, 64),
        instant(5, "b", |event| event).int(58, 64),
    ]);
    let expected = [("a", BOOT_AHEAD + 10_000), ("b", BOOT_AHEAD + 15_000)];
    assert_eq!(slices(&trace), expected);
    assert_eq!(times(&trace), [BOOT_AHEAD + 10_000]);
}

/// The number of packets without a place on the time line, and the detail of the repair.
fn unplaced(packet: Proto) -> (u64, String) {
    let trace = read([packet.int(10, 2), value(1)]);
    assert_eq!(trace.counters.len(), 1);
    let mut rows = trace.repairs.rows().iter();
    let row = rows.find(|row| row.kind == RepairKind::Unplaced).unwrap();
    (row.count, row.detail.clone())
}

#[test]
fn the_clock_of_packets_without_a_place_is_named() {
    let (count, detail) = unplaced(value(5).int(58, 1));
    assert_eq!(count, 1);
    assert!(detail.contains("on CLOCK_REALTIME, which"), "{detail}");
    let (_, detail) = unplaced(value(5).int(58, 64));
    assert!(
        detail.contains("on the clock 64 of the sequence 2, "),
        "{detail}"
    );
    assert_eq!(RepairKind::Unplaced.severity(), Severity::Loss);
}
