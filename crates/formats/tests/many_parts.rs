//! Inputs with very many small parts: time and memory for reading them must be proportional to
//! their size.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use testkit::{Parts, PeakAlloc, many_parts};
use traceloom_formats::{AnyReader, ReadError, ReadOptions, Reader, Target, wants_whole};
use traceloom_trace::{Trace, TraceBuilder};

const COUNTS: [usize; 2] = [10_000, 100_000];

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

const FREE_BYTES: usize = 64 << 20;
const BYTES_PER_BYTE: usize = 16;

/// Ten times as many parts take about ten times as long. If the work for each part grew with the number of earlier
/// parts, they would take a hundred times as long.
const MOST_TIMES: u32 = 50;
/// Additional time that is allowed on a busy machine.
const FREE_TIME: Duration = Duration::from_secs(10);

/// `TRACELOOM_PARTS=NAME` runs only the kinds whose name contains this text.
#[test]
fn many_parts_are_read() {
    let only = std::env::var("TRACELOOM_PARTS").unwrap_or_default();
    let kinds = many_parts();
    let kinds: Vec<_> = kinds
        .iter()
        .filter(|parts| parts.name.contains(&only))
        .collect();
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some(parts) = kinds.get(next.fetch_add(1, Ordering::Relaxed)) {
            // The error is handled before the lock, which would make the other threads wait.
            let error = check_growth(parts).err();
            failed.lock().unwrap().extend(error);
        }
    };
    std::thread::scope(|scope| {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        (0..threads).for_each(|_| drop(scope.spawn(work)));
    });
    let failed = failed.into_inner().unwrap();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Reads inputs with few and with many parts; the error says what is wrong.
fn check_growth(parts: &Parts) -> Result<(), String> {
    let few = check(parts, COUNTS[0])?;
    let many = check(parts, COUNTS[1])?;
    if many > few * MOST_TIMES + FREE_TIME {
        let name = parts.name;
        return Err(format!("{COUNTS:?} {name} take {few:?} and {many:?}"));
    }
    Ok(())
}

/// Reads an input with `count` parts. Returns the time that it took.
fn check(parts: &Parts, count: usize) -> Result<Duration, String> {
    let bytes = (parts.make)(count);
    let mut reader = AnyReader::new(ReadOptions::default());
    let begun = Instant::now();
    let (result, peak) = PeakAlloc::measure(|| read(&bytes, &mut reader));
    let taken = begun.elapsed();
    let size = bytes.len() + reader.decompressed_bytes() as usize;
    let name = format!("{count} {}", parts.name);
    let seconds = taken.as_secs_f64();
    eprintln!(
        "{name:50} {:7} KB {seconds:8.3} s {:7} KB",
        size >> 10,
        peak >> 10
    );
    let allowed = FREE_BYTES + BYTES_PER_BYTE * size;
    match result {
        Err(error) => Err(format!("{name}: {error}")),
        Ok(_) if peak > allowed => Err(format!("{name}: {peak} bytes, {allowed} are allowed")),
        Ok(_) => Ok(taken),
    }
}

fn read(bytes: &[u8], reader: &mut AnyReader) -> Result<Trace, ReadError> {
    let mut builder = TraceBuilder::new();
    let mut target = Target::Trace(&mut builder);
    if wants_whole(bytes) {
        reader.whole(bytes, &mut target)?;
    } else {
        reader.feed(bytes, &mut target)?;
        reader.finish(&mut target)?;
    }
    Ok(builder.finish())
}
