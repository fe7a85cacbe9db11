//! Measures decoding the events of `trace.dat`, and reading it into the full model, compared with
//! copying the same bytes. `cargo bench -p traceloom-formats --bench trace_dat`

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use testkit::busy_dat;
use traceloom_formats::{ReadOptions, read_bytes, tally_trace_dat};

const EVENTS: usize = 4_000_000;
const SEED: u64 = 20_111;

fn trace_dat(criterion: &mut Criterion) {
    let bytes = busy_dat(EVENTS, SEED);
    let options = ReadOptions::default();
    let events = tally_trace_dat(&bytes, &options).map_or(0, |tally| tally.events);
    println!("{} bytes an event", bytes.len() as f64 / events as f64);
    let mut group = criterion.benchmark_group("trace.dat");
    group
        .throughput(Throughput::Elements(events))
        .sample_size(10);
    group.bench_function("copy (the machine's limit)", |bencher| {
        bencher.iter(|| black_box(&bytes).to_vec());
    });
    group.bench_function("events", |bencher| {
        bencher.iter(|| tally_trace_dat(black_box(&bytes), &options).unwrap());
    });
    group.bench_function("full model", |bencher| {
        bencher.iter(|| read_bytes(black_box(&bytes), ReadOptions::default()).unwrap());
    });
    group.finish();
}

criterion_group!(benches, trace_dat);
criterion_main!(benches);
