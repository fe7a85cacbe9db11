//! Measures building the tree from records, and the profile from the tree.
//!
//! `cargo bench -p traceloom-analyze --bench profile`

mod made;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use traceloom_analyze::{CallTree, CallTreeBuilder, Profile, ProfileOptions};
use traceloom_trace::{MethodEvent, MethodEvents};

use made::{all_new, repeating};

const BATCH: usize = 4096;

fn build(records: &[MethodEvent]) -> CallTree {
    let mut builder = CallTreeBuilder::default();
    records
        .chunks(BATCH)
        .for_each(|batch| builder.events(batch));
    builder.build()
}

fn bench(c: &mut Criterion) {
    let cases = [
        ("paths repeat at once", repeating(false)),
        ("paths repeat far apart", repeating(true)),
        ("every path new", all_new()),
    ];
    let mut group = c.benchmark_group("records to a tree");
    group.sample_size(10);
    for (name, records) in &cases {
        let paths = build(records).nodes.len();
        let share = paths * 100 / records.len();
        println!(
            "{name}: {} records, {paths} paths ({share} %)",
            records.len()
        );
        group.throughput(Throughput::Elements(records.len() as u64));
        group.bench_function(*name, |b| b.iter(|| build(records)));
    }
    group.finish();
    let tree = build(&cases[2].1);
    let mut group = c.benchmark_group("a tree to a profile");
    group.sample_size(10);
    group.throughput(Throughput::Elements(tree.nodes.len() as u64));
    group.bench_function("every path new", |b| {
        b.iter_batched(
            || ProfileOptions::for_tree(&tree),
            |options| Profile::new(&tree, &options),
            BatchSize::PerIteration,
        )
    });
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
