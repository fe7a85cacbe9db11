//! Damaged copies of real recordings: each is read or rejected within the memory limit.
//!
//! `TRACELOOM_DAMAGED=10000 cargo test --release -p traceloom-formats --test perf_data` tries more copies.

use testkit::{PeakAlloc, Rng, mutate, tiny_perf_data, tiny_perf_tracepoints};
use traceloom_formats::{AnyReader, ReadError, ReadOptions, Reader, Target};
use traceloom_trace::{Trace, TraceBuilder};

use super::real_files;

const COPIES: u64 = 300;

/// Real files are truncated at this number of places.
const CUTS: usize = 50;

/// Larger files take too long.
const MOST_BYTES: usize = 1 << 20;

const FREE_BYTES: usize = 64 << 20;
const BYTES_PER_BYTE: usize = 16;

fn read(bytes: &[u8], reader: &mut AnyReader) -> Result<Trace, ReadError> {
    let mut builder = TraceBuilder::new();
    reader.whole(bytes, &mut Target::Trace(&mut builder))?;
    Ok(builder.finish())
}

/// Reads within the memory limit. Returns whether the file could be read.
fn check(name: &str, bytes: &[u8]) -> bool {
    let mut reader = AnyReader::new(ReadOptions::default());
    let (result, peak) = PeakAlloc::measure(|| read(bytes, &mut reader));
    let size = bytes.len() + reader.decompressed_bytes() as usize;
    let allowed = FREE_BYTES + BYTES_PER_BYTE * size;
    assert!(peak <= allowed, "{name}: {peak} bytes of memory for {size}");
    result.is_ok()
}

fn originals() -> Vec<(String, Vec<u8>)> {
    let real = real_files().into_iter();
    let mut originals: Vec<_> = real.map(|file| (file.name.clone(), file.read())).collect();
    originals.retain(|(_, bytes)| bytes.len() <= MOST_BYTES);
    let tiny = tiny_perf_data();
    originals.push(("a file".to_owned(), tiny.to_bytes()));
    let tracepoints = tiny_perf_tracepoints();
    originals.push(("tracepoints".to_owned(), tracepoints.to_bytes()));
    originals.push(("a stream".to_owned(), tiny.to_stream()));
    originals
}

#[test]
fn damaged_recordings_stay_within_the_memory_bound() {
    let copies = std::env::var("TRACELOOM_DAMAGED").ok();
    let copies = copies.map_or(COPIES, |copies| copies.parse().unwrap());
    let originals = originals();
    let mut opened = 0;
    for seed in 0..copies {
        let mut rng = Rng::new(seed);
        let (name, original) = &originals[rng.index(originals.len())];
        let name = format!("{name}, seed {seed}");
        opened += u64::from(check(&name, &mutate(original, &mut rng)));
    }
    println!(
        "{copies} damaged copies of {} recordings: {opened} open",
        originals.len()
    );
}

#[test]
fn truncated_recordings_open() {
    for (name, original) in originals() {
        for cut in (1..=CUTS).map(|nth| original.len() * nth / (CUTS + 1)) {
            let opens = check(&format!("{name}, {cut} bytes"), &original[..cut]);
            // Before that, the header or all events are missing.
            assert!(
                opens || cut < 4096 || cut < original.len() / 2,
                "{name}: {cut} bytes"
            );
        }
    }
}
