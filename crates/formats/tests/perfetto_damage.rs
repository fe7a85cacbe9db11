//! Damaged copies of real Perfetto traces: each is read or rejected within the memory limit.
//!
//! `TRACELOOM_DAMAGED=10000 cargo test --release -p traceloom-formats --test perfetto_damage` tries more copies.

use testkit::{Corpus, PeakAlloc, Rng, mutate, perfetto_kernel, perfetto_tracks};
use traceloom_formats::{AnyReader, ReadError, ReadOptions, Reader, Target};
use traceloom_trace::{Trace, TraceBuilder};

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

const COPIES: u64 = 200;

/// Larger files take too long.
const MOST_BYTES: usize = 1 << 20;

const FREE_BYTES: usize = 64 << 20;
const BYTES_PER_BYTE: usize = 12;

fn read(bytes: &[u8], reader: &mut AnyReader) -> Result<Trace, ReadError> {
    let mut builder = TraceBuilder::new();
    reader.whole(bytes, &mut Target::Trace(&mut builder))?;
    Ok(builder.finish())
}

#[test]
fn damaged_traces_stay_within_the_memory_bound() {
    let copies = std::env::var("TRACELOOM_DAMAGED").ok();
    let copies = copies.map_or(COPIES, |copies| copies.parse().unwrap());
    let corpus = Corpus::find();
    let real = corpus
        .iter()
        .flat_map(|corpus| corpus.files(&["perfetto-proto"]));
    let mut originals: Vec<_> = real.map(|file| (file.name.clone(), file.read())).collect();
    originals.retain(|(_, bytes)| bytes.len() <= MOST_BYTES);
    originals.push(("kernel events".to_owned(), perfetto_kernel(5_000, 1)));
    originals.push(("events of tracks".to_owned(), perfetto_tracks(5_000, 1)));
    let (mut opened, mut most) = (0, 0.0f64);
    for seed in 0..copies {
        let mut rng = Rng::new(seed);
        let (name, original) = &originals[rng.index(originals.len())];
        let damaged = mutate(original, &mut rng);
        let mut reader = AnyReader::new(ReadOptions::default());
        let (result, peak) = PeakAlloc::measure(|| read(&damaged, &mut reader));
        let bytes = damaged.len() + reader.decompressed_bytes() as usize;
        let allowed = FREE_BYTES + BYTES_PER_BYTE * bytes;
        assert!(
            peak <= allowed,
            "{name}, seed {seed}: {peak} bytes of memory for {bytes}"
        );
        opened += u64::from(result.is_ok());
        most = most.max(peak as f64 / allowed as f64);
    }
    println!(
        "{copies} damaged copies of {} traces: {opened} open; at most {:.0} % of the bound",
        originals.len(),
        most * 100.0
    );
}
