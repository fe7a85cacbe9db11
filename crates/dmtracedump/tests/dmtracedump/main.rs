//! Compares our dmtracedump with the original on synthetic, real and random traces, each with
//! several sets of options. Skipped, with a message, if the original is not installed.
#![cfg(unix)]

mod build;
mod cases;
mod ours;
mod peers;
mod random;

use std::path::PathBuf;

use peers::Peers;
use testkit::{CallShape, Corpus, Rng, call_trace};

/// Sets of options for a trace in `a.trace`, with `b.trace` to compare it with.
const OPTIONS: &[&[&str]] = &[
    &["a.trace"],
    &["-h", "a.trace"],
    &["-o", "a.trace"],
    &["a.trace", "-ho"],
    &["-d", "b.trace", "a.trace"],
    &["-hdb.trace", "a.trace"],
    &["a.trace", "-k", "-g", "out"],
    &["-kgout", "-t0", "a.trace"],
    &["-kgout", "-t", "50", "a.trace"],
    &["-kgout", "-t", "99", "-h", "a.trace"],
    &["-kgout", "-t", "-5", "a.trace"],
    &["-kgout", "-t100", "a.trace"],
    &["-g", "out", "a.trace"],
    &["-h", "-s", "http://x/<js>/", "a.trace"],
    &["-hs", "u/", "-d", "b.trace", "-g", "out", "--", "a.trace"],
    &["-k", "-t5", "a.trace"],
];

/// The number of random traces in a test run, unless `TRACELOOM_FUZZ` is set: `count` or
/// `first..end`.
const RANDOM_TRACES: u64 = 250;

#[test]
fn made_traces_print_the_same() {
    let Some(mut peers) = Peers::find() else {
        return;
    };
    let cases = cases::all();
    for (at, (name, bytes)) in cases.iter().enumerate() {
        peers.write("a.trace", bytes);
        peers.write("b.trace", &cases[(at * 7 + 1) % cases.len()].1);
        for options in chosen(at, 5) {
            peers.compare(name, options, false);
        }
    }
}

/// The plain profile and `n` more sets of options, which differ from trace to trace.
fn chosen(at: usize, n: usize) -> impl Iterator<Item = &'static &'static [&'static str]> {
    let rest = (0..n).map(move |i| &OPTIONS[1 + (at * n + i) % (OPTIONS.len() - 1)]);
    OPTIONS.iter().take(1).chain(rest)
}

#[test]
fn random_traces_print_the_same() {
    let Some(mut peers) = Peers::find() else {
        return;
    };
    for seed in seeds() {
        peers.write("a.trace", &random::trace(seed));
        peers.write("b.trace", &random::trace(seed / 2));
        for options in chosen(Rng::new(seed).index(1000), 4) {
            peers.compare(&format!("seed {seed}"), options, false);
        }
    }
}

/// Methods with many callers and callees.
#[test]
fn a_wide_call_graph_prints_the_same() {
    let Some(mut peers) = Peers::find() else {
        return;
    };
    peers.write("a.trace", &call_trace(CallShape::Random, 130_000, 300, 1));
    peers.write("b.trace", &call_trace(CallShape::Random, 100_000, 310, 2));
    for options in OPTIONS.iter().take(8) {
        peers.compare("wide", options, false);
    }
}

fn seeds() -> std::ops::Range<u64> {
    let Ok(asked) = std::env::var("TRACELOOM_FUZZ") else {
        return 0..RANDOM_TRACES;
    };
    let number = |text: &str| text.parse().expect("TRACELOOM_FUZZ: a number or a range");
    match asked.split_once("..") {
        Some((first, end)) => number(first)..number(end),
        None => 0..number(&asked),
    }
}

#[test]
fn real_traces_print_the_same() {
    let Some(mut peers) = Peers::find() else {
        return;
    };
    let traces = corpus();
    for (at, trace) in traces.iter().enumerate() {
        let read = |path: &PathBuf| std::fs::read(path).expect("a readable trace");
        peers.write("a.trace", &read(trace));
        peers.write("b.trace", &read(&traces[(at + 1) % traces.len()]));
        for options in OPTIONS {
            peers.compare(&trace.display().to_string(), options, false);
        }
    }
    eprintln!("{} real traces checked", traces.len());
}

fn corpus() -> Vec<PathBuf> {
    let folders = ["traceview-v1", "traceview-v2", "traceview-v3"];
    let files = Corpus::find().map(|corpus| corpus.files(&folders));
    let paths = files.into_iter().flatten().map(|file| file.path);
    paths
        .filter(|p| p.extension().is_some_and(|e| e == "trace"))
        .collect()
}

/// Separated by `|`.
const COMMAND_LINES: &str = "\
 | a.trace a.trace | -x a.trace | - | -- | -- a.trace | -- -o | -h -- | --help | \
-hx a.trace | -d | -g | a.trace -s | -t | -ht a.trace | -t x a.trace | \
-oh a.trace | missing | -o missing | -d missing a.trace | -d a.trace missing | \
-h missing | -b x | a.trace -h | a.trace -- -h | -d -- a.trace | -W a.trace | \
-: a.trace | -; a.trace | -s -h a.trace | a.trace -o -h -k -t 3 | -? | \
-hd a.trace a.trace | /dev/null | -o /dev/null | -g out -k -t 2147483648 a.trace | \
-kg out -t 4294967297 a.trace | - a.trace | -h - a.trace | -hh a.trace | \
-dmissing -o a.trace | -kg out -t x1e9 a.trace | -kg out -t 99999999999 a.trace";

#[test]
fn command_lines_are_read_the_same() {
    let Some(mut peers) = Peers::find() else {
        return;
    };
    peers.write("a.trace", &random::trace(1));
    peers.write("-o", &random::trace(2));
    for line in COMMAND_LINES.split('|') {
        let args: Vec<&str> = line.split_whitespace().collect();
        for posix in [false, true] {
            peers.compare("command line", &args, posix);
        }
    }
}
