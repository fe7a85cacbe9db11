//! Shared by several tests: the folder of real traces, and the comparison of whole traces.
#![allow(dead_code, missing_docs)]

pub mod samples;

use std::fmt::Write;
use std::path::PathBuf;

use traceloom_formats::{AnyReader, ReadOptions, Reader, Target, read_bytes};
use traceloom_trace::{CounterRow, NO_DURATION, RowId, SliceRow, StringId, Trace, TraceBuilder};

/// The folder of real traces and its index.
pub struct Corpus {
    folder: PathBuf,
    index: String,
}

/// The real traces. Prints a message if they are missing.
pub fn corpus() -> Option<Corpus> {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/testdata");
    let folder = std::env::var_os("TRACELOOM_TESTDATA").map_or(beside, PathBuf::from);
    let Ok(index) = std::fs::read_to_string(folder.join("INDEX.tsv")) else {
        eprintln!("skipped: no corpus");
        return None;
    };
    Some(Corpus { folder, index })
}

impl Corpus {
    /// Paths below `category`, each with its line of the index.
    pub fn files(&self, category: &str) -> impl Iterator<Item = (&str, String)> {
        let rows = self
            .index
            .lines()
            .filter(move |line| line.starts_with(category));
        rows.map(|row| (row.split('\t').next().unwrap_or_default(), row.to_owned()))
    }

    pub fn read(&self, path: &str) -> Vec<u8> {
        std::fs::read(self.folder.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }
}

pub fn open(bytes: &[u8], options: ReadOptions) -> Trace {
    read_bytes(bytes, options).unwrap_or_else(|error| panic!("{error}"))
}

pub fn text(trace: &Trace, id: StringId) -> &str {
    trace.strings.get(id)
}

/// Reads in chunks of random size up to `most`.
pub fn open_in_chunks(bytes: &[u8], seed: u64, most: usize) -> Trace {
    let mut random = testkit::Rng::new(seed);
    let mut builder = TraceBuilder::new();
    let mut reader = AnyReader::new(ReadOptions::default());
    let mut out = Target::Trace(&mut builder);
    let mut rest = bytes;
    while !rest.is_empty() {
        let (chunk, after) = rest.split_at(rest.len().min(random.index(most) + 1));
        reader.feed(chunk, &mut out).unwrap();
        rest = after;
    }
    reader.finish(&mut out).unwrap();
    builder.finish()
}

/// The number of rows in each table.
pub fn counts(trace: &Trace) -> Vec<(&'static str, usize)> {
    vec![
        ("slices", trace.slices.span_count()),
        ("counters", trace.counters.len()),
        ("instants", trace.slices.instants().count()),
        ("sched_slices", trace.sched_slices.len()),
        ("thread_states", trace.thread_states.len()),
        ("ftrace_events", trace.ftrace_events.len()),
        ("threads", trace.real_threads().count()),
        ("processes", trace.real_processes().count()),
    ]
}

/// Every row of every table, and every string.
pub fn fingerprint(trace: &Trace) -> String {
    let mut out = String::new();
    macro_rules! tables {
        ($($table:ident)*) => {$(
            for row in trace.$table.rows() {
                let _ = writeln!(out, "{row:?}");
            }
        )*};
    }
    tables!(processes threads tracks slices counters flows sched_slices thread_states ftrace_events);
    for set in trace.args.sets() {
        let set: Vec<_> = trace.args.set(set).collect();
        let _ = writeln!(out, "{set:?}");
    }
    for (id, text) in trace.strings.iter() {
        let _ = writeln!(out, "{id:?} {text}");
    }
    let _ = writeln!(out, "{:?} {:?}\n# repairs", trace.bounds, trace.clocks);
    for row in trace.repairs.rows() {
        let _ = writeln!(out, "{row:?}");
    }
    out
}

/// Reads a text.
pub fn read(input: &str) -> Trace {
    open(input.as_bytes(), ReadOptions::default())
}

/// Slices as `track/depth name start+dur`, times in µs.
pub fn slices(trace: &Trace) -> Vec<String> {
    let show = |row: SliceRow| {
        let track = trace.tracks.row(row.track_id.row());
        let owner = match (track.utid.some(), track.upid.some()) {
            (Some(utid), _) => format!("t{}", trace.threads.tid.get(utid.row())),
            (None, Some(upid)) => format!("p{}", trace.processes.pid.get(upid.row())),
            _ if track.cpu >= 0 => format!("c{}", track.cpu),
            _ => "g".to_owned(),
        };
        let dur = if row.dur == NO_DURATION {
            "open".to_owned()
        } else {
            (row.dur / 1000).to_string()
        };
        let (track, name) = (text(trace, track.name), text(trace, row.name));
        format!(
            "{owner}:{track}/{} {name} {}+{dur}",
            row.depth,
            row.ts / 1000
        )
    };
    let slices = &trace.slices;
    slices
        .spans()
        .map(|row| slices.row(row))
        .map(show)
        .collect()
}

pub fn counters(trace: &Trace) -> Vec<String> {
    let show = |row: CounterRow| {
        let track = trace.tracks.row(row.track_id.row());
        format!(
            "{} {}={}",
            track.kind.name(),
            text(trace, track.name),
            row.value
        )
    };
    trace.counters.rows().map(show).collect()
}
