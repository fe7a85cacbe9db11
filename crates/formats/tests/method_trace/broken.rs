//! Broken input ends in a result or an error, and chunk boundaries change nothing.

use proptest::prelude::*;

use crate::asm::{dual, streaming};
use crate::support::{corpus, read_bytewise, read_events, read_events_cut};

fn fixtures() -> Vec<Vec<u8>> {
    vec![dual(), streaming()]
}

#[test]
fn every_truncation_ends_in_a_result_or_an_error() {
    let mut all = fixtures();
    if let Some(folder) = corpus() {
        let paths = [
            "traceview-v1/adt-tools-base__basic-api10.trace",
            "traceview-v3/adt-tools-base__exception.trace",
        ];
        all.extend(paths.map(|path| std::fs::read(folder.join(path)).unwrap()));
        eprintln!("{} real traces checked", paths.len());
    }
    for bytes in all {
        for end in 0..=bytes.len() {
            let _ = read_events(&bytes[..end]);
        }
        for end in (0..=bytes.len()).step_by(7) {
            let _ = read_bytewise(&bytes[..end]);
        }
    }
}

#[test]
fn chunks_of_one_byte_give_the_same() {
    for bytes in fixtures() {
        let whole = read_events(&bytes).unwrap();
        let cuts: Vec<_> = (0..bytes.len()).collect();
        assert_eq!(read_events_cut(&bytes, &cuts).unwrap(), whole);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn chunks_of_any_size_give_the_same(
        which in 0usize..2,
        mut cuts in prop::collection::vec(0usize..700, 0..12),
    ) {
        let bytes = &fixtures()[which];
        cuts.sort_unstable();
        prop_assert_eq!(read_events_cut(bytes, &cuts).unwrap(), read_events(bytes).unwrap());
    }

    #[test]
    fn changed_bytes_are_survived(
        which in 0usize..2,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = fixtures().swap_remove(which);
        for (place, value) in changes {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        let cut = cut.index(bytes.len());
        if traceloom_formats::detect(&bytes).is_some_and(|format| format.id() == "art-method") {
            let whole = read_events(&bytes);
            let parts = read_events_cut(&bytes, &[cut]);
            prop_assert_eq!(whole.ok(), parts.ok());
        }
    }

    #[test]
    fn random_records_are_survived(
        version in prop::sample::select(vec![1u16, 2, 3, 4, 5, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5]),
        body in prop::collection::vec(any::<u8>(), 0..2000),
        cut in 0usize..2000,
    ) {
        let mut bytes = crate::asm::Asm::default().header(version, 7).0;
        bytes.extend(body);
        let whole = read_events(&bytes);
        let parts = read_events_cut(&bytes, &[cut, cut + 1]);
        prop_assert_eq!(whole.ok(), parts.ok());
    }
}

/// Changes and truncates the bytes of real traces. `TRACELOOM_FLIPS` sets the number of rounds; 200
/// by default.
#[test]
fn changed_real_traces_are_survived() {
    let Some(folder) = corpus() else { return };
    let times = std::env::var("TRACELOOM_FLIPS").ok();
    let times: u64 = times.and_then(|times| times.parse().ok()).unwrap_or(200);
    let paths = [
        "traceview-v1/adt-tools-base__basic-api10.trace",
        "traceview-v2/testWaitingPairCrossThreadTrace.trace",
        "traceview-v3/adt-tools-base__exception.trace",
        "traceview-v3/adt-tools-base__mismatched.trace",
        "traceview-v3/yamp__legacy.trace",
    ];
    let files = paths.map(|path| std::fs::read(folder.join(path)).unwrap());
    let mut random = testkit::Rng::new(1);
    let mut below = |limit: usize| random.index(limit);
    for round in 0..times {
        // The big file is slow, so it is used only in every 20th round.
        let which = if round % 20 == 0 { 4 } else { below(4) };
        let mut bytes = files[which].clone();
        for _ in 0..=below(8) {
            let place = below(bytes.len());
            bytes[place] = below(256) as u8;
        }
        if below(2) == 0 {
            bytes.truncate(below(bytes.len()));
        }
        let _ = traceloom_formats::read_bytes(&bytes, Default::default());
    }
    eprintln!("{} real traces checked", paths.len());
}
