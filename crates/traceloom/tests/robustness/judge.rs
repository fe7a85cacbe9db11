//! Reads an input and judges the result.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use testkit::PeakAlloc;
use traceloom_analyze::{CallTree, CallTreeBuilder, TreeOptions};
use traceloom_formats::{
    AnyReader, ReadError, ReadOptions, Reader, Target, read_bytes, read_method_events, wants_whole,
};
use traceloom_trace::{Trace, TraceBuilder};

/// The allowed results: reading, and refusing with a reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    Opened,
    Refused(String),
}

/// The decompression limit for these tests. Bombs expand to a gigabyte.
pub const MAX_DECOMPRESSED: u64 = 64 << 20;

const FREE_BYTES: usize = 64 << 20;
const BYTES_PER_BYTE: usize = 16;

/// Far more than any of these inputs needs, even on a busy machine. Only superlinear time comes
/// near it.
fn time_budget(bytes: usize) -> Duration {
    Duration::from_secs(10) + Duration::from_micros(5) * bytes as u32
}

/// Reads `bytes`, and builds the call tree that analyses start from.
///
/// # Panics
/// If the reader panics, or needs too much time or memory. The message begins with `name`.
pub fn judge(name: &str, bytes: &[u8]) -> Verdict {
    let options = ReadOptions {
        max_decompressed: MAX_DECOMPRESSED,
        ..ReadOptions::default()
    };
    let mut reader = AnyReader::new(options);
    let begun = Instant::now();
    let read = || catch_unwind(AssertUnwindSafe(|| read(bytes, &mut reader)));
    let (result, peak) = PeakAlloc::measure(read);
    let taken = begun.elapsed();
    let unpacked = bytes.len() + reader.decompressed_bytes() as usize;
    let allowed = FREE_BYTES + BYTES_PER_BYTE * unpacked;
    assert!(
        peak <= allowed,
        "{name}: {peak} bytes of memory for {unpacked}; {allowed} are allowed"
    );
    assert!(
        taken <= time_budget(unpacked),
        "{name}: {taken:?} for {unpacked} bytes"
    );
    match result {
        Ok(Ok(trace)) => analyze(name, bytes, &trace),
        Ok(Err(error)) => refused(name, error.to_string()),
        Err(_) => panic!("{name}: the reader panicked; its message is above"),
    }
}

/// Reads `bytes` as [`read_bytes`](traceloom_formats::read_bytes) does.
fn read(bytes: &[u8], reader: &mut AnyReader) -> Result<Trace, ReadError> {
    let mut builder = TraceBuilder::new();
    let mut target = Target::Trace(&mut builder);
    if wants_whole(bytes) {
        reader.whole(bytes, &mut target)?;
    } else {
        bytes
            .chunks(16 << 20)
            .try_for_each(|chunk| reader.feed(chunk, &mut target))?;
        reader.finish(&mut target)?;
    }
    Ok(builder.finish())
}

/// Builds the call tree, from which every analysis starts. The tree from the tables and the tree
/// directly from the events must have the same calls, even in a broken trace.
fn analyze(name: &str, bytes: &[u8], trace: &Trace) -> Verdict {
    let trees = catch_unwind(AssertUnwindSafe(|| {
        let of_tables = CallTree::from_trace(trace, &TreeOptions::default());
        let mut builder = CallTreeBuilder::default();
        let options = ReadOptions {
            max_decompressed: MAX_DECOMPRESSED,
            ..ReadOptions::default()
        };
        let of_events = read_method_events(bytes, options, &mut builder).map(|()| builder.build());
        (of_tables, of_events)
    }));
    let Ok((of_tables, of_events)) = trees else {
        panic!("{name}: the call tree panicked; its message is above");
    };
    match of_events {
        Ok(tree) => assert_eq!(
            of_tables.calls_of_threads(),
            tree.calls_of_threads(),
            "{name}"
        ),
        Err(ReadError::NoMethodEvents { .. }) => {}
        Err(error) => panic!("{name}: opens as tables, but not as events: {error}"),
    }
    Verdict::Opened
}

/// A reason is one sentence on one line.
fn refused(name: &str, why: String) -> Verdict {
    assert!(
        why.len() >= 10 && !why.contains('\n'),
        "{name}: not a clear reason: {why:?}"
    );
    Verdict::Refused(why)
}

/// The result of reading `bytes` on `threads` threads in numbers: the rows of each table, the
/// times, and every repair with its place.
pub fn summary(bytes: &[u8], threads: usize) -> Result<String, String> {
    let options = ReadOptions {
        threads,
        max_decompressed: MAX_DECOMPRESSED,
        ..ReadOptions::default()
    };
    let trace = read_bytes(bytes, options).map_err(|error| error.to_string())?;
    let rows = [
        trace.processes.len(),
        trace.threads.len(),
        trace.tracks.len(),
        trace.slices.len(),
        trace.sched_slices.len(),
        trace.thread_states.len(),
        trace.counters.len(),
        trace.slices.instants().count(),
        trace.ftrace_events.len(),
        trace.strings.texts(),
    ];
    let durations = trace.slices.dur.iter().fold(0i64, i64::wrapping_add);
    Ok(format!(
        "{rows:?} {:?} {durations} {:?}",
        trace.bounds,
        trace.repairs.rows()
    ))
}
