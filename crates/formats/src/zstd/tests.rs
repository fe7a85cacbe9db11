use std::io::Write;
use std::process::{Command, Stdio};

use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use traceloom_trace::RepairKind;

use crate::capture::{capture, captured};
use crate::error::ReadError;
use crate::format::ReadOptions;

fn text() -> Vec<u8> {
    (0..40_000u32)
        .flat_map(|n| format!("{n} {}\n", n.wrapping_mul(2_654_435_761)).into_bytes())
        .collect()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    compress_to_vec(bytes, CompressionLevel::Fastest)
}

/// The output of the real tool for `bytes`, if it is installed.
fn by_the_tool(bytes: &[u8], flags: &[&str]) -> Option<Vec<u8>> {
    let child = Command::new("zstd")
        .args(flags)
        .arg("-c")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else {
        eprintln!("skipped: no zstd command");
        return None;
    };
    let mut stdin = child.stdin.take().unwrap();
    let bytes = bytes.to_vec();
    let writer = std::thread::spawn(move || stdin.write_all(&bytes));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    Some(output.stdout)
}

/// A frame with a one-byte content size and one raw block.
fn by_hand(content: &[u8]) -> Vec<u8> {
    let length = content.len() as u8;
    let mut bytes = vec![0x28, 0xb5, 0x2f, 0xfd, 0x20, length];
    bytes.extend_from_slice(&[length << 3 | 1, length >> 5, 0]);
    bytes.extend_from_slice(content);
    bytes
}

#[test]
fn frames_join_and_skippable_ones_are_skipped() {
    let skippable = [0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3];
    let packed = [&by_hand(b"one ")[..], &skippable, &zstd(b"two"), b"junk"].concat();
    for chunk in [1, 2, 5, packed.len()] {
        let (inputs, trace) = capture(&packed, chunk, ReadOptions::default()).unwrap();
        assert_eq!(inputs, [b"one two"], "chunks of {chunk}");
        assert_eq!(trace.repairs.count(RepairKind::TrailingBytes), 4);
        assert_eq!(trace.repairs.rows().len(), 1);
    }
}

#[test]
fn trailing_bytes_begin_at_the_end_of_the_stream() {
    let frame = by_hand(b"data");
    let (_, trace) = captured(&[&frame[..], b"junk"].concat());
    let first = trace.repairs.rows()[0].first;
    assert_eq!(first.offset, Some(frame.len() as u64));
}

#[test]
fn the_real_tool_at_all_levels() {
    for flags in [
        &["-1"][..],
        &["-19"],
        &["--ultra", "-22"],
        &["--long=27"],
        &["--no-check"],
    ] {
        let Some(packed) = by_the_tool(&text(), flags) else {
            return;
        };
        for chunk in [1000, packed.len()] {
            let (inputs, trace) = capture(&packed, chunk, ReadOptions::default()).unwrap();
            assert!(inputs == [text()], "{flags:?}");
            assert!(trace.repairs.rows().is_empty());
        }
    }
}

#[test]
fn a_cut_keeps_what_came() {
    let packed = zstd(&text());
    for cut in [packed.len() / 2, packed.len() - 1] {
        let (inputs, trace) = captured(&packed[..cut]);
        assert!(inputs[0].len() > 100_000 && text().starts_with(&inputs[0]));
        assert_eq!(trace.repairs.count(RepairKind::TornRecord), 1);
    }
}

#[test]
fn damage_keeps_what_came() {
    let Some(packed) = by_the_tool(&text(), &["-3"]) else {
        return;
    };
    let mut broken = packed.clone();
    *broken.last_mut().unwrap() ^= 1;
    let (inputs, trace) = captured(&broken);
    assert!(inputs == [text()]);
    assert_eq!(trace.repairs.count(RepairKind::BrokenBlock), 1);
    for at in (0..packed.len()).step_by(packed.len() / 200) {
        let mut broken = packed.clone();
        broken[at] ^= 0x55;
        let _ = capture(&broken, 4096, ReadOptions::default());
    }
}

#[test]
fn bombs_are_refused_early() {
    // An endless series of blocks that repeat one byte 131,072 times.
    let mut bomb = vec![0x28, 0xb5, 0x2f, 0xfd, 0, 0x58];
    bomb.extend([0x02, 0x00, 0x10, 0].repeat(100_000));
    let error = capture(&bomb, usize::MAX, ReadOptions::default()).unwrap_err();
    assert!(matches!(error, ReadError::Bomb { .. }), "{error}");
}

#[test]
fn a_greedy_header_gets_what_it_can_need() {
    // A window of 3.75 TB and one raw block.
    let greedy = [
        0x28, 0xb5, 0x2f, 0xfd, 0, 0xff, 0x21, 0, 0, b'd', b'a', b't', b'a',
    ];
    assert_eq!(captured(&greedy).0, [b"data"]);
    let dictionary = [
        0x28, 0xb5, 0x2f, 0xfd, 1, 0x58, 7, 0x21, 0, 0, b'd', b'a', b't', b'a',
    ];
    let error = capture(&dictionary, 9, ReadOptions::default()).unwrap_err();
    assert!(matches!(error, ReadError::Compression { .. }), "{error}");
}
