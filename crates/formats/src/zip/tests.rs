use std::io::{Cursor, Write};

use traceloom_trace::{RepairKind, RowId, Trace};
use zip::CompressionMethod;
use zip::write::{SimpleFileOptions, ZipWriter};

use crate::capture::{capture, captured, corpus};
use crate::error::ReadError;
use crate::format::ReadOptions;

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
    assert_eq!(inputs, [&b"first"[..], b"second", b"deep"]);
    let names: Vec<&str> = trace
        .sources
        .name
        .iter()
        .map(|id| trace.strings.get(id))
        .collect();
    assert_eq!(
        names,
        [
            "all.zip/a.trace",
            "all.zip/b.trace",
            "all.zip/more.zip/deep.trace"
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

/// The count and the detail of the repairs of a kind. They are those of the archive.
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
