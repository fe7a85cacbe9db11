//! The modules of CPU utilization, compared with a sum over every microsecond of a synthetic trace.

mod made;

use std::collections::BTreeMap;

use made::{Numbers, Rows, ask};
use traceloom_query::{Limits, Session, Value};
use traceloom_trace::{SchedSwitch, SchedTracker, TaskState, ThreadId, TraceBuilder, TrackType};

/// A microsecond, in which a frequency of 1 MHz has one cycle.
const US: i64 = 1000;
/// The length of the trace, microseconds.
const END: i64 = 3000;

/// The state of a CPU in a microsecond: the thread, unless it was idle, and the frequency in kHz.
type Moment = (Option<ThreadId>, Option<i64>);

/// A trace of two CPUs, and the state of each in every microsecond.
fn trace() -> (Session, Vec<[Moment; 2]>) {
    let mut numbers = Numbers(0x1234_5678_9ABC);
    let mut out = TraceBuilder::new();
    let mut threads = vec![out.idle_thread()];
    threads.extend((1..4).map(|tid| out.thread(tid)));
    out.put_in_process(threads[1], 10);
    out.put_in_process(threads[2], 10);
    let name = out.intern(b"cpufreq");
    let tracks = [0, 1].map(|cpu| out.cpu_track(TrackType::CpuFrequency, cpu, name));
    let mut sched = SchedTracker::default();
    // CPU 0 runs the threads 1 and 3, CPU 1 runs the thread 2.
    let choices = [
        [threads[0], threads[1], threads[3]],
        [threads[0], threads[2], threads[2]],
    ];
    let mut current = [threads[0]; 2];
    let mut frequency = [None; 2];
    let mut moments = Vec::new();
    for us in 0..END {
        for cpu in [0, 1] {
            let next = choices[cpu][numbers.below(3)];
            if (us == 0 || numbers.below(40) == 0) && (next != current[cpu]) || us == END - 1 {
                let next = if us == END - 1 { threads[0] } else { next };
                if next != current[cpu] {
                    switch(
                        &mut sched,
                        &mut out,
                        (us, cpu as u32),
                        (current[cpu], next),
                        threads[0],
                    );
                    current[cpu] = next;
                }
            }
            if us > 200 && numbers.below(150) == 0 {
                let value = 1000 * (1 + numbers.below(4) as i64);
                if frequency[cpu] != Some(value) {
                    out.counter(tracks[cpu], us * US, value as f64);
                    frequency[cpu] = Some(value);
                }
            }
        }
        let moment = |cpu: usize| {
            let runs = current[cpu] != threads[0];
            (runs.then_some(current[cpu]), frequency[cpu])
        };
        moments.push([moment(0), moment(1)]);
    }
    (
        Session::open(out.finish(), Limits::default()).unwrap(),
        moments,
    )
}

fn switch(
    sched: &mut SchedTracker,
    out: &mut TraceBuilder,
    (us, cpu): (i64, u32),
    (prev, next): (ThreadId, ThreadId),
    idle: ThreadId,
) {
    let switch = SchedSwitch {
        ts: us * US,
        cpu,
        prev,
        prev_priority: 120,
        prev_state: TaskState::SLEEPING,
        next,
        next_priority: 120,
        prev_is_idle: prev == idle,
        next_is_idle: next == idle,
    };
    sched.switch(out, switch);
}

/// Sums over microseconds: cycles in thousandths, and the time.
#[derive(Debug, Default, Clone, PartialEq)]
struct Sums {
    millicycles: Option<i64>,
    runtime: i64,
    known: i64,
    min: Option<i64>,
    max: Option<i64>,
}

impl Sums {
    fn add(&mut self, frequency: Option<i64>) {
        self.runtime += US;
        if let Some(frequency) = frequency {
            *self.millicycles.get_or_insert(0) += US * frequency / 1000;
            self.known += US;
            self.min = Some(self.min.map_or(frequency, |min| min.min(frequency)));
            self.max = Some(self.max.map_or(frequency, |max| max.max(frequency)));
        }
    }

    fn row(&self, key: i64) -> Vec<Value> {
        let number = |value: Option<i64>| value.map_or(Value::Null, Value::Integer);
        let average = self.millicycles.map(|cycles| cycles / (self.known / 1000));
        vec![
            Value::Integer(key),
            number(self.millicycles),
            Value::Integer(self.runtime),
            number(self.min),
            number(self.max),
            number(average),
        ]
    }
}

/// Sums between two microseconds, grouped by a key of the CPU and the thread.
fn sums(
    moments: &[[Moment; 2]],
    (from, to): (i64, i64),
    key: impl Fn(usize, ThreadId) -> Option<i64>,
) -> Vec<Vec<Value>> {
    let mut sums: BTreeMap<i64, Sums> = BTreeMap::new();
    for moment in &moments[from as usize..to as usize] {
        for (cpu, (thread, frequency)) in moment.iter().enumerate() {
            if let Some(key) = thread.and_then(|thread| key(cpu, thread)) {
                sums.entry(key).or_default().add(*frequency);
            }
        }
    }
    sums.into_iter().map(|(key, sums)| sums.row(key)).collect()
}

fn rows(session: &mut Session, sql: &str) -> Vec<Vec<Value>> {
    let rows: Rows = ask(session, sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    rows.rows
}

#[test]
fn cycles_are_the_sum_of_all_times() {
    let (mut session, moments) = trace();
    let thread = |_: usize, thread: ThreadId| Some(i64::from(thread.0));
    let process = |_: usize, thread: ThreadId| [1, 2].contains(&thread.0).then_some(1);
    let cpu = |cpu: usize, _: ThreadId| Some(cpu as i64);
    let all = |_: usize, _: ThreadId| Some(0);
    let rest = "millicycles, runtime, min_freq, max_freq, avg_freq";
    let (start, dur) = (700, 1100);
    for (module, name, key, expected) in [
        (
            "thread",
            "cpu_cycles_per_thread",
            "utid",
            &thread as &dyn Fn(usize, ThreadId) -> Option<i64>,
        ),
        ("process", "cpu_cycles_per_process", "upid", &process),
        ("system", "cpu_cycles_per_cpu", "cpu", &cpu),
        ("system", "cpu_cycles", "0", &all),
    ] {
        let include = format!("INCLUDE PERFETTO MODULE linux.cpu.utilization.{module};");
        let found = rows(
            &mut session,
            &format!("{include} SELECT {key}, {rest} FROM {name} ORDER BY 1"),
        );
        assert_eq!(found, sums(&moments, (0, END), expected), "{name}");
        let within = format!("{name}_in_interval({}, {})", start * US, dur * US);
        let found = rows(
            &mut session,
            &format!(
                "{include} SELECT {key}, {rest} FROM {within} WHERE {key} IS NOT NULL ORDER BY 1"
            ),
        );
        assert_eq!(
            found,
            sums(&moments, (start, start + dur), expected),
            "{within}"
        );
    }
}

/// The fraction of a period in which something runs on one CPU.
fn used(moments: &[[Moment; 2]], (from, to): (i64, i64), runs: &dyn Fn(ThreadId) -> bool) -> f64 {
    let moments = &moments[from as usize..to.min(END) as usize];
    let threads = moments.iter().flatten().filter_map(|(thread, _)| *thread);
    threads.filter(|thread| runs(*thread)).count() as f64 / (to - from) as f64
}

#[test]
fn utilization_is_the_part_of_the_time() {
    let (mut session, moments) = trace();
    let period = 250;
    for (module, call, runs) in [
        (
            "system",
            format!("cpu_utilization_per_period({})", period * US),
            &(|_| true) as &dyn Fn(ThreadId) -> bool,
        ),
        (
            "thread",
            format!("cpu_thread_utilization_per_period({}, 3)", period * US),
            &|it| it.0 == 3,
        ),
        (
            "process",
            format!("cpu_process_utilization_per_period({}, 1)", period * US),
            &|it| [1, 2].contains(&it.0),
        ),
    ] {
        let sql = format!(
            "INCLUDE PERFETTO MODULE linux.cpu.utilization.{module}; SELECT * FROM {call} ORDER BY ts"
        );
        let found = rows(&mut session, &sql);
        let starts = (0..END).step_by(period as usize);
        let parts = starts.map(|start| (start, used(&moments, (start, start + period), runs)));
        let expected: Vec<(i64, f64)> = parts.filter(|(_, part)| *part > 0.0).collect();
        assert_eq!(found.len(), expected.len(), "{call}");
        for (row, (start, part)) in found.iter().zip(expected) {
            let [Value::Integer(ts), Value::Real(all), Value::Real(one)] = row[..] else {
                panic!("{row:?}");
            };
            assert_eq!(ts, start * US);
            assert!(
                (one - part).abs() < 1e-9 && (all - part / 2.0).abs() < 1e-9,
                "{row:?} {part}"
            );
        }
    }
    let sql = "INCLUDE PERFETTO MODULE linux.cpu.utilization.system;
               SELECT awake_dur, awake_unnormalized_utilization FROM cpu_utilization_in_interval(700000, 1100000)";
    let found = rows(&mut session, sql);
    let part = used(&moments, (700, 1800), &|_| true);
    let [Value::Integer(dur), Value::Real(percent)] = found[0][..] else {
        panic!("{found:?}");
    };
    assert_eq!(dur, (part * 1_100_000.0).round() as i64);
    assert!((percent - 100.0 * part).abs() < 0.01);
}

#[test]
fn idle_states_are_counted() {
    let mut out = TraceBuilder::new();
    let name = out.intern(b"cpuidle");
    let track = out.cpu_track(TrackType::CpuIdle, 0, name);
    let active = f64::from(u32::MAX);
    for (ts, value) in [
        (0, 0.0),
        (10, active),
        (30, 1.0),
        (60, active),
        (70, 0.0),
        (90, active),
        (100, active),
    ] {
        out.counter(track, ts, value);
    }
    let mut session = Session::open(out.finish(), Limits::default()).unwrap();
    let sql =
        "INCLUDE PERFETTO MODULE linux.cpu.idle_stats; SELECT * FROM cpu_idle_stats ORDER BY state";
    let int = Value::Integer;
    let expected = [
        vec![int(0), int(1), int(2), int(30), int(15), Value::Real(30.0)],
        vec![int(0), int(2), int(1), int(30), int(30), Value::Real(30.0)],
    ];
    assert_eq!(rows(&mut session, sql), expected);
}
