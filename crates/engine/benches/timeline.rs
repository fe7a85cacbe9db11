//! The page's waiting times with 10 million slices on 200 threads.
//!
//! `cargo bench -p traceloom-engine --bench timeline`

mod made;

use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::{Value, json};
use traceloom_analyze::timeline::Timeline;
use traceloom_engine::{Cancel, Engine};

const SLICES: usize = 10_000_000;

fn ask(engine: &Engine, question: &Value) -> usize {
    let answer = engine.answer(question.to_string().as_bytes(), &Cancel::default());
    assert!(!answer[4..].starts_with(br#"{"columns":[],"error""#));
    answer.len()
}

fn bench(c: &mut Criterion) {
    let trace = made::trace(SLICES);
    let duration = trace.duration_ns() as f64;
    println!(
        "{} slices, {} states, {:.1} s",
        trace.slices.len(),
        trace.thread_states.len(),
        duration / 1e9
    );
    let mut group = c.benchmark_group("10 million slices");
    group.sample_size(10);
    group.bench_function("indexes", |b| b.iter(|| Timeline::new(&trace)));
    let engine = Engine::new(trace);
    engine.prepare();
    let rows: Vec<u32> = (1..41).collect();
    let window = |from: f64, to: f64| json!({"op": "window", "rows": rows, "from": from, "to": to, "px_ns": (to - from) / 1920.0});
    let cases = [
        ("rows", json!({"op": "rows"})),
        ("meta", json!({"op": "meta"})),
        ("window, all of it", window(0.0, duration)),
        (
            "window, a hundredth",
            window(duration * 0.5, duration * 0.51),
        ),
        (
            "window, a millionth",
            window(duration * 0.5, duration * 0.500_001),
        ),
        ("slice", json!({"op": "slice", "id": SLICES / 2})),
        (
            "find, a part of all names",
            json!({"op": "find", "text": "method"}),
        ),
        (
            "find, one name",
            json!({"op": "find", "text": "Class7.method7", "mode": "exact"}),
        ),
        ("same", json!({"op": "same", "id": SLICES / 2})),
        ("range, all of it", json!({"op": "range"})),
        (
            "range, half",
            json!({"op": "range", "from": duration * 0.25, "to": duration * 0.75}),
        ),
        (
            "range, a hundredth",
            json!({"op": "range", "from": duration * 0.5, "to": duration * 0.51}),
        ),
        ("flows", json!({"op": "flows", "slice": SLICES / 2})),
    ];
    for (name, question) in &cases {
        println!("{name}: {} bytes", ask(&engine, question));
        group.bench_function(*name, |b| b.iter(|| ask(&engine, question)));
    }
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
