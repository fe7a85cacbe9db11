use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use traceloom_trace::RepairKind;

use crate::capture::{capture, captured};
use crate::error::ReadError;
use crate::format::ReadOptions;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn text() -> Vec<u8> {
    (0..20_000u32)
        .flat_map(|n| format!("{n} {}\n", n.wrapping_mul(2_654_435_761)).into_bytes())
        .collect()
}

#[test]
fn members_join_and_padding_is_no_junk() {
    let packed = [gzip(b"one "), gzip(b"two"), vec![0; 512]].concat();
    let (inputs, trace) = captured(&packed);
    assert_eq!(inputs, [b"one two"]);
    assert!(trace.repairs.rows().is_empty());
}

#[test]
fn junk_after_the_end_is_counted() {
    let (inputs, trace) = captured(&[gzip(b"data"), b"junk!".to_vec()].concat());
    assert_eq!(inputs, [b"data"]);
    assert_eq!(trace.repairs.count(RepairKind::TrailingBytes), 5);
}

#[test]
fn chunks_do_not_matter() {
    let packed = [gzip(&text()), gzip(b"end")].concat();
    let whole = captured(&packed).0;
    assert_eq!(whole[0], [text(), b"end".to_vec()].concat());
    for chunk in [1, 2, 3, 7, 1000, 65_536] {
        let inputs = capture(&packed, chunk, ReadOptions::default()).unwrap().0;
        assert!(inputs == whole, "chunks of {chunk}");
    }
}

#[test]
fn a_cut_keeps_what_came() {
    let packed = gzip(&text());
    let (inputs, trace) = captured(&packed[..packed.len() / 2]);
    assert!(inputs[0].len() > 10_000 && text().starts_with(&inputs[0]));
    assert_eq!(trace.repairs.count(RepairKind::TornRecord), 1);
}

#[test]
fn damage_keeps_what_came() {
    let mut packed = gzip(&text());
    let middle = packed.len() / 2;
    packed[middle..middle + 64].fill(0xff);
    let (inputs, trace) = captured(&packed);
    assert!(inputs[0].len() > 10_000);
    assert_eq!(trace.repairs.count(RepairKind::BrokenBlock), 1);
}

#[test]
fn a_member_with_a_wrong_sum_does_not_hide_the_next_one() {
    // The sum, and the length after it, are the last 8 bytes.
    for (from_end, is_first) in [(8, true), (4, true), (8, false)] {
        let mut packed = [gzip(b"one "), gzip(b"two")];
        let broken = &mut packed[usize::from(!is_first)];
        let at = broken.len() - from_end;
        broken[at] ^= 1;
        let packed = packed.concat();
        for chunk in [1, 3, packed.len()] {
            let (inputs, trace) = capture(&packed, chunk, ReadOptions::default()).unwrap();
            assert_eq!(inputs, [b"one two"], "{from_end} {chunk}");
            assert_eq!(trace.repairs.count(RepairKind::BrokenBlock), 1);
            assert_eq!(trace.repairs.rows().len(), 1);
        }
    }
}

#[test]
fn a_wrong_sum_of_nothing_is_an_error() {
    let mut packed = gzip(b"");
    let sum = packed.len() - 8;
    packed[sum] ^= 1;
    let error = capture(&packed, 100, ReadOptions::default()).unwrap_err();
    assert!(matches!(error, ReadError::Compression { .. }), "{error}");
}

#[test]
fn what_follows_damage_is_counted() {
    let mut packed = gzip(&text());
    let middle = packed.len() / 2;
    packed[middle..middle + 64].fill(0xff);
    let counts = [1, 1000, packed.len()].map(|chunk| {
        let (_, trace) = capture(&packed, chunk, ReadOptions::default()).unwrap();
        trace.repairs.count(RepairKind::TrailingBytes)
    });
    assert!(counts[0] > 10_000, "{counts:?}");
    assert!(counts.iter().all(|count| *count == counts[0]), "{counts:?}");
}

#[test]
fn a_header_alone_is_no_trace() {
    let packed = gzip(b"data");
    let error = capture(&packed[..10], 10, ReadOptions::default()).unwrap_err();
    assert!(matches!(error, ReadError::Truncated { .. }), "{error}");
}

#[test]
fn gzip_in_gzip_opens_to_a_limit() {
    let nested = |times| (0..times).fold(b"core".to_vec(), |bytes, _| gzip(&bytes));
    assert_eq!(captured(&nested(4)).0, [b"core"]);
    let error = capture(&nested(5), 64, ReadOptions::default()).unwrap_err();
    assert!(
        matches!(error, ReadError::TooDeep { limit: 4, .. }),
        "{error}"
    );
}

#[test]
fn a_bomb_is_refused_early() {
    // The members of a gzip file form one stream: 160 times 64 MB are 10 GB.
    let bomb = gzip(&gzip(&vec![0; 64 << 20]).repeat(160));
    assert!(bomb.len() < 1 << 20);
    let error = capture(&bomb, usize::MAX, ReadOptions::default()).unwrap_err();
    assert!(matches!(error, ReadError::Bomb { .. }), "{error}");
    let ReadError::Bomb { unpacked, .. } = error else {
        return;
    };
    assert!(unpacked < 70 << 20);
}

#[test]
fn the_limit_counts_all_containers() {
    let options = ReadOptions {
        max_decompressed: 300_000,
        ..ReadOptions::default()
    };
    assert!(text().len() > 200_000 && text().len() < 350_000);
    let error = capture(&gzip(&gzip(&text())), 4096, options).unwrap_err();
    assert!(
        matches!(error, ReadError::TooBig { limit: 300_000, .. }),
        "{error}"
    );
}
