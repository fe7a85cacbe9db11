//! Shared by the tests: random method traces, and slow but simple reference implementations.
#![allow(dead_code)]

use std::collections::BTreeMap;

use proptest::prelude::*;
use traceloom_analyze::{CallTree, CallTreeBuilder, Measure, NodeId};
use traceloom_trace::{
    CallStack, MethodAction, MethodClocks, MethodEvent, MethodEvents, MethodId, MethodIndex,
    MethodLine, MethodRow, MethodTraceStart, Place, RepairKind, RowId, SliceBegin, SourceId,
    StringId, ThreadIndex, Trace, TraceBuilder,
};

/// A record of a random trace.
#[derive(Clone, Copy, Debug)]
pub struct Record {
    pub thread: u32,
    pub method: u32,
    pub action: MethodAction,
    pub wall_ns: i64,
    pub cpu_ns: i64,
}

pub const THREADS: u32 = 3;
pub const METHODS: u32 = 6;

/// A record of the first thread, whose CPU clock equals the wall clock.
pub fn record(method: u32, action: MethodAction, at_ns: i64) -> Record {
    Record {
        thread: 0,
        method,
        action,
        wall_ns: at_ns,
        cpu_ns: at_ns,
    }
}

/// Records in order of time. Most exits match; some do not, and some calls stay open.
pub fn records() -> impl Strategy<Value = Vec<Record>> {
    records_in_turns(120, 1)
}

/// Like [`records`]: fewer than `count`, and a thread writes up to `turn` of them before another
/// may.
pub fn records_in_turns(count: usize, turn: usize) -> impl Strategy<Value = Vec<Record>> {
    let step = (0..THREADS, 0..METHODS, 0..10u8, 0..50i64, 0..100u8);
    proptest::collection::vec(step, 0..count).prop_map(move |mut steps| {
        for turn in steps.chunks_mut(turn) {
            let thread = turn[0].0;
            turn.iter_mut().for_each(|step| step.0 = thread);
        }
        let mut wall_ns = 1_000;
        let mut cpu = [0i64; THREADS as usize];
        let mut open: Vec<Vec<u32>> = vec![Vec::new(); THREADS as usize];
        let mut out = Vec::new();
        for (thread, method, action, step, luck) in steps {
            wall_ns += step;
            cpu[thread as usize] += step / 2;
            let stack = &mut open[thread as usize];
            let (method, action) = match (action, stack.last()) {
                (0..5, _) | (_, None) if luck > 3 => {
                    stack.push(method);
                    (method, MethodAction::Enter)
                }
                (_, Some(_)) if luck > 10 => (stack.pop().unwrap(), MethodAction::Exit),
                _ => (method, MethodAction::Unwind),
            };
            out.push(Record {
                thread,
                method,
                action,
                wall_ns,
                cpu_ns: cpu[thread as usize],
            });
        }
        out
    })
}

pub fn event(record: &Record) -> MethodEvent {
    MethodEvent::new(
        ThreadIndex(record.thread),
        MethodIndex(record.method),
        record.action,
        record.wall_ns,
        record.cpu_ns,
        0,
    )
}

pub const START: MethodTraceStart = MethodTraceStart {
    version: 3,
    encoding: "v3",
    clocks: MethodClocks {
        wall: true,
        cpu: true,
    },
    start_ns: 0,
    record_bytes: 14,
};

fn names(method: u32) -> (String, String) {
    (
        format!("p{}.C{}", method % 2, method % 3),
        format!("m{method}"),
    )
}

/// Declares the threads and methods that random records use.
pub fn declare(events: &mut impl MethodEvents) {
    events.start(&START);
    for thread in 0..THREADS {
        events.thread(ThreadIndex(thread), thread + 1, &format!("t{thread}"));
    }
    for method in 0..METHODS {
        let (class, name) = names(method);
        let line = MethodLine {
            raw_id: u64::from(method) * 4,
            class: &class,
            name: &name,
            signature: "()V",
            file: "",
            line: -1,
        };
        events.method(MethodIndex(method), &line);
    }
}

/// Builds the tree directly from records, in batches.
pub fn tree_of(records: &[Record], builder: CallTreeBuilder) -> CallTree {
    tree_in_batches(records, 7, builder)
}

/// Like [`tree_of`], with this batch size.
pub fn tree_in_batches(records: &[Record], batch: usize, mut builder: CallTreeBuilder) -> CallTree {
    declare(&mut builder);
    let events: Vec<MethodEvent> = records.iter().map(event).collect();
    events.chunks(batch).for_each(|batch| builder.events(batch));
    builder.finish(&[]);
    builder.build()
}

/// The same records as tables, by the rule documented at [`CallStack`].
pub fn trace_of(records: &[Record]) -> Trace {
    let mut builder = TraceBuilder::new();
    let source = builder.begin_source("test", "trace");
    let tracks: Vec<_> = (0..THREADS)
        .map(|thread| add_thread(&mut builder, thread))
        .collect();
    for method in 0..METHODS {
        add_method(&mut builder, method, source);
    }
    let mut stacks: Vec<CallStack<()>> = vec![CallStack::default(); THREADS as usize];
    for record in records {
        let track = tracks[record.thread as usize];
        let stack = &mut stacks[record.thread as usize];
        if record.action == MethodAction::Enter {
            let method = MethodId::from_row(record.method as usize);
            let begin = SliceBegin::call(record.wall_ns, record.cpu_ns, method);
            builder.begin_slice(track, begin);
            stack.push(record.method, ());
            continue;
        }
        let Some(inner) = stack.inner_calls(record.method) else {
            builder.repair(RepairKind::UnmatchedExit, 1, Place::default(), String::new);
            continue;
        };
        builder.repair(
            RepairKind::MissingExit,
            inner as u64,
            Place::default(),
            String::new,
        );
        for _ in 0..=inner {
            stack.pop();
            builder.end_slice(track, record.wall_ns, Some(record.cpu_ns));
        }
    }
    builder.finish()
}

fn add_thread(builder: &mut TraceBuilder, thread: u32) -> traceloom_trace::TrackId {
    let utid = builder.thread(i64::from(thread) + 1);
    let name = builder.intern(format!("t{thread}").as_bytes());
    builder.name_thread(utid, name);
    builder.thread_track(utid)
}

fn add_method(builder: &mut TraceBuilder, method: u32, source: SourceId) {
    let (class, name) = names(method);
    let row = MethodRow {
        raw_id: u64::from(method) * 4,
        class: builder.intern(class.as_bytes()),
        name: builder.intern(name.as_bytes()),
        signature: builder.intern(b"()V"),
        file: StringId::NULL,
        line: -1,
        source,
    };
    builder.method(row);
}

/// Calls, inclusive wall and CPU, exclusive wall and CPU.
pub type Numbers = (u64, i64, i64, i64, i64);

/// Converts a tree to a map from path to numbers.
pub fn paths(tree: &CallTree) -> BTreeMap<String, Numbers> {
    let mut paths = vec![String::new(); tree.nodes.len()];
    let mut out = BTreeMap::new();
    for thread in &tree.threads {
        for row in tree.rows_of(thread) {
            let node = NodeId(row as u32);
            paths[row] = match tree.function_of(node) {
                None => thread.name.clone(),
                Some(function) => {
                    let above = &paths[tree.nodes.parent(node).row()];
                    format!("{above};{}", function.label())
                }
            };
            let nodes = &tree.nodes;
            let numbers = (
                nodes.calls(node),
                nodes.inclusive(node, Measure::Wall),
                nodes.inclusive(node, Measure::Cpu),
                nodes.exclusive(node, Measure::Wall),
                nodes.exclusive(node, Measure::Cpu),
            );
            out.insert(paths[row].clone(), numbers);
        }
    }
    out
}

/// A finished call, for the reference results.
#[derive(Clone, Debug)]
pub struct Call {
    pub thread: u32,
    /// Methods from the outermost to this one.
    pub path: Vec<u32>,
    pub begin: (i64, i64),
    pub end: (i64, i64),
}

/// All calls of a trace, found in a simple way: a list of open calls that is searched from its end.
pub fn calls_of(records: &[Record]) -> Vec<Call> {
    let mut calls = Vec::new();
    for thread in 0..THREADS {
        let mut open: Vec<(u32, (i64, i64))> = Vec::new();
        let mut last = (0, 0);
        let close = |open: &mut Vec<(u32, (i64, i64))>, end, calls: &mut Vec<Call>| {
            let path = open.iter().map(|(method, _)| *method).collect();
            let (_, begin) = open.pop().unwrap();
            calls.push(Call {
                thread,
                path,
                begin,
                end,
            });
        };
        for record in records.iter().filter(|record| record.thread == thread) {
            let now = (record.wall_ns, record.cpu_ns);
            if record.action == MethodAction::Enter {
                open.push((record.method, now));
                last = now;
            } else if let Some(at) = open.iter().rposition(|(m, _)| *m == record.method) {
                while open.len() > at {
                    close(&mut open, now, &mut calls);
                }
                last = now;
            }
        }
        while !open.is_empty() {
            close(&mut open, last, &mut calls);
        }
    }
    calls
}

/// The class-and-method label of a random method.
pub fn label(method: u32) -> String {
    let (class, name) = names(method);
    format!("{class}.{name}")
}
