//! Tests of counters that the recorder polls.

use testkit::Proto;
use traceloom_trace::{RepairKind, RowId, Trace};

use crate::perfetto::packet::payload;
use crate::perfetto::tests::{packet, read};

/// The track arguments and the value of each counter value.
fn values(trace: &Trace) -> Vec<(String, f64)> {
    let rows = trace.counters.rows();
    let shown = rows.map(|counter| {
        let args = trace.tracks.arg_set_id.get(counter.track_id.row());
        let args = trace.args.set(args);
        let args = args.map(|(key, value)| {
            let value = value.display(&trace.strings);
            format!("{}={value}", trace.strings.get(key))
        });
        let args: Vec<String> = args.collect();
        (args.join(" "), counter.value)
    });
    shown.collect()
}

#[test]
fn rails_of_two_sessions_are_told_apart() {
    let session = |ts, id, energy| {
        let rail = Proto::new().int(1, 4).text(2, "CPU").text(3, "soc");
        let value = Proto::new().int(1, 4).int(3, energy);
        let rails = Proto::new().message(1, rail).message(2, value).int(3, id);
        packet(ts, payload::POWER_RAILS, rails)
    };
    let trace = read([session(5, 100, 7), session(6, 200, 8), session(7, 100, 9)]);
    let of = |session| format!("raw_name=CPU subsystem_name=soc session_uuid={session}");
    let expected = [(of(100), 7.0), (of(200), 8.0), (of(100), 9.0)];
    assert_eq!(values(&trace), expected);
}

#[test]
fn estimated_energy_has_a_consumer_and_a_user() {
    let consumer = Proto::new()
        .int(1, 3)
        .int(2, 1)
        .text(3, "DISPLAY")
        .text(4, "display");
    let described = Proto::new().message(1, Proto::new().message(1, consumer));
    let user = Proto::new().int(1, 10_123).int(2, 40);
    let used = Proto::new().int(2, 3).int(3, 50).message(4, user);
    let trace = read([
        packet(5, payload::ENERGY_BREAKDOWN, described),
        packet(6, payload::ENERGY_BREAKDOWN, used),
    ]);
    let expected = [
        (
            "energy_consumer_id=3 consumer_type=DISPLAY ordinal=1".to_owned(),
            50.0,
        ),
        ("energy_consumer_id=3 uid=10123".to_owned(), 40.0),
    ];
    assert_eq!(values(&trace), expected);
}

#[test]
fn a_value_of_a_rail_without_a_description_is_counted() {
    let value = Proto::new().int(1, 4).int(3, 7);
    let rails = Proto::new().message(2, value);
    let trace = read([packet(5, payload::POWER_RAILS, rails)]);
    assert_eq!(trace.repairs.count(RepairKind::BadField), 1);
    let trace = read([Proto::new().message(payload::BATTERY, Proto::new().int(1, 5))]);
    assert_eq!(trace.repairs.count(RepairKind::Unplaced), 1);
}

#[test]
fn open_files_without_paths_are_limited() {
    let files = |count| (0..count).fold(Proto::new().int(1, 7), |process, _| process.raw(15, b""));
    let stats = Proto::new().message(1, files(1_000));
    let trace = read([packet(5, payload::PROCESS_STATS, stats)]);
    let table = trace.strings.lookup("filedescriptor");
    let rows = trace.records.rows().table.iter();
    assert_eq!(rows.filter(|row| Some(*row) == table).count(), 166);
    assert_eq!(trace.repairs.count(RepairKind::BeyondLimit), 1_000 - 166);
}

#[test]
fn the_open_files_of_a_process_are_rows() {
    let file = Proto::new().int(1, 3).text(2, "/dev/null");
    let process = Proto::new().int(1, 7).message(15, file);
    let stats = Proto::new().message(1, process);
    let trace = read([packet(5, payload::PROCESS_STATS, stats)]);
    let shown = trace.records.cells(RowId::from_row(0)).map(|(key, value)| {
        let key = trace.strings.get(key);
        format!("{key}={}", value.display(&trace.strings))
    });
    let shown: Vec<_> = shown.collect();
    assert_eq!(shown.join(" "), "fd=3 ts=5 upid=1 path=/dev/null");
}

#[test]
fn batteries_and_properties_tell_what_they_are() {
    let battery = Proto::new().int(3, 7).text(5, "main");
    let property = |name: &str| Proto::new().message(1, Proto::new().text(1, name).text(2, "310"));
    let trace = read([
        packet(5, payload::BATTERY, battery),
        packet(6, payload::SYSTEM_PROPERTIES, property("debug.tracing.mcc")),
    ]);
    let expected = [
        ("battery_name=main counter_name=current_ua".to_owned(), 7.0),
        ("sysprop_name=debug.tracing.mcc".to_owned(), 310.0),
    ];
    assert_eq!(values(&trace), expected);
}

#[test]
fn chrome_measures_its_processes() {
    let process = Proto::new().int(1, 7).int(12, 1).int(13, 2).int(14, 3);
    let stats = Proto::new().message(1, process);
    let trace = read([packet(5, payload::PROCESS_STATS, stats)]);
    let names = trace.counters.rows().map(|row| {
        let track = trace.tracks.row(row.track_id.row());
        (trace.strings.get(track.name), row.value)
    });
    let names: Vec<_> = names.collect();
    let expected = [
        ("chrome.private_footprint_kb", 2_048.0),
        ("chrome.peak_resident_set_kb", 3_072.0),
    ];
    assert_eq!(names, expected);
    let args = trace.args.set(trace.processes.arg_set_id.get(1));
    let args: Vec<_> = args.map(|(key, _)| trace.strings.get(key)).collect();
    assert_eq!(args, ["is_peak_rss_resettable"]);
}

#[test]
fn values_of_rails_know_their_packet() {
    let rail = Proto::new().int(1, 4).text(2, "CPU");
    let value = |ms, energy| Proto::new().int(1, 4).int(2, ms).int(3, energy);
    let rails = Proto::new().message(1, rail).message(2, value(3, 7));
    let rails = rails.message(2, value(2, 8));
    let trace = read([packet(5_000_000, payload::POWER_RAILS, rails)]);
    let key = trace.strings.lookup("packet_ts").unwrap();
    let values = trace.counters.rows().map(|row| {
        let packet = trace.args.value(row.arg_set_id, key);
        (row.ts, packet.map(|packet| packet.display(&trace.strings)))
    });
    let values: Vec<_> = values.collect();
    let of_packet = Some("5000000".to_owned());
    let expected = [(2_000_000, of_packet.clone()), (3_000_000, of_packet)];
    assert_eq!(values, expected);
}

/// The values of the statistics whose names have this beginning.
fn figures(trace: &Trace, start: &str) -> Vec<String> {
    let key = |name| trace.strings.lookup(name);
    let cell = |row, name| trace.records.cell(row, key(name)?);
    let shown = |row| {
        let [name, value] = ["name", "value"].map(|key| cell(row, key));
        let [name, value] = [name?, value?].map(|value| value.display(&trace.strings));
        name.starts_with(start).then(|| format!("{name}={value}"))
    };
    (0..trace.records.len()).filter_map(shown).collect()
}

#[test]
fn problems_of_energy_are_counted() {
    let value = |rail| Proto::new().message(2, Proto::new().int(1, rail).int(3, 7));
    let trace = read([
        packet(5, payload::POWER_RAILS, value(4)),
        packet(6, payload::POWER_RAILS, value(5)),
        packet(7, payload::POWER_RAILS, Proto::new()),
    ]);
    let expected = ["power_rail_empty_packet=1", "power_rail_unknown_index=2"];
    assert_eq!(figures(&trace, "power_rail"), expected);
    let list = Proto::new().message(1, Proto::new().message(1, Proto::new().int(2, 1)));
    let used = Proto::new().int(2, 3);
    let trace = read([
        packet(5, payload::ENERGY_BREAKDOWN, list),
        packet(6, payload::ENERGY_BREAKDOWN, used),
    ]);
    let expected = [
        "energy_breakdown_missing_values=1",
        "energy_descriptor_invalid=1",
    ];
    assert_eq!(figures(&trace, "energy"), expected);
    let time = Proto::new().message(2, Proto::new().int(1, 1).int(2, 1).int(3, 9));
    let trace = read([
        packet(5, payload::ENTITY_STATES, Proto::new()),
        packet(6, payload::ENTITY_STATES, time),
    ]);
    let expected = [
        "entity_state_residency_invalid=1",
        "entity_state_residency_lookup_failed=1",
    ];
    assert_eq!(figures(&trace, "entity"), expected);
}
