//! Tests of track events, made field by field.

use testkit::Proto;
use traceloom_trace::{ArgValue, NO_DURATION, RowId, Trace, TrackId};

use super::super::tests::{packet, read};

/// A packet of sequence 1, whose state it clears.
fn of_sequence(ts: i64, number: u32, content: Proto) -> Proto {
    packet(ts, number, content).int(10, 1).int(41, 1)
}

/// A descriptor.
fn track(uuid: i64, name: &str, parent: i64) -> Proto {
    Proto::new().int(1, uuid).text(2, name).int(5, parent)
}

/// A `TrackEvent` of a type.
fn event(ts: i64, kind: i64, uuid: i64, name: &str) -> Proto {
    let event = Proto::new().int(9, kind).int(11, uuid).text(23, name);
    of_sequence(ts, 11, event)
}

fn name(trace: &Trace, track: TrackId) -> &str {
    trace.strings.get(trace.tracks.name.get(track.row()))
}

#[test]
fn siblings_share_a_track_while_they_do_not_overlap() {
    let trace = read([
        of_sequence(0, 60, track(9, "parent", 0).int(11, 3)),
        of_sequence(0, 60, track(1, "a", 9)),
        of_sequence(0, 60, track(2, "a", 9)),
        of_sequence(0, 60, track(3, "a", 9).int(15, 2).text(14, "apart")),
        event(10, 1, 1, "x"),
        event(20, 1, 2, "y"),
        event(30, 2, 1, ""),
        event(40, 2, 2, ""),
        event(50, 3, 1, "z"),
        event(60, 3, 3, "alone"),
    ]);
    let tracks: Vec<_> = trace.slices.track_id.iter().collect();
    assert_ne!(tracks[0], tracks[1]);
    assert_eq!(tracks[0], tracks[2]);
    assert_eq!(trace.tracks.parent.get(tracks[1].row()), tracks[0]);
    let parents = tracks
        .iter()
        .map(|it| trace.tracks.declared_parent.get(it.row()));
    let parents: Vec<_> = parents.map(|parent| name(&trace, parent)).collect();
    assert_eq!(parents, ["parent"; 4]);
    let args = trace.tracks.arg_set_id.get(tracks[3].row());
    let mut args = trace.args.set(args);
    let description = args.find(|(key, _)| trace.strings.get(*key) == "description");
    let Some((_, ArgValue::Text(text))) = description else {
        panic!("{description:?}");
    };
    assert_eq!(trace.strings.get(text), "apart");
}

#[test]
fn an_end_closes_the_slice_with_its_name() {
    let trace = read([
        event(10, 1, 1, "outer"),
        event(20, 1, 1, "inner"),
        event(30, 2, 1, "outer"),
        event(40, 2, 1, "inner"),
    ]);
    let slices: Vec<_> = trace.slices.rows().map(|row| (row.ts, row.dur)).collect();
    assert_eq!(slices, [(10, 20), (20, 10)]);
}

/// The states of a trace: track, time, duration and value.
fn states(trace: &Trace) -> Vec<(&str, i64, i64, &str)> {
    let key = |name| trace.strings.lookup(name).unwrap();
    let rows = trace.records.rows();
    let of_table = (0..rows.len()).filter(|row| rows.table.get(*row) == key("state"));
    let cell = |row, name| trace.records.cell(row, key(name)).unwrap();
    of_table
        .map(|row| {
            let (ArgValue::Row(_, track), ArgValue::Int(dur), ArgValue::Text(value)) =
                (cell(row, "track_id"), cell(row, "dur"), cell(row, "value"))
            else {
                panic!("row {row}");
            };
            let track = name(trace, TrackId(track));
            (track, rows.ts.get(row), dur, trace.strings.get(value))
        })
        .collect()
}

#[test]
fn states_last_until_the_next_one() {
    let session = |ts, state| {
        let event = Proto::new().int(1, state).int(3, 7);
        of_sequence(ts, 134, event)
    };
    let trace = read([
        of_sequence(0, 60, track(1, "mode", 0).message(18, Proto::new())),
        event(10, 5, 1, "slow"),
        event(20, 5, 1, "slow"),
        event(30, 5, 1, "fast"),
        event(40, 5, 2, "on a track without states"),
        session(50, 3),
        session(60, 1),
    ]);
    let expected = [
        ("mode", 10, 20, "slow"),
        ("mode", 30, NO_DURATION, "fast"),
        ("Session 7", 50, 10, "STARTED"),
        ("Session 7", 60, 0, "DISABLED"),
    ];
    assert_eq!(states(&trace), expected);
}

#[test]
fn machines_have_processes_of_their_own() {
    let process = Proto::new().message(3, Proto::new().int(1, 5).text(6, "app"));
    let descriptor = |uuid| Proto::new().int(1, uuid).message(3, Proto::new().int(1, 5));
    let trace = read([
        of_sequence(0, 60, descriptor(1)),
        of_sequence(0, 60, process.int(1, 2)).int(98, 77),
    ]);
    let pids = trace
        .processes
        .pid
        .iter()
        .zip(trace.processes.source.iter());
    let machines: Vec<_> = pids
        .filter(|(pid, _)| *pid == 5)
        .map(|(_, source)| trace.sources.machine.get(source.row()))
        .collect();
    assert_eq!(machines, [0, 1]);
}

#[test]
fn parents_in_a_circle_and_deep_ones_are_survived() {
    let circle = [(1, 2), (2, 3), (3, 1)];
    let deep = (100..400).map(|uuid| (uuid, uuid + 1));
    let tracks = circle.into_iter().chain(deep);
    let tracks = tracks.map(|(uuid, parent)| of_sequence(0, 60, track(uuid, "t", parent)));
    let events = [
        event(10, 3, 1, "a"),
        event(20, 3, 100, "b"),
        event(30, 3, 250, "c"),
    ];
    assert_eq!(read(tracks.chain(events)).slices.len(), 3);
}
