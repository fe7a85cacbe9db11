//! Real Perfetto traces have the counts that Perfetto's own trace processor finds.

use std::collections::HashMap;
use std::fs;

use traceloom_formats::{ReadOptions, read_bytes};
use traceloom_trace::{NO_DURATION, Trace};

/// What Perfetto counted in a file, by the column's name.
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
        ("slices", slices.len() as i64 + trace.instants.len() as i64),
        ("unfinished", unfinished),
        ("slice_dur_sum", finished.sum()),
        ("threads", trace.threads.len() as i64),
        ("processes", trace.processes.len() as i64),
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

#[test]
fn counts() {
    let Some(corpus) = testkit::Corpus::find() else {
        return;
    };
    let table = table(&fs::read_to_string(corpus.root().join("perfetto_counts.tsv")).unwrap());
    let mut paths: Vec<_> = table
        .keys()
        .filter(|path| path.starts_with("perfetto-proto/"))
        .collect();
    paths.sort();
    for path in paths {
        let bytes = fs::read(corpus.root().join(path)).unwrap();
        let trace = read_bytes(&bytes, ReadOptions::default()).unwrap();
        println!("{path}");
        for (name, count) in counts_of(&trace) {
            let theirs = table[path].get(name).copied().unwrap_or(-1);
            if theirs != count {
                println!("    {name}: {count}, Perfetto {theirs}");
            }
        }
        for repair in trace.repairs.rows() {
            println!("      {:?} {} {}", repair.kind, repair.count, repair.detail);
        }
    }
}

#[test]
fn scratch() {
    let path = std::env::var("SCRATCH").unwrap_or_default();
    if path.is_empty() {
        return;
    }
    let trace = read_bytes(&fs::read(path).unwrap(), ReadOptions::default()).unwrap();
    let mut states: std::collections::BTreeMap<String, (usize, usize)> = Default::default();
    for row in trace.thread_states.rows() {
        let e = states.entry(row.state.to_string()).or_default();
        e.0 += 1;
        if row.dur == 0 {
            e.1 += 1;
        }
    }
    println!("{states:?}");
    let mut wake = [0; 3];
    for row in trace.wakeups.rows() {
        wake[row.kind as usize] += 1;
    }
    println!("wakes {wake:?} run_ends {}", trace.run_ends.len());
    println!(
        "sched {} inferred {}",
        trace.sched_slices.len(),
        trace.sched_slices.inferred.iter().filter(|i| *i).count()
    );
    let mut tracks: std::collections::BTreeMap<(String, String), usize> = Default::default();
    for row in trace.slices.rows() {
        let t = trace.tracks.row(traceloom_trace::RowId::row(row.track_id));
        *tracks
            .entry((
                t.kind.name().to_owned(),
                trace.strings.get(t.name).to_owned(),
            ))
            .or_default() += 1;
    }
    println!("{tracks:#?}");
}
