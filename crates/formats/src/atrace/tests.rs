use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use traceloom_trace::RepairKind;

use super::Marker;
use crate::capture::{capture, captured, corpus};
use crate::format::ReadOptions;

const NOISE: &str = "* daemon not running; starting now at tcp:5037\n\
    * daemon started successfully\ncapturing trace... done\n";

fn zlib(bytes: &[u8], level: u32) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::new(level));
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn text() -> Vec<u8> {
    (0..5_000u32)
        .flat_map(|n| format!("event {n} {:x}\n", n.wrapping_mul(2_654_435_761)).into_bytes())
        .collect()
}

fn damaged(bytes: &[u8], returns: usize) -> Vec<u8> {
    let mut out = Vec::new();
    for &byte in bytes {
        if byte == b'\n' {
            out.extend(std::iter::repeat_n(b'\r', returns));
        }
        out.push(byte);
    }
    out
}

#[test]
fn any_level_behind_any_messages() {
    for level in [0, 1, 6, 9] {
        for messages in ["", NOISE, "capturing trace... done\n"] {
            let file = [messages.as_bytes(), b"TRACE:\n", &zlib(&text(), level)].concat();
            let (inputs, trace) = captured(&file);
            assert!(inputs == [text()], "level {level}");
            assert!(trace.repairs.rows().is_empty());
        }
    }
    let commented = [&b"# TRACE:\n"[..], &zlib(&text(), 6)].concat();
    assert!(captured(&commented).0 == [text()]);
}

#[test]
fn damage_by_adb_is_undone_and_counted() {
    for returns in [1, 2] {
        let file = [NOISE.as_bytes(), b"TRACE:\n", &zlib(&text(), 6)].concat();
        let (inputs, trace) = captured(&damaged(&file, returns));
        assert!(inputs == [text()], "{returns} carriage returns");
        assert!(trace.repairs.count(RepairKind::CrlfDamage) > 10);
        assert_eq!(trace.repairs.count(RepairKind::BrokenBlock), 0);
    }
}

#[test]
fn every_short_stream_survives_damage_and_none() {
    for length in 0..400 {
        let file = [&b"TRACE:\n"[..], &zlib(&text()[..length + 1], 6)].concat();
        for returns in [0, 1, 2] {
            let (inputs, _) = captured(&damaged(&file, returns));
            assert!(inputs[0] == text()[..length + 1], "{length} {returns}");
        }
    }
}

#[test]
fn only_the_messages_may_have_crlf() {
    let file = [&b"TRACE:\r\n"[..], &zlib(&text(), 6)].concat();
    let (inputs, trace) = captured(&file);
    assert!(inputs == [text()]);
    assert_eq!(trace.repairs.count(RepairKind::CrlfDamage), 0);
}

#[test]
fn plain_text_keeps_its_line_numbers() {
    let file = damaged(&[NOISE.as_bytes(), b"TRACE:\n", &text()].concat(), 1);
    let (inputs, trace) = captured(&file);
    assert!(inputs == [[&b"#\n#\n#\n#\n"[..], &text()].concat()]);
    assert_eq!(trace.repairs.count(RepairKind::CrlfDamage), 5_000);
}

#[test]
fn chunks_do_not_matter() {
    let file = damaged(
        &[NOISE.as_bytes(), b"TRACE:\n", &zlib(&text(), 6)].concat(),
        2,
    );
    for chunk in [1, 2, 3, 100, 4096] {
        let (inputs, _) = capture(&file, chunk, ReadOptions::default()).unwrap();
        assert!(inputs == [text()], "chunks of {chunk}");
    }
}

#[test]
fn a_trace_is_not_searched_for_the_marker() {
    assert_eq!(Marker::find(b"# tracer: nop\nTRACE:\n"), None);
    assert_eq!(Marker::find(b"abc"), None);
    assert!(Marker::find(b"TRACE:").is_some());
}

#[test]
fn the_real_stream_gives_the_real_text() {
    let packed = corpus("atrace-compressed/catapult__compressed_atrace_data.txt");
    let text = corpus("ftrace-text/catapult__decompressed_atrace_data.txt");
    let (Some(packed), Some(text)) = (packed, text) else {
        return;
    };
    for returns in [0, 1, 2] {
        let file = damaged(&packed, returns);
        let (inputs, trace) = captured(&file);
        assert!(inputs == [text.as_slice()], "{returns} carriage returns");
        assert!(trace.repairs.count(RepairKind::TrailingBytes) >= 17_000);
    }
    println!("1 real traces checked");
}
