//! Tests: packets with several contents or unknown fields, and sequences that no packet starts.

use testkit::Proto;
use traceloom_trace::{RepairKind, RowId, Trace};

use super::tests::{packet, read};

/// A field that no version of Perfetto has.
const UNKNOWN: u32 = 190;

/// An event on the track 5.
fn event(kind: i64, name: &str) -> Proto {
    Proto::new().int(9, kind).int(11, 5).text(23, name)
}

/// A packet of sequence 1 with an instant.
fn instant(ts: i64, name: &str) -> Proto {
    packet(ts, 11, event(3, name)).int(10, 1)
}

fn names(trace: &Trace) -> Vec<&str> {
    let rows = trace.slices.rows();
    rows.map(|row| trace.strings.get(row.name)).collect()
}

/// A descriptor of the track 5.
fn track() -> Proto {
    Proto::new().int(1, 5).text(2, "lane")
}

/// The name of the track of the first slice.
fn lane(trace: &Trace) -> &str {
    let track = trace.slices.track_id.get(0);
    trace.strings.get(trace.tracks.name.get(track.row()))
}

#[test]
fn an_unknown_content_does_not_hide_a_known_one() {
    let unknown = Proto::new().int(1, 1);
    let before = Proto::new().int(8, 2).message(UNKNOWN, Proto::new());
    let trace = read([
        instant(1, "a").message(UNKNOWN, unknown),
        before.message(11, event(3, "b")).int(10, 1),
        instant(3, "c").message(1_500, Proto::new()),
    ]);
    assert_eq!(names(&trace), ["a", "b", "c"]);
    assert!(trace.repairs.rows().is_empty());
}

#[test]
fn a_packet_with_only_unknown_contents_is_counted_once() {
    let unknown = packet(1, UNKNOWN, Proto::new());
    let trace = read([unknown.message(UNKNOWN + 1, Proto::new())]);
    assert_eq!(trace.repairs.count(RepairKind::SkippedEntry), 1);
}

#[test]
fn all_known_contents_of_a_packet_are_read() {
    let uuid = Proto::new().int(1, 7).int(2, 9);
    let described = Proto::new().int(8, 1).int(10, 1).message(60, track());
    let trace = read([
        described.message(11, event(3, "a")),
        instant(2, "b").message(60, track()).message(89, uuid),
    ]);
    assert_eq!(names(&trace), ["a", "b"]);
    assert_eq!(lane(&trace), "lane");
    let expected = "00000000-0000-0007-0000-000000000009";
    assert_eq!(trace.metadata("trace_uuid"), Some(expected));
}

#[test]
fn of_equal_contents_of_a_packet_the_first_is_read() {
    let trace = read([instant(1, "a").message(11, event(3, "b"))]);
    assert_eq!(names(&trace), ["a"]);
}

/// The number of lost events, and the detail of the repair.
fn lost(packets: impl IntoIterator<Item = Proto>) -> (u64, String) {
    let trace = read(packets);
    let mut rows = trace.repairs.rows().iter();
    let row = rows.find(|row| row.kind == RepairKind::LostEvents).unwrap();
    (row.count, row.detail.clone())
}

#[test]
fn a_sequence_that_never_starts_its_state_is_told_so() {
    let needs = |ts| instant(ts, "a").int(13, 2);
    let (count, detail) = lost([needs(1), needs(2)]);
    assert_eq!(count, 2);
    assert!(detail.contains("no packet of the sequence starts it"));
    let starts = Proto::new().int(10, 1).int(13, 1);
    let (count, detail) = lost([needs(1), starts]);
    assert_eq!(count, 1);
    assert!(detail.contains("in a lost packet"));
}
