//! Archives with a manifest. The expected times follow from Perfetto's reference of manifests.

use testkit::Proto;
use traceloom_trace::{ArgValue, RepairKind, RowId, Trace};

use crate::error::ReadError;
use crate::format::ReadOptions;
use crate::read_bytes;

const BOOT: i64 = 6;
const REALTIME: i64 = 1;

/// A snapshot with these clocks, and a slice of 1 µs at 2 ms of the time since boot, on this machine.
fn file(name: &str, machine: i64, clocks: &[(i64, i64)]) -> Proto {
    let clock = |snapshot: Proto, (id, ns): &(i64, i64)| {
        snapshot.message(1, Proto::new().int(1, *id).int(2, *ns))
    };
    let snapshot = clocks.iter().fold(Proto::new(), clock);
    let track = Proto::new().int(1, 5).text(2, name);
    let event = |kind| Proto::new().int(9, kind).int(11, 5).text(23, name);
    let packet = |at: i64| Proto::new().int(8, at).int(10, 1).int(98, machine);
    Proto::new()
        .message(1, Proto::new().int(98, machine).message(6, snapshot))
        .message(1, packet(1).message(60, track))
        .message(1, packet(2_000_000).message(11, event(1)))
        .message(1, packet(2_001_000).message(11, event(2)))
}

fn zip(manifest: &str, files: &[(&str, &[u8])]) -> Vec<u8> {
    use std::io::{Cursor, Write};
    let manifest = format!("\n{{ \"perfetto_manifest\": {{\"version\": 1, {manifest}}}}}");
    let mut writer = zip::write::ZipWriter::new(Cursor::new(Vec::new()));
    let last = [("last.json", manifest.as_bytes())];
    for (name, bytes) in files.iter().chain(&last) {
        let options = zip::write::SimpleFileOptions::default();
        writer.start_file(*name, options).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn read(manifest: &str, files: &[(&str, &Proto)]) -> Result<Trace, ReadError> {
    let files: Vec<(&str, &[u8])> = files
        .iter()
        .map(|(name, file)| (*name, file.bytes()))
        .collect();
    read_bytes(&zip(manifest, &files), ReadOptions::default())
}

/// The name and the time of each slice, and the name of its machine.
fn slices(trace: &Trace) -> Vec<(&str, i64, String)> {
    let names = machines(trace);
    let row = |row: traceloom_trace::SliceRow| {
        let track = trace.tracks.row(row.track_id.row());
        let machine = trace.sources.machine.get(track.source.row()) as usize;
        (trace.strings.get(row.name), row.ts, names[machine].clone())
    };
    trace.slices.rows().map(row).collect()
}

/// The names of the machines, row by row.
fn machines(trace: &Trace) -> Vec<String> {
    let table = trace.strings.lookup("machine").unwrap();
    let tables = trace.records.rows().table.iter().enumerate();
    let rows = tables.filter(|(_, of)| *of == table).map(|(row, _)| row);
    let name = trace.strings.lookup("name");
    let name = |row| match name.and_then(|name| trace.records.cell(row, name)) {
        Some(ArgValue::Text(name)) => trace.strings.get(name).to_owned(),
        _ => String::new(),
    };
    rows.map(name).collect()
}

fn machine(path: &str, name: &str) -> String {
    format!(r#"{{"path": "{path}", "machine": {{"name": "{name}"}}}}"#)
}

fn two_machines() -> String {
    format!(
        r#""files": [{}, {}]"#,
        machine("a", "phone"),
        machine("b", "watch")
    )
}

#[test]
fn the_wall_time_connects_machines() {
    let a = file("A", 0, &[(BOOT, 1_000), (REALTIME, 5_000_000)]);
    let b = file("B", 0, &[(BOOT, 1_000), (REALTIME, 7_000_000)]);
    let trace = read(&two_machines(), &[("a", &a), ("b", &b)]).unwrap();
    assert_eq!(
        slices(&trace),
        [
            ("A", 2_000_000, "phone".to_owned()),
            ("B", 4_000_000, "watch".to_owned())
        ]
    );
    let pids = trace.processes.pid.iter();
    assert_eq!(pids.filter(|pid| *pid == 7).count(), 0);
}

#[test]
fn without_wall_time_the_same_clock_is_taken_for_the_same_time() {
    let a = file("A", 0, &[(BOOT, 1_000), (REALTIME, 5_000_000)]);
    let b = file("B", 0, &[(BOOT, 9_000)]);
    let trace = read(&two_machines(), &[("a", &a), ("b", &b)]).unwrap();
    assert!(slices(&trace).iter().all(|(_, ts, _)| *ts == 2_000_000));
}

#[test]
fn a_relation_moves_a_file_later() {
    let a = file("A", 0, &[(BOOT, 1_000)]);
    let b = file("B", 0, &[(BOOT, 1_000)]);
    let relation = r#""clocks": {"clock": "BOOTTIME", "offset_ns": 500,
        "sync_to": {"file": "a", "clock": "BOOTTIME"}}"#;
    let files = format!(
        r#""files": [{}, {{"path": "b", "machine": {{"name": "watch"}}, {relation}}}]"#,
        machine("a", "phone")
    );
    let times = |manifest: &str| {
        let trace = read(manifest, &[("a", &a), ("b", &b)]).unwrap();
        let mut times: Vec<_> = slices(&trace)
            .iter()
            .map(|(name, ts, _)| (name.to_string(), *ts))
            .collect();
        times.sort();
        times
    };
    let of = |a: i64, b: i64| [("A".to_owned(), a), ("B".to_owned(), b)];
    assert_eq!(times(&files), of(2_000_000, 2_000_500));
    let line = r#""trace_time": {"clock": "BOOTTIME", "file": "b"}"#;
    assert_eq!(times(&format!("{line}, {files}")), of(1_999_500, 2_000_000));
}

#[test]
fn a_file_without_clocks_is_put_where_the_manifest_says() {
    let a = file("A", 0, &[(BOOT, 1_000)]);
    let json = br#"[{"ph":"X","name":"J","ts":2000,"dur":1,"pid":1,"tid":1}]"#;
    let manifest = r#""files": [{"path": "a"}, {"path": "j", "clocks":
        {"offset_ns": -300, "sync_to": {"file": "a", "clock": "BOOTTIME"}}}]"#;
    let bytes = zip(manifest, &[("j", json), ("a", a.bytes())]);
    let trace = read_bytes(&bytes, ReadOptions::default()).unwrap();
    let times: Vec<_> = slices(&trace)
        .iter()
        .map(|(name, ts, _)| (name.to_string(), *ts))
        .collect();
    assert_eq!(
        times,
        [("J".to_owned(), 1_999_700), ("A".to_owned(), 2_000_000)]
    );
}

#[test]
fn the_time_line_can_be_the_wall_time() {
    let a = file("A", 0, &[(BOOT, 1_000), (REALTIME, 5_001_000)]);
    let trace = read(r#""trace_time": {"clock": "REALTIME"}"#, &[("a", &a)]).unwrap();
    assert_eq!(slices(&trace)[0].1, 7_000_000);
    let mut facts = trace.metadata.rows().map(|row| trace.strings.get(row.key));
    assert!(facts.any(|key| key == "trace_time_clock_id"));
}

#[test]
fn a_file_that_nothing_connects_is_counted() {
    let a = file("A", 0, &[(BOOT, 1_000), (REALTIME, 5_000_000)]);
    let b = file("B", 0, &[(BOOT, 1_000)]);
    let manifest = format!(
        r#""trace_time": {{"clock": "REALTIME"}}, {}"#,
        two_machines()
    );
    let trace = read(&manifest, &[("a", &a), ("b", &b)]).unwrap();
    assert_eq!(slices(&trace).len(), 1);
    assert_eq!(trace.repairs.count(RepairKind::BadClockSync), 1);
}

#[test]
fn machines_of_a_file_get_names() {
    let own = file("A", 0, &[(BOOT, 1_000)]);
    let both = [own.bytes(), file("V", 7, &[(BOOT, 1_000)]).bytes()].concat();
    let read = |machines: &str| {
        let manifest = format!(r#""files": [{{"path": "a", {machines}}}]"#);
        read_bytes(&zip(&manifest, &[("a", &both)]), ReadOptions::default())
    };
    let trace =
        read(r#""machines": [{"id": 7, "name": "vm"}, {"id": 0, "name": "phone"}]"#).unwrap();
    let mut found = slices(&trace);
    found.sort();
    let names: Vec<&str> = found
        .iter()
        .map(|(_, _, machine)| machine.as_str())
        .collect();
    assert_eq!(names, ["phone", "vm"]);
    for refused in [
        r#""machines": [{"id": 0, "name": "phone"}]"#,
        r#""machine": {"name": "phone"}"#,
    ] {
        let error = read(refused).unwrap_err();
        assert!(matches!(error, ReadError::Manifest { .. }), "{error}");
    }
}

#[test]
fn a_name_is_one_machine_in_all_files() {
    let a = file("A", 0, &[(BOOT, 1_000)]);
    let files = format!(r#""files": [{}, {}]"#, machine("a", "x"), machine("b", "x"));
    let trace = read(&files, &[("a", &a), ("b", &a)]).unwrap();
    assert_eq!(machines(&trace), ["x"]);
}

/// Without a manifest too, files of one recording have one row for each machine.
#[test]
fn a_machine_has_one_row() {
    let own = file("own", 0, &[(BOOT, 1_000)]);
    let read = |machines: [i64; 2], is_own_too: bool| {
        let files = machines.map(|id| {
            let other = file("other", id, &[(BOOT, 1_000)]);
            [if is_own_too { own.bytes() } else { &[] }, other.bytes()].concat()
        });
        let trace = plain_zip(&[("a", &files[0]), ("b", &files[1])]);
        let trace = read_bytes(&trace, ReadOptions::default()).unwrap();
        let mut numbers: Vec<i64> = trace.sources.machine.iter().collect();
        numbers.sort_unstable();
        (machines_of(&trace), numbers)
    };
    let machines_of_own = vec![0, 7, 9];
    assert_eq!(read([7, 9], true), (machines_of_own, vec![0, 0, 1, 2]));
    // Without packets of their own, the first machine is the one that recorded.
    assert_eq!(read([7, 9], false), (vec![7, 9], vec![0, 1]));
    assert_eq!(read([7, 7], false), (vec![7], vec![0, 0]));
}

/// The ids of the machines, row by row.
fn machines_of(trace: &Trace) -> Vec<i64> {
    let table = trace.strings.lookup("machine").unwrap();
    let tables = trace.records.rows().table.iter().enumerate();
    let rows = tables.filter(|(_, of)| *of == table).map(|(row, _)| row);
    let id = trace.strings.lookup("raw_id").unwrap();
    let id = |row| match trace.records.cell(row, id) {
        Some(ArgValue::Int(id)) => id,
        other => panic!("{other:?}"),
    };
    rows.map(id).collect()
}

fn plain_zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    use std::io::{Cursor, Write};
    let mut writer = zip::write::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        let options = zip::write::SimpleFileOptions::default();
        writer.start_file(*name, options).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

#[test]
fn a_manifest_says_nothing_about_archives_and_comes_once() {
    let json = br#"[{"ph":"X","name":"J","ts":2000,"dur":1,"pid":1,"tid":1}]"#;
    let inner = plain_zip(&[("j", json)]);
    let manifest = format!(r#""files": [{}]"#, machine("inner.zip", "x"));
    let second = br#"{"perfetto_manifest": {"version": 1}}"#;
    for files in [[("inner.zip", &inner[..])], [("second", &second[..])]] {
        let error = read_bytes(&zip(&manifest, &files), ReadOptions::default()).unwrap_err();
        assert!(matches!(error, ReadError::Manifest { .. }), "{error}");
    }
}
