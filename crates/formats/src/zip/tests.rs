use std::io::{Cursor, Write};

use traceloom_trace::{RepairKind, RowId, Trace};
use zip::CompressionMethod;
use zip::write::{SimpleFileOptions, ZipWriter};

use crate::capture::{capture, captured, corpus};
use crate::error::ReadError;
use crate::format::ReadOptions;
use crate::read_bytes;

fn zip(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (row, (name, bytes)) in entries.iter().enumerate() {
        let method = [CompressionMethod::Deflated, CompressionMethod::Stored][row % 2];
        let options = SimpleFileOptions::default().compression_method(method);
        writer.start_file(*name, options).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

#[test]
fn each_trace_is_a_source_and_the_rest_is_counted() {
    let inner = zip(&[("deep.trace", b"deep")]);
    let packed = zip(&[
        ("readme", b"?no trace"),
        ("a.trace", b"first"),
        ("empty", b""),
        ("b.trace", b"second"),
        ("more.zip", &inner),
    ]);
    let options = ReadOptions {
        name: "all.zip".to_owned(),
        ..ReadOptions::default()
    };
    let (inputs, trace) = capture(&packed, 7, options).unwrap();
    assert_eq!(inputs, [&b"deep"[..], b"first", b"second"]);
    let names: Vec<&str> = trace
        .sources
        .name
        .iter()
        .map(|id| trace.strings.get(id))
        .collect();
    assert_eq!(
        names,
        [
            "all.zip/more.zip/deep.trace",
            "all.zip/a.trace",
            "all.zip/b.trace",
        ]
    );
    assert_eq!(trace.repairs.count(RepairKind::SkippedEntry), 2);
}

#[test]
fn a_pair_is_one_trace() {
    let entries: [(&str, &[u8]); 3] = [
        ("x/t.data", b"SLOW data"),
        ("lone.data", b"?"),
        ("x/t.key", b"keys "),
    ];
    assert_eq!(captured(&zip(&entries)).0, [b"keys SLOW data"]);
}

#[test]
fn a_cut_archive_gives_the_entries_that_are_there() {
    let text: Vec<u8> = (0..20_000u32)
        .flat_map(|n| format!("{}\n", n.wrapping_mul(2_654_435_761)).into_bytes())
        .collect();
    let packed = zip(&[("a", b"first"), ("b", b"second"), ("c", &text)]);
    let (inputs, trace) = captured(&packed[..packed.len() * 3 / 4]);
    assert_eq!(inputs[..2], [&b"first"[..], b"second"]);
    assert!(inputs[2].len() > 50_000 && text.starts_with(&inputs[2]));
    assert_eq!(trace.repairs.count(RepairKind::TornRecord), 1);
}

#[test]
fn nothing_inside_is_an_error() {
    for packed in [zip(&[]), zip(&[("a", b"?"), ("b", b"")])] {
        let error = capture(&packed, 100, ReadOptions::default()).unwrap_err();
        assert!(matches!(error, ReadError::NothingInside { .. }), "{error}");
    }
    let error = capture(b"PK\x03\x04 and no more", 100, ReadOptions::default()).unwrap_err();
    assert!(matches!(error, ReadError::Compression { .. }), "{error}");
}

#[test]
fn bombs_are_refused() {
    let packed = zip(&[("zeros", &vec![0; 80 << 20])]);
    let error = capture(&packed, 1 << 20, ReadOptions::default()).unwrap_err();
    assert!(
        matches!(error.innermost(), ReadError::Bomb { .. }),
        "{error}"
    );
    assert!(error.to_string().starts_with("zeros: "), "{error}");
}

#[test]
fn damage_never_panics() {
    let packed = zip(&[("a", b"first first first"), ("b", b"second")]);
    for at in 0..packed.len() {
        for flip in [1, 0x80, 0xff] {
            let mut broken = packed.clone();
            broken[at] ^= flip;
            let _ = capture(&broken, 4096, ReadOptions::default());
        }
        let _ = capture(&packed[..at + 1], 4096, ReadOptions::default());
    }
}

#[test]
fn a_real_archive_opens() {
    let Some(bytes) = corpus("chrome-json/catapult__simple_trace_zip.zip") else {
        return;
    };
    assert_eq!(captured(&bytes).0.len(), 1);
    println!("1 real traces checked");
}

/// An archive whose entries are not compressed.
fn stored(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        writer.start_file(*name, options).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// Replaces all occurrences of `from` by other bytes of the same length.
fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let mut bytes = bytes.to_vec();
    for at in 0..=bytes.len() - from.len() {
        if bytes[at..].starts_with(from) {
            bytes[at..at + to.len()].copy_from_slice(to);
        }
    }
    bytes
}

/// Sets a number in the headers of the first entry: at `at` in the local one, two bytes later in the directory's.
fn patched(mut bytes: Vec<u8>, at: usize, value: u16) -> Vec<u8> {
    for at in [at, directory(&bytes) + at + 2] {
        bytes[at..at + 2].copy_from_slice(&value.to_le_bytes());
    }
    bytes
}

/// The count and the detail of the archive's own repairs of a kind.
fn repairs(trace: &Trace, kind: RepairKind) -> Vec<(u64, &str)> {
    let rows = trace.repairs.rows().iter();
    let rows = rows.filter(|row| row.kind == kind);
    let told = |row| {
        let row: &traceloom_trace::RepairRow = row;
        assert_eq!(row.source.some(), None);
        (row.count, row.detail.as_str())
    };
    rows.map(told).collect()
}

#[test]
fn entries_of_the_same_name_are_all_read() {
    for make in [zip, stored] {
        let packed = make(&[("a.trace", b"first"), ("b.trace", b"second")]);
        let (inputs, trace) = captured(&replaced(&packed, b"b.trace", b"a.trace"));
        assert_eq!(inputs, [&b"first"[..], b"second"]);
        assert!(trace.repairs.rows().is_empty());
    }
}

#[test]
fn pairs_of_the_same_name_stay_apart() {
    let entries: [(&str, &[u8]); 4] = [
        ("x.key", b"keys 1 "),
        ("x.data", b"SLOW 1"),
        ("y.key", b"keys 2 "),
        ("y.data", b"SLOW 2"),
    ];
    let packed = replaced(&stored(&entries), b"y.", b"x.");
    let expected = [&b"keys 1 SLOW 1"[..], b"keys 2 SLOW 2"];
    assert_eq!(captured(&packed).0, expected);
}

#[test]
fn concatenated_archives_are_all_read() {
    let [a, b] = ["a", "b"].map(|name| zip(&[(name, name.as_bytes()), ("more", b"more")]));
    let (inputs, trace) = captured(&[&a[..], &b, &a].concat());
    assert_eq!(inputs, [&b"a"[..], b"a", b"b", b"more", b"more", b"more"]);
    assert!(trace.repairs.rows().is_empty());
}

#[test]
fn what_no_directory_lists_is_counted() {
    let [a, b] = ["a", "b"].map(|name| zip(&[(name, name.as_bytes())]));
    let cut = &a[..35];
    let (inputs, trace) = captured(&[cut, &b].concat());
    assert_eq!(inputs, [b"b"]);
    let found = repairs(&trace, RepairKind::BrokenBlock);
    assert!(found[0].1.starts_with("35 bytes in front"), "{found:?}");
    let (inputs, trace) = captured(&[&b[..], b"other"].concat());
    assert_eq!(inputs, [b"b"]);
    let found = repairs(&trace, RepairKind::TrailingBytes);
    assert_eq!(found, [(5, "after the zip archive")]);
}

#[test]
fn a_cut_archive_behind_another_gives_its_entries() {
    let a = zip(&[("a", b"first")]);
    let b = stored(&[("b", b"second"), ("c", b"third")]);
    let end = b.windows(4).position(|mark| mark == b"PK\x01\x02").unwrap();
    let (inputs, trace) = captured(&[&a[..], &b[..end - 2]].concat());
    assert_eq!(inputs, [&b"first"[..], b"second", b"thi"]);
    let found = repairs(&trace, RepairKind::TornRecord);
    assert_eq!(found, [(1, "c: breaks off")]);
}

#[test]
fn damage_names_its_entry() {
    let packed = stored(&[("a", b"first"), ("b", b"second")]);
    let (inputs, trace) = captured(&replaced(&packed, b"first", b"FIRST"));
    assert_eq!(inputs, [&b"FIRST"[..], b"second"]);
    let found = repairs(&trace, RepairKind::BrokenBlock);
    assert_eq!(found, [(1, "a: the checksum is wrong")]);
    assert!(repairs(&trace, RepairKind::TornRecord).is_empty());
}

#[test]
fn entries_that_cannot_be_unpacked_say_why() {
    let one = || stored(&[("a", b"first")]);
    let both = || stored(&[("a", b"first"), ("b", b"second")]);
    let cases = [
        (6, 1, "a: is encrypted"),
        (8, 12, "a: uses bzip2, which traceloom does not unpack"),
        (
            8,
            77,
            "a: uses the compression method 77, which traceloom does not unpack",
        ),
    ];
    for (at, value, expected) in cases {
        let (inputs, trace) = captured(&patched(both(), at, value));
        assert_eq!(inputs, [b"second"]);
        assert_eq!(repairs(&trace, RepairKind::BrokenBlock), [(1, expected)]);
        let alone = patched(one(), at, value);
        let error = capture(&alone, 100, ReadOptions::default()).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn files_of_other_tools_are_not_broken() {
    let json = br#"[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"name":"a"}]"#;
    let jfr = b"FLR\0\0\x02\0\0 and more";
    let read = |packed: &[u8]| read_bytes(packed, ReadOptions::default());
    let trace = read(&stored(&[("a.jfr", jfr), ("b.json", json)])).unwrap();
    let what = "a.jfr: this is a Java Flight Recorder file (JFR), which traceloom does not read";
    assert_eq!(repairs(&trace, RepairKind::SkippedEntry), [(1, what)]);
    assert!(repairs(&trace, RepairKind::BrokenBlock).is_empty());
    let error = read(&stored(&[("a.jfr", jfr)])).unwrap_err();
    assert_eq!(error.to_string(), what);
    // Only the part after the bytes used for detection shows that this is not a Chrome trace.
    let long = format!("{{\"a\":[{}0]}}", "1,".repeat(1 << 16));
    let trace = read(&stored(&[("a.json", long.as_bytes()), ("b.json", json)])).unwrap();
    assert_eq!(repairs(&trace, RepairKind::SkippedEntry), [(1, "a.json")]);
    assert_eq!(trace.sources.len(), 1);
}

#[test]
fn what_is_nested_too_deep_does_not_hide_the_rest() {
    let deep = (0..6).fold(b"deep".to_vec(), |inner, _| stored(&[("n.zip", &inner)]));
    let (inputs, trace) = captured(&stored(&[("deep.zip", &deep), ("a", b"first")]));
    assert_eq!(inputs, [b"first"]);
    let found = repairs(&trace, RepairKind::BrokenBlock);
    let (start, end) = ("deep.zip: n.zip: ", "containers nested more than 4 deep");
    assert!(
        found[0].1.starts_with(start) && found[0].1.ends_with(end),
        "{found:?}"
    );
}

#[test]
fn a_repair_names_the_first_entries() {
    let names: Vec<String> = (0..10).map(|row| format!("n{row}")).collect();
    let mut entries: Vec<(&str, &[u8])> = names
        .iter()
        .map(|name| (name.as_str(), &b"?"[..]))
        .collect();
    entries.push(("a", b"first"));
    let (_, trace) = captured(&stored(&entries));
    let expected = "n0; n1; n2; n3; n4; n5; n6; n7; and 2 more";
    assert_eq!(repairs(&trace, RepairKind::SkippedEntry), [(10, expected)]);
}

/// An archive that was written to a pipe: sizes follow the data.
fn streamed(method: CompressionMethod, entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = ZipWriter::new_stream(&mut bytes);
    for (name, content) in entries {
        let options = SimpleFileOptions::default().compression_method(method);
        writer.start_file(*name, options).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap();
    bytes
}

/// The position of the directory, from the end record.
fn directory(packed: &[u8]) -> usize {
    let end = packed.len() - 2;
    u32::from_le_bytes(packed[end - 4..end].try_into().unwrap()) as usize
}

#[test]
fn a_cut_archive_with_descriptors_gives_the_entries_that_are_there() {
    let inner = stored(&[("deep", b"deep")]);
    for method in [CompressionMethod::Deflated, CompressionMethod::Stored] {
        let entries: [(&str, &[u8]); 4] = [
            ("a", b"first"),
            ("in.zip", &inner),
            ("empty", b""),
            ("b", b"second"),
        ];
        let packed = streamed(method, &entries);
        let end = directory(&packed);
        assert_eq!(packed[6] & 8, 8);
        let (inputs, trace) = captured(&packed[..end + 10]);
        assert_eq!(inputs, [&b"deep"[..], b"first", b"second"], "{method}");
        assert_eq!(trace.repairs.count(RepairKind::TornRecord), 1);
        assert_eq!(trace.repairs.count(RepairKind::BrokenBlock), 0);
        // A descriptor of 4-byte sizes has 16 bytes with its mark.
        let (inputs, trace) = captured(&packed[..end - 18]);
        assert!(
            inputs.len() == 3 && b"second".starts_with(&inputs[2]),
            "{inputs:?}"
        );
        assert_eq!(
            repairs(&trace, RepairKind::TornRecord),
            [(1, "b: breaks off")]
        );
    }
}

#[test]
fn descriptors_need_no_mark() {
    let packed = streamed(
        CompressionMethod::Deflated,
        &[("a", b"first"), ("b", b"second")],
    );
    let mut plain = packed[..directory(&packed)].to_vec();
    while let Some(at) = plain.windows(4).position(|mark| mark == b"PK\x07\x08") {
        plain.drain(at..at + 4);
    }
    plain.extend_from_slice(b"PK\x01\x02");
    assert_eq!(captured(&plain).0, [&b"first"[..], b"second"]);
}

#[test]
fn a_cut_archive_without_a_trace_is_incomplete() {
    let packed = stored(&[("a", b"first")]);
    for end in [30, 31] {
        let error = capture(&packed[..end], 100, ReadOptions::default()).unwrap_err();
        assert!(
            matches!(error.innermost(), ReadError::Truncated { .. }),
            "{end}: {error}"
        );
    }
    let packed = stored(&[("a", b"?"), ("b", b"?")]);
    let packed = &packed[..directory(&packed)];
    let error = capture(packed, 100, ReadOptions::default()).unwrap_err();
    assert!(matches!(error, ReadError::Truncated { .. }), "{error}");
}

#[test]
fn sizes_of_8_bytes_are_read() {
    let options = SimpleFileOptions::default().large_file(true);
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in [("a", b"first"), ("b", b"other")] {
        writer.start_file(name, options).unwrap();
        writer.write_all(content).unwrap();
    }
    let packed = writer.finish().unwrap().into_inner();
    for bytes in [&packed[..], &packed[..directory(&packed)]] {
        let (inputs, trace) = captured(bytes);
        assert_eq!(inputs, [b"first", b"other"]);
        assert_eq!(trace.repairs.count(RepairKind::BrokenBlock), 0);
    }
}
