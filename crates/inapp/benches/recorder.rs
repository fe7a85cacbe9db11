//! The cost of an event: `cargo bench -p traceloom-inapp`. Compare ratios within one run, not nanoseconds.

use std::hint::black_box;
use std::io::Write;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use traceloom_inapp::recorder::*;

fn begin_recording(folder: &std::path::Path, clock: Option<ClockSource>, bytes: usize) {
    let options = Options {
        clock,
        bytes,
        ..Options::new(folder.join("bench.ring"))
    };
    start(&options).expect("nothing else records");
}

/// Events on the fast path, by clock, and the alternatives to compare with.
fn events(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut group = criterion.benchmark_group("event");
    group.throughput(Throughput::Elements(2));
    group.bench_function("off", |bencher| bencher.iter(pair));
    for (name, clock) in [
        ("counter", ClockSource::Counter),
        ("boot", ClockSource::Boot),
        ("monotonic", ClockSource::Monotonic),
    ] {
        begin_recording(folder.path(), Some(clock), 16 << 20);
        group.bench_function(name, |bencher| bencher.iter(pair));
        stop();
    }
    begin_recording(folder.path(), None, 16 << 20);
    group.bench_function("by name", |bencher| {
        bencher.iter(|| drop(section(black_box("a name of some length"))));
    });
    group.bench_function("mark", |bencher| {
        bencher.iter(|| {
            mark(black_box(b"B|12345|a name of some length"));
            mark(black_box(b"E|12345"));
        });
    });
    stop();
    trace_marker(&mut group);
    group.finish();
}

fn pair() {
    begin_id(black_box(7));
    end();
}

/// The same two events through the kernel while it records.
fn trace_marker(group: &mut criterion::BenchmarkGroup<'_, criterion::measurement::WallTime>) {
    const TRACEFS: &str = "/sys/kernel/tracing";
    let marker = std::fs::File::options()
        .write(true)
        .open(format!("{TRACEFS}/trace_marker"));
    let on = std::fs::read_to_string(format!("{TRACEFS}/tracing_on"));
    let (Ok(mut marker), Ok("1\n")) = (marker, on.as_deref()) else {
        println!("skipped: no trace_marker that records");
        return;
    };
    group.bench_function("trace_marker", |bencher| {
        bencher.iter(|| {
            marker
                .write_all(black_box(b"B|12345|a name of some length"))
                .expect("the kernel accepts marks");
            marker
                .write_all(black_box(b"E|12345"))
                .expect("the kernel accepts marks");
        });
    });
}

const PER_THREAD: u64 = 4_000_000;

/// The calling thread's CPU time.
fn cpu_time() -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the struct is a local variable.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// The CPU time of an event while `threads` threads record, ns. CPU time is independent of other load on the machine.
fn cpu_ns(threads: u64) -> f64 {
    let work = || {
        pair();
        let before = cpu_time();
        (0..PER_THREAD / 2).for_each(|_| pair());
        cpu_time() - before
    };
    let sum: Duration = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let times = threads.into_iter().map(|thread| thread.join());
        times.map(|time| time.expect("the thread records")).sum()
    });
    sum.as_nanos() as f64 / (threads * PER_THREAD) as f64
}

/// Measurements that criterion does not support: the tail, and two threads against one.
fn extremes(_: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a folder");
    begin_recording(folder.path(), None, 16 << 20);
    let mut took: Vec<Duration> = (0..2_000_000)
        .map(|_| {
            let before = Instant::now();
            begin_id(black_box(7));
            before.elapsed()
        })
        .collect();
    took.sort_unstable();
    let mut clock: Vec<Duration> = (0..200_000).map(|_| Instant::now().elapsed()).collect();
    clock.sort_unstable();
    let at = |times: &[Duration], part: f64| times[(times.len() as f64 * part) as usize].as_nanos();
    println!(
        "one event with the clock around it: median {} ns, p99 {} ns, p99.9 {} ns, worst {} ns (the clock alone: median {} ns, p99.9 {} ns)",
        at(&took, 0.5),
        at(&took, 0.99),
        at(&took, 0.999),
        took.last().map_or(0, Duration::as_nanos),
        at(&clock, 0.5),
        at(&clock, 0.999)
    );
    for _ in 0..5 {
        let (one, two) = (cpu_ns(1), cpu_ns(2));
        println!(
            "CPU time of an event: {one:.1} ns; while two threads record: {two:.1} ns, that is {:.2} times the events",
            2.0 * one / two
        );
    }
    stop();
}

/// Opening the file of a killed process: 64 MB, completely full.
fn recovery(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a folder");
    begin_recording(folder.path(), None, 64 << 20);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..2_200_000).for_each(|_| pair()));
        }
    });
    let path = stop().expect("a recording was running");
    let bytes = std::fs::read(path).expect("the file");
    for _ in 0..3 {
        let before = cpu_time();
        let recording = traceloom_ring::Recording::open(&bytes).expect("a ring file");
        let events = recording.events().count();
        println!(
            "recovery of 64 MB: {events} events in {:.3} s of CPU time",
            (cpu_time() - before).as_secs_f64()
        );
    }
    let mut group = criterion.benchmark_group("recovery");
    group.sample_size(10);
    group.throughput(Throughput::Bytes(bytes.len() as u64));
    group.bench_function("64 MB", |bencher| {
        bencher.iter(|| {
            let recording = traceloom_ring::Recording::open(&bytes).expect("a ring file");
            recording.events().count()
        });
    });
    group.finish();
}

criterion_group!(benches, events, extremes, recovery);
criterion_main!(benches);
