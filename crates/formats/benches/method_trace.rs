//! Measures reading method traces: only the tokenizer, and into the tables.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use traceloom_formats::{ReadOptions, read_bytes, read_method_events};
use traceloom_trace::{
    MethodEvent, MethodEvents, MethodIndex, MethodLine, MethodTraceStart, Place, RepairKind,
    ThreadIndex,
};

#[path = "made/method_trace.rs"]
mod made;

/// Discards all events.
struct Nothing;

impl MethodEvents for Nothing {
    fn start(&mut self, _: &MethodTraceStart) {}
    fn thread(&mut self, _: ThreadIndex, _: u32, _: &str) {}
    fn method(&mut self, _: MethodIndex, _: &MethodLine<'_>) {}
    fn events(&mut self, batch: &[MethodEvent]) {
        black_box(batch);
    }
    fn repair(&mut self, _: RepairKind, _: u64, _: Place, _: String) {}
    fn finish(&mut self, _: &[(String, String)]) {}
}

fn read(criterion: &mut Criterion) {
    const RECORDS: u64 = 4_000_000;
    let traces = [
        (
            "small ids",
            made::dual_trace(RECORDS, made::MethodIds::Small),
        ),
        (
            "pointers",
            made::dual_trace(RECORDS, made::MethodIds::Pointers),
        ),
        (
            "a buffer a thread",
            made::buffered_trace(RECORDS, made::MethodIds::Small),
        ),
    ];
    for (name, bytes) in traces {
        let mut group = criterion.benchmark_group(format!("method trace v3, {name}"));
        group
            .throughput(Throughput::Elements(RECORDS))
            .sample_size(10);
        group.bench_function("events", |bencher| {
            bencher.iter(|| {
                let bytes = black_box(&bytes);
                read_method_events(bytes, ReadOptions::default(), &mut Nothing).unwrap();
            });
        });
        group.bench_function("tables", |bencher| {
            bencher.iter(|| read_bytes(black_box(&bytes), ReadOptions::default()).unwrap());
        });
        group.finish();
    }
}

criterion_group!(benches, read);
criterion_main!(benches);
