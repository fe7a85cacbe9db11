//! Any recording is read back as it was written.

use proptest::prelude::*;
use traceloom_ring::{Event, FileHeader, Image, Name, Owner, Recording, What};

fn name() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..40),
        proptest::collection::vec(any::<u8>(), 500..3_000),
    ]
}

/// Kind, id or name, value, thread, ticks since the previous event.
type Made = (u8, Option<u32>, Vec<u8>, i64, usize, u64);

fn made() -> impl Strategy<Value = Made> {
    let gap = prop_oneof![0u64..1_000, 0u64..1 << 40];
    (
        0u8..8,
        any::<Option<u32>>(),
        name(),
        any::<i64>(),
        0usize..3,
        gap,
    )
}

fn what<'a>((kind, id, text, value, ..): &'a Made) -> What<'a> {
    // A name that fills half a chunk would become a mark, which is a different event.
    let short = &text[..text.len().min(400)];
    let name = id.map_or(Name::Text(short), Name::Id);
    let cpu_ns = id.map(u64::from);
    match kind {
        0 => What::Begin(name),
        1 => What::End,
        2 => What::Enter { id: 7, cpu_ns },
        3 => What::Exit { id: 7, cpu_ns },
        4 => What::Counter(name, *value),
        5 => What::AsyncBegin(name, *value),
        6 => What::Instant(name),
        _ => What::Mark(text[..].into()),
    }
}

proptest! {
    #[test]
    fn any_events_come_back(events in proptest::collection::vec(made(), 0..60)) {
        let mut image = Image::new(FileHeader { chunk_bytes: 1024, ..FileHeader::default() });
        let owners: Vec<_> = (0..3).map(|tid| image.owner(Owner { pid: 1, tid, ..Owner::default() })).collect();
        let mut ticks = 5;
        let mut expected = Vec::new();
        for event in &events {
            ticks += 1 + event.5;
            image.push(owners[event.4], ticks, &what(event));
            expected.push((ticks as i64, event.4 as u32, what(event)));
        }
        let bytes = image.into_bytes();
        let recording = Recording::open(&bytes).unwrap();
        let tid = |thread: usize| recording.threads()[thread].owner.tid;
        let mut read = recording.events();
        let found: Vec<_> = read
            .by_ref()
            .map(|Event { ts_ns, thread, what, .. }| (ts_ns, tid(thread), what))
            .collect();
        prop_assert_eq!(found, expected);
        prop_assert_eq!((read.torn().0, read.partial_marks().0), (0, 0));
    }
}
