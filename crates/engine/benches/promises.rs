//! Checks the figures in docs/performance.md for the page, as far as they concern the engine: 10
//! million slices of a method trace on 200 threads, the same bytes that `cargo xtask bench page`
//! opens in a browser.
//!
//! `cargo bench -p traceloom-engine --bench promises`; `TRACELOOM_BENCH=FILE` uses another trace.

use std::cell::Cell;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use serde_json::{Value, json};
use testkit::{CallShape, wide_call_trace};
use traceloom_engine::{Cancel, Engine};
use traceloom_formats::{ReadOptions, read_bytes};

/// Two records per slice.
const RECORDS: usize = 20_000_000;
const METHODS: u32 = 2_000;
const THREADS: u16 = 200;
const SEED: u64 = 20_111;

fn bytes() -> Vec<u8> {
    match std::env::var_os("TRACELOOM_BENCH") {
        Some(path) => std::fs::read(path).expect("TRACELOOM_BENCH names a file"),
        None => wide_call_trace(CallShape::Repeating, RECORDS, METHODS, THREADS, SEED),
    }
}

fn ask(engine: &Engine, question: &Value) -> usize {
    let answer = engine.answer(question.to_string().as_bytes(), &Cancel::default());
    assert!(!answer[4..].starts_with(br#"{"columns":[],"error""#));
    answer.len()
}

/// The question about a part of the trace, each time slightly narrower, so that no answer is
/// cached.
struct Narrowing<'e> {
    engine: &'e Engine,
    asked: Cell<u32>,
}

impl Narrowing<'_> {
    fn ask(&self, question: &Value, (from, to): (f64, f64)) -> usize {
        self.asked.set(self.asked.get() + 1);
        let by = f64::from(self.asked.get()) * 1000.0;
        let end = self.engine.trace().duration_ns() as f64;
        let mut question = question.clone();
        question["from"] = json!(end * from + by);
        question["to"] = json!(end * to - by);
        ask(self.engine, &question)
    }
}

fn bench(c: &mut Criterion) {
    let trace = read_bytes(&bytes(), ReadOptions::default()).expect("a trace");
    println!("{} slices", trace.slices.len());
    let mut group = c.benchmark_group("promises");
    group.sample_size(10);
    group.bench_function("indexes", |b| {
        let fresh = || Engine::new(trace.clone());
        let rows = json!({"op": "rows"});
        b.iter_batched(fresh, |engine| ask(&engine, &rows), BatchSize::PerIteration);
    });
    let engine = Engine::new(trace);
    engine.prepare();
    let narrowing = Narrowing {
        engine: &engine,
        asked: Cell::new(0),
    };
    let parts = [
        ("nearly all", (0.0, 1.0)),
        ("half", (0.25, 0.75)),
        ("a tenth", (0.4, 0.5)),
        ("a thousandth", (0.5, 0.501)),
    ];
    for (part, ends) in parts {
        for (op, question) in [
            ("range", json!({"op": "range", "limit": 2000})),
            ("profile", json!({"op": "profile", "by": "method"})),
        ] {
            let name = format!("{op}, {part}");
            group.bench_function(name, |b| b.iter(|| narrowing.ask(&question, ends)));
        }
    }
    for text in ["method1", "com.example", "Class7.", "worker"] {
        let question = json!({"op": "find", "text": text, "mode": "smart", "limit": 20_000});
        group.bench_function(format!("find {text}"), |b| {
            b.iter(|| ask(&engine, &question))
        });
    }
    let slices = engine.trace().slices.len();
    let question = json!({"op": "slice", "id": slices / 2});
    group.bench_function("slice", |b| b.iter(|| ask(&engine, &question)));
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
