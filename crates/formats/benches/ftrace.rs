//! Measures reading ftrace text into the full model, compared with the limit of the machine:
//! scanning the same bytes for newlines. `cargo bench -p traceloom-formats --bench ftrace`

use std::fmt::Write;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use traceloom_formats::{ReadOptions, read_bytes};

/// Size of the input, bytes.
const BYTES: usize = 128 << 20;

const MAIN: (&str, u32) = ("com.example.app", 12_345);
const RENDER: (&str, u32) = ("RenderThread", 12_401);
const BINDER: (&str, u32) = ("Binder:812_4", 1_177);

/// Text as a phone that runs an app produces it: scheduler, idle states, and the app's markers,
/// with TGIDs.
fn systrace(bytes: usize) -> Vec<u8> {
    let mut text = String::with_capacity(bytes + 4096);
    text.push_str(
        "# tracer: nop\n#\n#           TASK-PID    TGID   CPU#  |||||  TIMESTAMP  FUNCTION\n",
    );
    let (mut us, mut frame) = (1_000_000_000u64, 0u64);
    while text.len() < bytes {
        burst(&mut text, &mut us, frame);
        frame += 1;
    }
    text.into_bytes()
}

fn burst(text: &mut String, us: &mut u64, frame: u64) {
    let cpu = frame % 8;
    let worker = format!("kworker/u16:{}", frame % 12);
    let worker = (worker.as_str(), 100 + (frame % 12) as u32);
    line(
        text,
        us,
        ("<idle>", 0),
        None,
        cpu,
        &format!("cpu_idle: state=4294967295 cpu_id={cpu}"),
    );
    wake(text, us, ("<idle>", 0), cpu, MAIN);
    switch(text, us, cpu, (("swapper", 0), "R"), MAIN);
    let app = Some(12_345);
    for name in [
        "Choreographer#doFrame",
        "traversal",
        "draw",
        "Record View#draw()",
    ] {
        let name = if frame.is_multiple_of(16) {
            format!("{name} {frame}")
        } else {
            name.to_owned()
        };
        line(
            text,
            us,
            MAIN,
            app,
            cpu,
            &format!("tracing_mark_write: B|12345|{name}"),
        );
    }
    line(
        text,
        us,
        MAIN,
        app,
        cpu,
        &format!(
            "tracing_mark_write: C|12345|aq:pending:com.example.app|{}",
            frame % 3
        ),
    );
    line(text, us, MAIN, app, cpu, "tracing_mark_write: E|12345");
    wake(text, us, MAIN, cpu, RENDER);
    line(text, us, MAIN, app, cpu, "tracing_mark_write: E|12345");
    line(text, us, MAIN, app, cpu, "tracing_mark_write: E|12345");
    line(text, us, MAIN, app, cpu, "tracing_mark_write: E|12345");
    switch(text, us, cpu, (MAIN, "S"), RENDER);
    line(
        text,
        us,
        RENDER,
        app,
        cpu,
        "tracing_mark_write: B|12345|DrawFrames 4711",
    );
    wake(text, us, RENDER, cpu, BINDER);
    line(text, us, RENDER, app, cpu, "tracing_mark_write: E|12345");
    switch(text, us, cpu, (RENDER, "R+"), worker);
    line(
        text,
        us,
        worker,
        Some(worker.1),
        cpu,
        &format!(
            "cpu_frequency: state={} cpu_id={cpu}",
            600_000 + frame % 7 * 100_000
        ),
    );
    switch(text, us, cpu, (worker, "D"), BINDER);
    switch(text, us, cpu, (BINDER, "S"), ("swapper", 0));
    line(
        text,
        us,
        ("<idle>", 0),
        None,
        cpu,
        &format!("cpu_idle: state={} cpu_id={cpu}", frame % 3),
    );
}

type Task<'a> = (&'a str, u32);

fn line(
    text: &mut String,
    us: &mut u64,
    (comm, tid): Task<'_>,
    tgid: Option<u32>,
    cpu: u64,
    event: &str,
) {
    *us += 7 + *us % 23;
    let (seconds, us) = (*us / 1_000_000, *us % 1_000_000);
    let tgid = tgid.map_or("-------".to_owned(), |tgid| format!("{tgid:>7}"));
    let _ = writeln!(
        text,
        "{comm:>16}-{tid:<7} ({tgid}) [{cpu:03}] d..2. {seconds:>5}.{us:06}: {event}"
    );
}

fn wake(text: &mut String, us: &mut u64, waker: Task<'_>, cpu: u64, (comm, tid): Task<'_>) {
    let event = format!("sched_waking: comm={comm} pid={tid} prio=120 target_cpu={cpu:03}");
    line(text, us, waker, None, cpu, &event);
}

fn switch(
    text: &mut String,
    us: &mut u64,
    cpu: u64,
    (prev, state): (Task<'_>, &str),
    next: Task<'_>,
) {
    let event = format!(
        "sched_switch: prev_comm={} prev_pid={} prev_prio=120 prev_state={state} ==> next_comm={} next_pid={} next_prio=120",
        prev.0, prev.1, next.0, next.1
    );
    line(text, us, prev, None, cpu, &event);
}

fn read(text: &[u8], threads: usize) -> usize {
    let options = ReadOptions {
        threads,
        ..ReadOptions::default()
    };
    match read_bytes(text, options) {
        Ok(trace) => trace.slices.len() + trace.thread_states.len(),
        Err(_) => 0,
    }
}

fn ftrace(criterion: &mut Criterion) {
    let text = systrace(BYTES);
    let mut group = criterion.benchmark_group("ftrace");
    group
        .throughput(Throughput::Bytes(text.len() as u64))
        .sample_size(10);
    group.bench_function("newlines (the machine's limit)", |bencher| {
        bencher.iter(|| memchr::memchr_iter(b'\n', &text).count());
    });
    for threads in [1, 2] {
        group.bench_function(format!("full model, {threads} threads"), |bencher| {
            bencher.iter(|| read(&text, threads));
        });
    }
    group.finish();
}

criterion_group!(benches, ftrace);
criterion_main!(benches);
