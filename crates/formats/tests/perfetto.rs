//! Real Perfetto traces have the counts that Perfetto's own trace processor finds.

use std::collections::HashMap;
use std::fs;

use testkit::{Corpus, Rng, mutate, perfetto_kernel, perfetto_tracks};
use traceloom_formats::{ReadOptions, read_bytes};
use traceloom_trace::{NO_DURATION, Trace};

/// Perfetto's counts for a file, by column name.
type Counts = HashMap<String, i64>;

fn counts_of(trace: &Trace) -> Vec<(&'static str, i64)> {
    let slices = &trace.slices;
    let finished = slices.dur.iter().filter(|dur| *dur != NO_DURATION);
    let unfinished = slices.len() as i64 - finished.clone().count() as i64;
    let sched = trace
        .sched_slices
        .dur
        .iter()
        .filter(|dur| *dur != NO_DURATION);
    vec![
        ("slices", slices.len() as i64),
        ("unfinished", unfinished),
        ("slice_dur_sum", finished.sum()),
        ("threads", trace.real_threads().count() as i64),
        ("processes", trace.real_processes().count() as i64),
        ("sched", trace.sched_slices.len() as i64),
        ("sched_dur_sum", sched.sum()),
        ("counters", trace.counters.len() as i64),
        ("ftrace_events", trace.ftrace_events.len() as i64),
        ("thread_states", trace.thread_states.len() as i64),
    ]
}

fn table(text: &str) -> HashMap<String, Counts> {
    let mut lines = text.lines();
    let titles: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    let row = |line: &str| {
        let mut cells = line.split('\t');
        let path = cells.next()?.to_owned();
        let named = titles[1..].iter().zip(cells);
        let counts =
            named.filter_map(|(title, cell)| Some(((*title).to_owned(), cell.parse().ok()?)));
        Some((path, counts.collect()))
    };
    lines.filter_map(row).collect()
}

/// Columns in which a file differs from Perfetto, and the reason.
const DIFFERENT: &[(&str, &[&str], &str)] = &[
    (
        "chrome",
        &["slice_dur_sum"],
        "Perfetto frees the track of an asynchronous slice at its first step (phase T), so another slice can begin inside of \
         it, and is cut by its end. With this rule, the events have Perfetto's sum; without it, this one",
    ),
    (
        "cpu_sampling_not_scoped",
        &["processes", "thread_states"],
        "Perfetto also has a state before a new thread first runs, and one after its end; and process 10645 twice, which \
         process_stats names before its creation",
    ),
    (
        "test_trace",
        &["threads", "thread_states"],
        "a thread is runnable from its wake-up on, also without sched_waking",
    ),
    (
        "startup_warm",
        &["threads", "counters", "thread_states"],
        "Perfetto has threads 7786 and 7787 twice, which a process tree names before their creation, and one \
         thread less, which is not explained yet; rss_stat of a thread without a process stays an event; and states as above",
    ),
];

fn differs(path: &str, column: &str) -> bool {
    // Events with a table of their own are only in that table.
    let is_listed = |(name, columns, _): &(&str, &[&str], &str)| {
        path.contains(name) && columns.contains(&column)
    };
    column == "ftrace_events" || DIFFERENT.iter().any(is_listed)
}

#[test]
fn counts_are_those_of_perfetto() {
    let Some(corpus) = Corpus::find() else {
        return;
    };
    let table = table(&fs::read_to_string(corpus.root().join("perfetto_counts.tsv")).unwrap());
    let mut checked = 0;
    for (path, expected) in table
        .iter()
        .filter(|(path, _)| path.starts_with("perfetto-proto/"))
    {
        let bytes = fs::read(corpus.root().join(path)).unwrap();
        let trace = read_bytes(&bytes, ReadOptions::default()).unwrap();
        for (column, count) in counts_of(&trace) {
            let Some(theirs) = expected.get(column).filter(|_| !differs(path, column)) else {
                continue;
            };
            assert_eq!(count, *theirs, "{path}: {column}");
            checked += 1;
        }
    }
    println!("{checked} counts checked");
}

/// All tables, as a text.
fn tables(bytes: &[u8], threads: usize) -> String {
    let options = ReadOptions {
        threads,
        ..ReadOptions::default()
    };
    match read_bytes(bytes, options) {
        Ok(trace) => format!("{trace:?}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    // Smaller inputs are read on one thread.
    const BYTES: std::ops::Range<usize> = 256 << 10..2 << 20;
    let made = [perfetto_kernel(40_000, 1), perfetto_tracks(40_000, 1)];
    let corpus = Corpus::find();
    let real = corpus
        .iter()
        .flat_map(|corpus| corpus.files(&["perfetto-proto"]));
    let real = real.map(|file| file.read());
    let inputs: Vec<_> = made.into_iter().chain(real).collect();
    let large = inputs.iter().filter(|bytes| BYTES.contains(&bytes.len()));
    for (number, bytes) in large.enumerate() {
        let damaged = mutate(bytes, &mut Rng::new(number as u64));
        for bytes in [bytes, &damaged] {
            let one = tables(bytes, 1);
            // The texts are too long to be shown.
            assert!(tables(bytes, 2) == one, "two threads, file {number}");
            assert!(tables(bytes, 3) == one, "three threads, file {number}");
        }
    }
}
