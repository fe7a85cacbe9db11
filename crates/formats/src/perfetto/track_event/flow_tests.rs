//! Tests of flows.

use testkit::Proto;
use traceloom_trace::{RepairKind, Trace};

use super::super::tests::{packet, read};

fn track(uuid: i64) -> Proto {
    let thread = Proto::new().int(1, uuid).int(2, uuid);
    packet(0, 60, Proto::new().int(1, uuid).message(4, thread)).int(10, 1)
}

/// An event of Chrome's older format on a track.
fn legacy(ts: i64, uuid: i64, (phase, name): (u8, &str), more: Proto) -> Proto {
    let legacy = more.int(2, phase.into());
    let event = Proto::new().int(11, uuid).text(23, name).message(6, legacy);
    packet(ts, 11, event).int(10, 1).int(41, 1)
}

/// A slice of 10 µs.
fn slice(ts: i64, uuid: i64, name: &str, more: Proto) -> Proto {
    legacy(ts, uuid, (b'X', name), more.int(3, 10))
}

fn flow(ts: i64, uuid: i64, phase: u8, id: i64) -> Proto {
    legacy(ts, uuid, (phase, "flow"), Proto::new().int(6, id))
}

/// `from > to` of each arrow.
fn arrows(trace: &Trace) -> Vec<String> {
    let name = |slice| trace.slice_name(slice);
    let rows = trace.flows.rows();
    rows.map(|flow| format!("{} > {}", name(flow.slice_out), name(flow.slice_in)))
        .collect()
}

#[test]
fn a_flow_ends_at_the_next_slice_or_at_the_enclosing_one() {
    let enclosing = Proto::new().int(6, 8).int(12, 1);
    let trace = read([
        track(1),
        track(2),
        slice(1_000, 1, "a", Proto::new()),
        flow(2_000, 1, b's', 7),
        flow(3_000, 2, b'f', 7),
        slice(4_000, 2, "b", Proto::new()),
        flow(5_000, 2, b's', 8),
        slice(20_000, 1, "c", Proto::new()),
        flow(21_000, 1, b't', 8),
        slice(30_000, 2, "d", Proto::new()),
        legacy(31_000, 2, (b'f', "flow"), enclosing),
    ]);
    assert_eq!(arrows(&trace), ["a > b", "b > c", "c > d"]);
    assert_eq!(trace.repairs.count(RepairKind::SkippedEntry), 0);
}

#[test]
fn a_bound_flow_comes_in_from_where_it_last_went_out() {
    let bound = |direction| Proto::new().int(8, 5).int(13, direction);
    let trace = read([
        track(1),
        slice(0, 1, "starts", bound(2)),
        slice(10_000, 1, "receives", bound(1)),
        slice(20_000, 1, "passes", bound(3)),
        slice(30_000, 1, "receives too", bound(1)),
        slice(40_000, 1, "starts anew", bound(2)),
        slice(50_000, 1, "last", bound(1)),
    ]);
    let expected = [
        "starts > receives",
        "starts > passes",
        "passes > receives too",
        "starts anew > last",
    ];
    assert_eq!(arrows(&trace), expected);
}

#[test]
fn flows_without_a_slice_an_id_or_a_direction_are_counted() {
    let trace = read([
        track(1),
        flow(1_000, 1, b's', 7),
        legacy(2_000, 1, (b's', "flow"), Proto::new()),
        slice(3_000, 1, "a", Proto::new().int(8, 5)),
        flow(20_000, 1, b'f', 7),
    ]);
    assert!(arrows(&trace).is_empty());
    assert_eq!(trace.repairs.count(RepairKind::SkippedEntry), 4);
}
