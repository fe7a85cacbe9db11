//! Tests with hand-made pages.

use super::*;
use crate::bytes::ByteOrder;

/// A page header followed by these words.
fn page(big_endian: bool, flags: u64, words: &[u32]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut put = |bytes: &[u8]| {
        let mut bytes = bytes.to_vec();
        if big_endian {
            bytes.reverse();
        }
        out.extend(bytes);
    };
    put(&1_000u64.to_le_bytes());
    put(&(flags | (words.len() * 4) as u64).to_le_bytes());
    words.iter().for_each(|word| put(&word.to_le_bytes()));
    out.resize(128, 0);
    out
}

fn layout(big_endian: bool) -> PageLayout {
    PageLayout::usual(ByteOrder { big_endian }, 8, 128)
}

fn read(bytes: &[u8], big_endian: bool) -> (Vec<(u64, u64, usize)>, Vec<PageFault>) {
    let mut pages = CpuPages::new(bytes, layout(big_endian));
    let events = pages.by_ref();
    let events = events
        .map(|event| (event.ts, event.offset, event.data.len()))
        .collect();
    (events, pages.take_faults())
}

#[test]
fn every_kind_of_record_in_both_orders() {
    let kinds = |pack: fn(u32, u32) -> u32| {
        [
            pack(1, 5),
            0xAAAA,
            pack(30, 1), // 1 + 2 << 27
            2,
            pack(0, 7), // 6 bytes in 8
            10,
            0xBBBB,
            0xCCCC,
            pack(29, 3), // a dropped event of 8 bytes
            8,
            0xDDDD,
            pack(31, 9), // an absolute time
            1,
            pack(2, 0),
            0xEEEE,
            0xFFFF,
            pack(29, 0),
            77,
        ]
    };
    let expected = vec![
        (1_005, 16, 4),
        (1_005 + 1 + (2 << 27) + 7, 32, 6),
        ((1 << 27) + 9, 68, 8),
    ];
    let little = kinds(|kind, delta| delta << 5 | kind);
    let big = kinds(|kind, delta| kind << 27 | delta);
    assert_eq!(
        read(&page(false, 0, &little), false),
        (expected.clone(), vec![])
    );
    assert_eq!(read(&page(true, 0, &big), true), (expected, vec![]));
}

#[test]
fn losses_are_told_with_their_number() {
    let event = [1 | 2 << 5, 0xAAAA];
    let mut stored = page(false, MISSING | MISSING_STORED, &event);
    stored[24..32].copy_from_slice(&77u64.to_le_bytes());
    let unknown = page(false, MISSING, &event);
    let (events, faults) = read(&[stored, unknown].concat(), false);
    assert_eq!(events.len(), 2);
    let lost = |events, offset| PageFault::Lost { events, offset };
    assert_eq!(faults, [lost(77, 0), lost(0, 128)]);
}

#[test]
fn what_is_broken_costs_its_page_alone() {
    let long = page(false, 0, &[28, 1]);
    let good = page(false, 0, &[1, 7]);
    let (events, faults) = read(&[long, good.clone()].concat(), false);
    assert_eq!(events, [(1_000, 128 + 16, 4)]);
    assert_eq!(
        faults,
        [PageFault::BadRecord {
            offset: 16,
            bytes: 8
        }]
    );
    let (events, faults) = read(&good[..40], false);
    assert_eq!(events.len(), 1);
    assert_eq!(
        faults,
        [PageFault::TornPage {
            offset: 0,
            bytes: 40
        }]
    );
    let mut full = good;
    full[9] = 0xff;
    let (_, faults) = read(&full, false);
    assert!(matches!(
        faults[0],
        PageFault::BadCommit { commit: 0xff08, .. }
    ));
    for cut in 0..24 {
        let _ = read(&full[..cut], false);
    }
}

#[test]
fn a_page_made_by_hand() {
    let mut page = vec![0u8; 4096];
    page[..8].copy_from_slice(&1_000u64.to_le_bytes()); // the page's time
    page[8] = 12; // bytes of data
    page[16..20].copy_from_slice(&(5u32 << 5 | 2).to_le_bytes()); // 5 ns later, 2 words
    page[20..28].copy_from_slice(b"an event");
    let layout = PageLayout::usual(ByteOrder::default(), 8, 4096);
    let events: Vec<_> = CpuPages::new(&page, layout).collect();
    assert_eq!((events[0].ts, events[0].data), (1_005, &b"an event"[..]));
}
