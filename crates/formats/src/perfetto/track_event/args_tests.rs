//! Tests of arguments: JSON, end events, legacy events, and translated names.

use testkit::Proto;
use traceloom_trace::{RowId, Trace};

use super::super::tests::{packet, read};

fn event(ts: i64, event: Proto) -> Proto {
    packet(ts, 11, event).int(10, 1).int(41, 1)
}

/// The arguments of a slice: `key=value`.
fn args(trace: &Trace, slice: usize) -> Vec<String> {
    let args = trace.args.set(trace.slices.arg_set_id.get(slice));
    let text = |(key, value): (_, traceloom_trace::ArgValue)| {
        format!(
            "{}={}",
            trace.strings.get(key),
            value.display(&trace.strings)
        )
    };
    args.map(text).collect()
}

fn annotation(name: &str, json: &str) -> Proto {
    Proto::new().text(10, name).text(9, json)
}

/// As in Perfetto's trace processor, lists are continued and other values are replaced.
#[test]
fn an_end_adds_to_the_arguments_of_its_slice() {
    let begin = r#"{"a": 1.5, "list": [1, {"b": "x"}], "same": true}"#;
    let end = r#"{"list": [7], "same": false, "none": null}"#;
    let trace = read([
        event(
            10,
            Proto::new()
                .int(9, 1)
                .int(11, 5)
                .message(4, annotation("v", begin)),
        ),
        event(
            20,
            Proto::new()
                .int(9, 2)
                .int(11, 5)
                .message(4, annotation("v", end)),
        ),
    ]);
    assert_eq!(
        args(&trace, 0),
        [
            "debug.v.a=1.5",
            "debug.v.list[0]=1",
            "debug.v.list[1].b=x",
            "debug.v.same=false",
            "debug.v.list[2]=7"
        ]
    );
}

#[test]
fn what_is_no_json_stays_a_text() {
    let deep = "[".repeat(500);
    for text in ["{", deep.as_str()] {
        let event = event(10, Proto::new().int(9, 3).message(4, annotation("v", text)));
        assert_eq!(args(&read([event]), 0), [format!("debug.v={text}")]);
    }
}

#[test]
fn asynchronous_events_tell_id_and_letter() {
    let legacy = Proto::new().int(2, i64::from(b'S')).int(6, 1234);
    let trace = read([event(10, Proto::new().text(23, "x").message(6, legacy))]);
    assert_eq!(
        args(&trace, 0),
        ["legacy_trace_source_id=1234", "legacy_event.phase=S"]
    );
}

/// As in Perfetto's trace processor. The ids of `S`, `T`, `p` and `F` are scoped to a name, or to a category if they
/// have a scope; the ids of `b`, `n` and `e` are always scoped to a category.
#[test]
fn asynchronous_events_share_a_track_by_name_or_category() {
    let one = |ts, phase: u8, name: &str, scope: &str| {
        let legacy = Proto::new().int(2, phase.into()).int(6, 1).text(7, scope);
        let told = Proto::new().text(22, "c").text(23, name);
        event(ts, told.message(6, legacy))
    };
    let tracks = |phases: [u8; 2], name, scope| {
        let [first, second] = phases;
        let trace = read([one(10, first, "x", scope), one(20, second, name, scope)]);
        [0, 1].map(|row| trace.slices.track_id.get(row))
    };
    for phases in [*b"ST", *b"Sp"] {
        let [slice, step] = tracks(phases, "x", "");
        assert_eq!(slice, step);
        let [slice, step] = tracks(phases, "y", "");
        assert_ne!(slice, step);
        let [slice, step] = tracks(phases, "y", "scope");
        assert_eq!(slice, step);
    }
    let [slice, step] = tracks(*b"bn", "y", "");
    assert_eq!(slice, step);
}

#[test]
fn tables_give_names_back() {
    let entry = |hash, name| Proto::new().int(1, hash).text(2, name);
    let texts = |raw, name| Proto::new().text(1, raw).text(2, name);
    let table = |number, map| {
        Proto::new().message(
            82,
            Proto::new().message(number, Proto::new().message(1, map)),
        )
    };
    let action = Proto::new().int(2, 10);
    let process = Proto::new().int(1, 7);
    let of_process = Proto::new().int(1, 5).text(2, "raw track").int(5, 4);
    let trace = read([
        packet(0, 60, Proto::new().int(1, 4).message(3, process)),
        packet(0, 60, of_process),
        event(
            10,
            Proto::new()
                .int(9, 1)
                .int(11, 5)
                .text(23, "raw")
                .message(25, action),
        ),
        event(20, Proto::new().int(9, 2).int(11, 5)),
        table(2, entry(10, "NewTab")),
        table(4, texts("raw", "onDraw")),
        table(5, texts("raw track", "Drawing")),
    ]);
    let hash = "chrome_user_event.action_hash=10";
    assert_eq!(args(&trace, 0), [hash, "chrome_user_event.action=NewTab"]);
    let slice = trace.slices.row(0);
    assert_eq!(trace.strings.get(slice.name), "onDraw");
    let track = trace.tracks.row(slice.track_id.row());
    assert_eq!(trace.strings.get(track.name), "Drawing");
}

#[test]
fn a_counter_event_gives_its_arguments_to_its_value() {
    let value = |value| Proto::new().int(9, 4).int(11, 1).int(30, value);
    let note = Proto::new().text(10, "quality").text(6, "good");
    let trace = read([
        event(10, value(5).message(4, note)),
        event(20, value(6)),
        // Extra values of the same event come first.
        event(
            30,
            value(7)
                .int(31, 2)
                .int(12, 1)
                .message(4, Proto::new().text(10, "n").int(4, 3)),
        ),
    ]);
    let rows: Vec<_> = trace.counters.rows().collect();
    let sets = rows.iter().map(|row| {
        let args = trace.args.set(row.arg_set_id);
        let keys = args.map(|(key, _)| trace.strings.get(key));
        (row.value as i64, keys.collect::<Vec<_>>().join(" "))
    });
    let expected = [(5, "debug.quality"), (6, ""), (1, ""), (7, "debug.n")];
    assert_eq!(
        sets.collect::<Vec<_>>(),
        expected.map(|(value, keys)| (value, keys.to_owned()))
    );
}
