//! Tests of track events, built field by field.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use testkit::Proto;
use traceloom_trace::{ArgValue, NO_DURATION, RepairKind, RowId, Trace, TrackId};

use super::super::tests::{packet, read};

/// A packet of sequence 1 that clears the state.
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

#[test]
fn tracks_that_siblings_share_keep_their_first_name() {
    let alone = |name| of_sequence(0, 60, track(1, name, 0).int(15, 2));
    let shared = |ts, name| of_sequence(ts, 60, track(2, name, 0));
    let unnamed = of_sequence(0, 60, Proto::new().int(1, 1).int(15, 2));
    let trace = read([
        alone("alone"),
        alone("renamed"),
        unnamed,
        shared(0, ""),
        shared(0, "shared"),
        event(10, 3, 1, "a"),
        event(20, 3, 2, "b"),
        shared(30, "not renamed"),
    ]);
    let tracks = trace.slices.track_id.iter();
    let names: Vec<_> = tracks.map(|track| name(&trace, track)).collect();
    assert_eq!(names, ["renamed", "shared"]);
}

/// The states of a trace: track, timestamp, duration and value.
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

/// The arguments of the first slice, as text.
fn args(trace: &Trace) -> Vec<String> {
    let set = trace.slices.arg_set_id.get(0);
    let args = trace.args.set(set).map(|(key, value)| {
        let value = match value {
            ArgValue::Text(text) => trace.strings.get(text).to_owned(),
            ArgValue::Int(number) => number.to_string(),
            value => format!("{value:?}"),
        };
        format!("{}={value}", trace.strings.get(key))
    });
    args.collect()
}

/// A `FieldDescriptorProto` of an extension of `TrackEvent`.
fn extension(name: &str, number: i64, label: i64, kind: i64) -> Proto {
    let field = Proto::new().text(1, name).int(3, number).int(4, label);
    field.int(5, kind).text(2, ".perfetto.protos.TrackEvent")
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn extensions_become_arguments() {
    let inner = Proto::new()
        .text(1, "Inner")
        .message(2, Proto::new().text(1, "text").int(3, 1).int(5, 9))
        .message(
            2,
            Proto::new()
                .text(1, "color")
                .int(3, 2)
                .int(5, 14)
                .text(6, ".app.Color"),
        )
        .message(
            2,
            Proto::new()
                .text(1, "debug")
                .int(3, 3)
                .int(5, 11)
                .text(6, ".perfetto.protos.DebugAnnotation"),
        );
    let color = Proto::new()
        .text(1, "Color")
        .message(2, Proto::new().text(1, "RED").int(2, 1));
    let file = Proto::new()
        .text(2, "app")
        .message(4, inner)
        .message(5, color)
        .message(7, extension("inner", 9_000, 1, 11).text(6, ".app.Inner"))
        .message(7, extension("numbers", 9_001, 3, 15))
        .message(7, extension("ratio", 9_002, 3, 1));
    let set = Proto::new().message(1, file);
    let compressed = gzip(set.bytes());
    for descriptor in [
        Proto::new().message(1, set),
        Proto::new().raw(2, &compressed),
    ] {
        let annotation = Proto::new().text(10, "note").text(6, "hi");
        let inner = Proto::new()
            .text(1, "t")
            .int(2, 1)
            .int(2, 7)
            .message(3, annotation);
        let fixed: Vec<u8> = [(-1i32).to_le_bytes(), 5i32.to_le_bytes()].concat();
        let event = Proto::new()
            .int(9, 3)
            .int(11, 1)
            .message(9_000, inner)
            .raw(9_001, &fixed)
            .double(9_002, 0.5)
            .int(9_003, 1);
        // The order in the file does not matter.
        let trace = read([of_sequence(5, 11, event), of_sequence(0, 72, descriptor)]);
        let expected = [
            "inner.text=t",
            "inner.color=RED",
            "inner.color=7",
            "inner.note=hi",
            "numbers[0]=-1",
            "numbers[1]=5",
            "ratio[0]=Float(0.5)",
        ];
        assert_eq!(args(&trace), expected);
    }
}

#[test]
fn an_annotation_can_be_a_message() {
    let location = Proto::new().text(2, "a.cc").int(4, 7);
    let annotation = Proto::new()
        .text(10, "where")
        .text(16, ".perfetto.protos.SourceLocation")
        .message(14, location);
    let event = Proto::new().int(9, 3).int(11, 1).message(4, annotation);
    let trace = read([of_sequence(5, 11, event)]);
    let expected = ["debug.where.file_name=a.cc", "debug.where.line_number=7"];
    assert_eq!(args(&trace), expected);
}

/// Long names that are declared or interned once and nested repeatedly.
#[test]
fn long_keys_are_bounded() {
    let name = "n".repeat(100_000);
    let names = Proto::new().message(3, Proto::new().int(1, 1).text(2, &name));
    let short = "s".repeat(150);
    let names = names.message(3, Proto::new().int(1, 2).text(2, &short));
    let nested = |iid| {
        (0..35).fold(Proto::new().int(1, iid).int(4, 1), |inner, _| {
            Proto::new().int(1, iid).message(11, inner)
        })
    };
    let packets = (0..200).map(|ts| {
        let event = Proto::new().int(9, 3).int(11, 1);
        let event = event.message(4, nested(1)).message(4, nested(2));
        packet(ts, 11, event).int(10, 1).int(13, 2)
    });
    let first = Proto::new().int(10, 1).int(13, 1).message(12, names);
    let trace = read([first].into_iter().chain(packets));
    assert_eq!(trace.slices.len(), 200);
    assert_eq!(trace.repairs.count(RepairKind::BeyondLimit), 400);
    assert!(trace.strings.heap_bytes() < 1 << 20);
}

#[test]
fn processes_of_the_framework() {
    let thread = Proto::new().int(1, 100).int(2, 100).text(5, "main");
    let start = Proto::new()
        .int(1, 10_001)
        .int(2, 100)
        .text(3, "com.example")
        .int(10, 42)
        .int(7, 9_999);
    let died = Proto::new().int(1, 10_001).int(2, 100);
    let event = |ts, number, content| {
        let event = Proto::new().int(9, 3).int(11, 2);
        of_sequence(ts, 11, event.message(number, content))
    };
    let trace = read([
        of_sequence(1, 60, Proto::new().int(1, 2).message(4, thread)),
        event(2_000, 2010, start.clone()),
        event(3_000, 2010, start),
        event(5_000, 2013, died),
        event(6_000, 2013, Proto::new().int(2, 77)),
    ]);
    let key = |name| trace.strings.lookup(name).unwrap();
    let table = key("__intrinsic_android_track_event_process");
    let rows: Vec<usize> = (0..trace.records.rows().len())
        .filter(|row| trace.records.rows().table.get(*row) == table)
        .collect();
    assert_eq!(rows.len(), 1);
    let cell = |name| trace.records.cell(rows[0], key(name));
    assert_eq!(cell("start_seq_id"), Some(ArgValue::Int(42)));
    assert_eq!(cell("fw_start_ts"), Some(ArgValue::Int(2_000)));
    assert_eq!(cell("fw_end_ts"), Some(ArgValue::Int(5_000)));
    assert_eq!(cell("hosting_type"), Some(ArgValue::Text(key("9999"))));
    let process = trace.processes.rows().find(|row| row.pid == 100).unwrap();
    assert_eq!(trace.strings.get(process.name), "com.example");
    assert_eq!(process.uid, 10_001);
}

#[test]
fn each_sequence_adds_up_its_own_values() {
    let counter = |multiplier| Proto::new().int(4, multiplier).int(5, 1);
    let track = |uuid: i64, multiplier| {
        let track = Proto::new().int(1, uuid).text(2, "sum");
        of_sequence(0, 60, track.message(8, counter(multiplier)))
    };
    let value = |ts, sequence, uuid: i64| {
        let event = Proto::new().int(9, 4).int(11, uuid).int(30, 5);
        packet(ts, 11, event).int(10, sequence)
    };
    let trace = read([
        track(1, 10),
        track(2, 0),
        value(10, 1, 1),
        value(20, 2, 1),
        value(30, 1, 1),
        value(40, 2, 1),
        value(50, 1, 2),
    ]);
    let values: Vec<_> = trace.counters.rows().map(|row| row.value).collect();
    assert_eq!(values, [50.0, 50.0, 100.0, 100.0, 5.0]);
}

#[test]
fn events_that_say_too_little_are_counted() {
    let mark = Proto::new().int(9, 3).int(11, 1).text(23, "mark");
    let trace = read([
        // A counter without a value, an unknown type, and two values for one track.
        of_sequence(1, 11, Proto::new().int(9, 4).int(11, 1)),
        of_sequence(2, 11, Proto::new().int(9, 77)),
        of_sequence(3, 11, mark.int(31, 5).packed(12, &[1, 2])),
    ]);
    assert_eq!(trace.repairs.count(RepairKind::BadField), 3);
    assert_eq!(trace.counters.len(), 1);
}
