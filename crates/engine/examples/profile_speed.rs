//! Measures the profile's questions on a large trace: `cargo run --release -p traceloom-engine
//! --example profile_speed -- [slices] [threads]`, or `-- FILE`.

use std::time::Instant;

use testkit::Rng;
use traceloom_analyze::{CallTree, TreeOptions};
use traceloom_engine::{Cancel, Engine};
use traceloom_formats::{ReadOptions, read_bytes};
use traceloom_trace::{SliceBegin, Trace, TraceBuilder};

fn main() {
    let mut numbers = std::env::args()
        .skip(1)
        .filter_map(|text| text.parse().ok());
    let slices = numbers.next().unwrap_or(10_000_000);
    let threads = numbers.next().unwrap_or(200);
    let started = Instant::now();
    let file = std::env::args()
        .nth(1)
        .filter(|path| std::path::Path::new(path).exists());
    let engine = Engine::new(match file {
        Some(path) => {
            let bytes = std::fs::read(path).expect("a file that can be read");
            read_bytes(&bytes, ReadOptions::default()).expect("a trace")
        }
        None => trace(slices, threads),
    });
    eprintln!("made in {:.1?}", started.elapsed());
    let (started, cpu) = (Instant::now(), cpu_ms());
    let tree = CallTree::from_trace(engine.trace(), &TreeOptions::default());
    let (nodes, took) = (tree.nodes.len(), started.elapsed());
    println!(
        "{took:>9.1?} {:>6} ms CPU  tree of {nodes} nodes",
        cpu_ms() - cpu
    );
    drop(tree);
    time(&engine, r#"{"op":"rows"}"#);
    let (half, end) = (
        engine.trace().duration_ns() / 2,
        engine.trace().duration_ns(),
    );
    for question in [
        r#"{"op":"find","text":"a"}"#.to_owned(),
        r#"{"op":"find","text":"a"}"#.to_owned(),
        format!(
            r#"{{"op":"range","limit":2000,"from":1000,"to":{}}}"#,
            end - 1000
        ),
        format!(
            r#"{{"op":"range","limit":2000,"from":2000,"to":{}}}"#,
            end - 2000
        ),
        format!(r#"{{"op":"profile","from":1000,"to":{}}}"#, end - 1000),
        format!(r#"{{"op":"profile","from":2000,"to":{}}}"#, end - 2000),
        r#"{"op":"profile"}"#.to_owned(),
        r#"{"op":"profile"}"#.to_owned(),
        r#"{"op":"profile","by":"thread"}"#.to_owned(),
        format!(r#"{{"op":"profile","from":{},"to":{half}}}"#, half * 9 / 10),
        format!(
            r#"{{"op":"profile","from":{},"to":{half}}}"#,
            half * 999 / 1000
        ),
        r#"{"op":"profile","threads":[7]}"#.to_owned(),
        r#"{"op":"method","rank":3}"#.to_owned(),
        r#"{"op":"flame"}"#.to_owned(),
        r#"{"op":"flame","direction":"up"}"#.to_owned(),
        r#"{"op":"flame","direction":"up","rank":3}"#.to_owned(),
        r#"{"op":"tree"}"#.to_owned(),
        r#"{"op":"tree","path":[0]}"#.to_owned(),
        r#"{"op":"tree","direction":"bottom_up"}"#.to_owned(),
        r#"{"op":"ranks"}"#.to_owned(),
        r#"{"op":"graph"}"#.to_owned(),
        r#"{"op":"frames"}"#.to_owned(),
    ] {
        time(&engine, &question);
    }
}

fn time(engine: &Engine, question: &str) {
    let (started, cpu) = (Instant::now(), cpu_ms());
    let answer = engine.answer(question.as_bytes(), &Cancel::default());
    let (took, bytes) = (started.elapsed(), answer.len());
    println!(
        "{took:>9.1?} {:>6} ms CPU {bytes:>9} bytes  {question}",
        cpu_ms() - cpu
    );
}

/// The CPU time of the process so far. On a busy machine it is more reliable than wall time.
fn cpu_ms() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let behind_name = stat.rsplit(')').next().unwrap_or_default();
    let fields = behind_name.split_whitespace().skip(11).take(2);
    fields
        .filter_map(|ticks| ticks.parse::<u64>().ok())
        .sum::<u64>()
        * 10
}

/// Threads that call each other's functions in turn, up to 16 deep, and mostly repeat earlier
/// calls.
fn trace(slices: usize, threads: usize) -> Trace {
    let mut rng = Rng::new(1);
    let mut builder = TraceBuilder::new();
    builder.begin_source("big", "made");
    let names: Vec<_> = (0..2_000)
        .map(|n| builder.intern(format!("com.example.Work{n}").as_bytes()))
        .collect();
    let tracks: Vec<_> = (0..threads as i64)
        .map(|tid| {
            let utid = builder.thread(tid + 1);
            builder.thread_track(utid)
        })
        .collect();
    let mut open: Vec<Vec<usize>> = vec![Vec::new(); threads];
    let (mut now, mut begun) = (0, 0);
    while begun < slices {
        let thread = rng.index(threads);
        // A thread runs for a while.
        for _ in 0..rng.between(4, 40) {
            now += rng.between(200, 3_000) as i64;
            let depth = open[thread].len();
            if depth > 0 && (depth > 15 || rng.chance(50)) {
                open[thread].pop();
                builder.end_slice(tracks[thread], now, None);
            } else {
                let above = open[thread].last().copied().unwrap_or(thread % 8);
                // Code mostly repeats earlier calls.
                let usual = if rng.chance(95) { 0 } else { rng.index(4) };
                let name = (above * 3 + usual + 1) % names.len();
                open[thread].push(name);
                builder.begin_slice(tracks[thread], SliceBegin::named(now, names[name]));
                begun += 1;
            }
        }
    }
    for (thread, open) in open.iter().enumerate() {
        for _ in open {
            now += 1_000;
            builder.end_slice(tracks[thread], now, None);
        }
    }
    builder.finish()
}
