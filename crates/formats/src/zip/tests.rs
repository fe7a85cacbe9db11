use std::io::{Cursor, Write};

use traceloom_trace::RepairKind;
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
    assert!(matches!(error, ReadError::Bomb { .. }), "{error}");
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
