//! A trace with everything that makes queries difficult: gaps, equal times, hostile names, unfinished slices.

#![allow(dead_code, reason = "each test uses a part")]

use std::io;

use traceloom_query::{Limits, Output, QueryError, Session, Value, ValueRef};
use traceloom_trace::{
    ArgSetId, ArgValue, FtraceEventRow, SliceBegin, StringId, TaskState, ThreadId, ThreadStateRow,
    Trace, TraceBuilder, TrackType,
};

/// Numbers that look random and are the same in each run.
#[derive(Debug)]
pub struct Numbers(pub u64);

impl Numbers {
    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end.max(1) as u64) as usize
    }

    /// One of these values.
    pub fn one<'t, T: ?Sized>(&mut self, of: &[&'t T]) -> &'t T {
        of[self.below(of.len())]
    }
}

/// Names, some of them hostile or numbers in disguise.
pub const NAMES: &[&str] = &[
    "",
    "draw",
    "Draw",
    "DRAW",
    "layout",
    "5",
    "5.0",
    " 7 ",
    "it's",
    "a\"b",
    "x\ny",
    "\u{1b}[31m",
    "drüben",
    "a%b_c",
    "*",
    "[ab]?",
    "NULL",
    "nul\0inside",
    "z",
];

/// A trace with some thousand rows.
pub fn trace() -> Trace {
    let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15);
    let mut out = TraceBuilder::new();
    out.begin_source("made", "test");
    let names: Vec<StringId> = NAMES
        .iter()
        .map(|name| out.intern(name.as_bytes()))
        .collect();
    let threads: Vec<ThreadId> = (0..7).map(|tid| out.thread(tid)).collect();
    for (number, &utid) in threads.iter().enumerate() {
        out.name_thread(utid, names[number * 2 % names.len()]);
        if number > 2 {
            let upid = out.put_in_process(utid, 100 + number as i64 / 3);
            out.name_process(upid, names[number]);
        }
    }
    slices(&mut out, &mut numbers, &names, &threads);
    counters(&mut out, &mut numbers, &names);
    states(&mut out, &mut numbers, &names, &threads);
    events(&mut out, &mut numbers, &names, &threads);
    out.metadata("device", "made");
    out.finish()
}

fn args(out: &mut TraceBuilder, numbers: &mut Numbers, names: &[StringId]) -> ArgSetId {
    let keys = [
        "size", "text", "flags", "part", "is.on", "a.b[0].c", "none", "a[2]",
    ];
    let keys = keys.map(|key| out.intern(key.as_bytes()));
    let values = [
        ArgValue::Int(numbers.below(9) as i64 - 4),
        ArgValue::Text(names[numbers.below(names.len())]),
        ArgValue::Hex(u64::MAX - numbers.below(3) as u64),
        ArgValue::Float(numbers.below(5) as f64 / 2.0),
        ArgValue::Bool(numbers.below(2) == 0),
        ArgValue::Unsigned(u64::MAX - numbers.below(3) as u64),
        ArgValue::Null,
        ArgValue::Json(names[1]),
    ];
    let count = numbers.below(9);
    out.args(keys.into_iter().zip(values).take(count))
}

fn slices(out: &mut TraceBuilder, numbers: &mut Numbers, names: &[StringId], threads: &[ThreadId]) {
    let mut ts = 0;
    for _ in 0..800 {
        ts += numbers.below(3) as i64;
        let track = out.thread_track(threads[numbers.below(threads.len())]);
        if numbers.below(2) == 0 {
            let arg_set_id = args(out, numbers, names);
            let mut begin = SliceBegin::named(ts, names[numbers.below(names.len())]);
            begin.category = names[numbers.below(3)];
            begin.arg_set_id = arg_set_id;
            out.begin_slice(track, begin);
        } else {
            out.end_slice(track, ts, None);
        }
    }
}

fn counters(out: &mut TraceBuilder, numbers: &mut Numbers, names: &[StringId]) {
    let global = out.global_track(TrackType::GlobalCounter, names[1]);
    let cpu = out.cpu_track(TrackType::CpuCounter, 3, names[4]);
    for ts in 0..300 {
        let track = if numbers.below(2) == 0 { global } else { cpu };
        out.counter(track, ts / 2, numbers.below(7) as f64 - 2.5);
    }
}

fn states(out: &mut TraceBuilder, numbers: &mut Numbers, names: &[StringId], threads: &[ThreadId]) {
    let states = [
        TaskState::RUNNING,
        TaskState::RUNNABLE,
        TaskState::SLEEPING,
        TaskState::UNKNOWN,
    ];
    for ts in 0..400 {
        let state = states[numbers.below(states.len())];
        let is_running = state == TaskState::RUNNING;
        out.thread_state(ThreadStateRow {
            ts: ts / 3,
            dur: numbers.below(6) as i64 - 1,
            utid: threads[numbers.below(threads.len())],
            cpu: if is_running {
                numbers.below(4) as u32
            } else {
                u32::MAX
            },
            state,
            io_wait: numbers.below(3) as i8 - 1,
            blocked_function: names[numbers.below(4)],
            waker_utid: threads[numbers.below(threads.len())],
        });
    }
}

fn events(out: &mut TraceBuilder, numbers: &mut Numbers, names: &[StringId], threads: &[ThreadId]) {
    for ts in 0..300 {
        let arg_set_id = args(out, numbers, names);
        out.ftrace_event(FtraceEventRow {
            ts: ts / 4,
            name: names[numbers.below(names.len())],
            utid: threads[numbers.below(threads.len())],
            cpu: numbers.below(4) as u32,
            arg_set_id,
        });
    }
}

/// A result in memory.
#[derive(Debug, Default)]
pub struct Rows {
    pub names: Vec<String>,
    pub rows: Vec<Vec<Value>>,
}

impl Output for Rows {
    fn columns(&mut self, names: &[String]) -> io::Result<()> {
        self.names = names.to_vec();
        Ok(())
    }

    fn row(&mut self, values: &[ValueRef<'_>]) -> io::Result<()> {
        let values = values.iter().map(|&value| Value::try_from(value).unwrap());
        self.rows.push(values.collect());
        Ok(())
    }
}

/// A session of the trace.
pub fn session() -> Session {
    Session::open(trace(), Limits::default()).unwrap()
}

/// The result of a query.
pub fn ask(session: &mut Session, sql: &str) -> Result<Rows, QueryError> {
    let mut rows = Rows::default();
    session.run("test", sql, &[], &mut rows)?;
    Ok(rows)
}
