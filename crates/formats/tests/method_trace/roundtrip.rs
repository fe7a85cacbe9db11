//! Written traces are read back as the same tables.

use proptest::prelude::*;
use traceloom_formats::{FORMATS, ReadOptions, WriteError, WriteOptions, read_bytes};
use traceloom_trace::{MethodRow, RowId, SliceBegin, SliceId, Trace, TraceBuilder, TrackType};

use crate::asm::{Asm, dual, streaming};
use crate::support::corpus;

fn write(trace: &Trace, trace_version: u8, streaming: bool) -> Result<Vec<u8>, WriteError> {
    let options = WriteOptions {
        trace_version,
        streaming,
        ..WriteOptions::default()
    };
    let mut bytes = Vec::new();
    let format = FORMATS
        .iter()
        .find(|format| format.id() == "art-method")
        .unwrap();
    format
        .writer()
        .unwrap()
        .write(trace, &options, &mut bytes)?;
    Ok(bytes)
}

fn read(bytes: &[u8]) -> Trace {
    read_bytes(bytes, ReadOptions::default()).unwrap()
}

/// A slice in which all references are resolved.
#[derive(PartialEq, Debug)]
struct Spelled {
    ts: i64,
    dur: i64,
    thread: (i64, String),
    depth: u32,
    parent: Option<usize>,
    method: Option<(u64, [String; 4], i32)>,
    name: String,
    cpu: (i64, i64),
}

fn spell(trace: &Trace, with_cpu: bool) -> Vec<Spelled> {
    let text = |id| trace.strings.get(id).to_owned();
    let rows = trace.slices.rows().enumerate();
    rows.map(|(index, row)| {
        let thread = trace.track_thread(row.track_id).unwrap();
        let thread = trace.threads.row(thread.row());
        let method = row.method_id.some().map(|id| {
            let method: MethodRow = trace.methods.row(id.row());
            let names = [method.class, method.name, method.signature, method.file].map(text);
            (method.raw_id, names, method.line)
        });
        Spelled {
            ts: row.ts,
            dur: row.dur,
            thread: (thread.tid, text(thread.name)),
            depth: row.depth,
            parent: row.parent_id.some().map(|parent| parent.row()),
            method,
            name: trace.slice_name(SliceId::from_row(index)),
            cpu: if with_cpu {
                (row.thread_ts, row.thread_dur)
            } else {
                (0, 0)
            },
        }
    })
    .collect()
}

fn check(trace: &Trace, version: u8, streaming: bool) {
    let written = write(trace, version, streaming).unwrap();
    let again = read(&written);
    let with_cpu = version == 3;
    assert_eq!(
        spell(trace, with_cpu),
        spell(&again, with_cpu),
        "v{version} {streaming}"
    );
    let mut threads = [trace, &again].map(|trace| {
        let rows = trace.threads.rows();
        rows.map(|row| (row.tid, trace.strings.get(row.name).to_owned()))
            .collect::<Vec<_>>()
    });
    threads.iter_mut().for_each(|threads| threads.sort());
    assert_eq!(threads[0], threads[1]);
    assert_eq!(trace.methods.len(), again.methods.len());
    for key in ["pid", "vm", "clock-call-overhead-nsec"] {
        assert_eq!(trace.metadata(key), again.metadata(key));
    }
}

const LAYOUTS: [(u8, bool); 5] = [(1, false), (2, false), (3, false), (2, true), (3, true)];

#[test]
fn hand_made_traces_come_back() {
    for bytes in [dual(), streaming()] {
        for (version, streaming) in LAYOUTS {
            check(&read(&bytes), version, streaming);
        }
    }
}

#[test]
fn real_traces_come_back() {
    let Some(folder) = corpus() else { return };
    let mut checked = 0;
    for name in ["basic", "exception", "mismatched"] {
        let path = folder.join(format!("traceview-v3/adt-tools-base__{name}.trace"));
        let trace = read(&std::fs::read(path).unwrap());
        for (version, streaming) in LAYOUTS {
            check(&trace, version, streaming);
        }
        checked += 1;
    }
    let path = folder.join("traceview-v3/yamp__legacy.trace");
    let trace = read(&std::fs::read(path).unwrap());
    for (version, streaming) in [(2, false), (3, false), (2, true), (3, true)] {
        check(&trace, version, streaming);
        checked += 1;
    }
    // The thread numbers do not fit version 1, so new ones are assigned.
    let again = read(&write(&trace, 1, false).unwrap());
    assert_eq!(again.slices.len(), trace.slices.len());
    assert!(again.threads.tid.iter().all(|tid| tid < 256));
    eprintln!("{checked} real traces checked");
}

/// Traces with only CPU time. Version 3 keeps the rebuilt time line. Version 2 keeps the CPU times,
/// from which it is rebuilt again.
#[test]
fn real_traces_of_cpu_time_come_back() {
    let Some(folder) = corpus() else { return };
    let mut checked = 0;
    for entry in std::fs::read_dir(folder.join("traceview-v2")).unwrap() {
        let trace = read(&std::fs::read(entry.unwrap().path()).unwrap());
        check(&trace, 3, false);
        check(&trace, 3, true);
        let again = read(&write(&trace, 2, false).unwrap());
        assert_eq!(again.metadata("clock"), Some("thread-cpu"));
        let cpu = |trace: &Trace| {
            let rows = trace.slices.rows();
            let mut cpu: Vec<_> = rows.map(|row| (row.thread_ts, row.thread_dur)).collect();
            cpu.sort_unstable();
            cpu
        };
        assert_eq!(cpu(&trace), cpu(&again));
        checked += 1;
    }
    eprintln!("{checked} real traces checked");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Random calls on three threads, matching and unmatched returns, increasing times.
    #[test]
    fn any_trace_comes_back(
        steps in prop::collection::vec((1u16..4, 0u32..3, 0u32..4, 0u32..3, 0u32..400), 1..120),
        layout in prop::sample::select(LAYOUTS.to_vec()),
    ) {
        let mut asm = Asm::default().keys(3, "clock=dual\npid=9\n").header(3, 777);
        let (mut wall, mut cpu) = (0, [0u32; 4]);
        for (tid, method, action, work, wait) in steps {
            wall += work + wait;
            cpu[usize::from(tid)] += work;
            // Half of the records are calls.
            let word = (method + 1) << 2 | action.saturating_sub(1);
            asm = asm.v3(tid, word, cpu[usize::from(tid)], wall);
        }
        let trace = read(&asm.0);
        if trace.slices.is_empty() {
            prop_assert!(write(&trace, layout.0, layout.1).is_err());
        } else {
            check(&trace, layout.0, layout.1);
        }
    }
}

#[test]
fn a_systrace_s_slices_become_calls() {
    let mut builder = TraceBuilder::new();
    builder.begin_source("hand-made", "");
    let (frame, draw) = (builder.intern(b"doFrame"), builder.intern(b"draw\tall"));
    // The first tid is too large for the format, so both threads get new numbers.
    for (tid, name) in [(70_001, &b"main"[..]), (42, b"RenderThread")] {
        let thread = builder.thread(tid);
        let name = builder.intern(name);
        builder.name_thread(thread, name);
        let track = builder.thread_track(thread);
        builder.begin_slice(track, SliceBegin::named(5_000_000 + tid, frame));
        builder.begin_slice(track, SliceBegin::named(5_002_000 + tid, draw));
        builder.end_slice(track, 5_004_000 + tid, None);
        builder.end_slice(track, 5_009_000 + tid, None);
    }
    let name = builder.intern(b"a counter");
    let counter = builder.global_track(TrackType::GlobalCounter, name);
    builder.counter(counter, 5_000_000, 1.0);
    let trace = builder.finish();
    let again = read(&write(&trace, 3, false).unwrap());
    let names: Vec<_> = spell(&again, true)
        .into_iter()
        .map(|slice| slice.name)
        .collect();
    assert_eq!(names, ["doFrame", "draw all", "doFrame", "draw all"]);
    let tids: Vec<_> = again.threads.tid.iter().skip(1).collect();
    assert_eq!(tids, [1, 2]);
    assert_eq!(again.metadata("clock"), Some("wall"));
    assert_eq!(again.slices.thread_ts.get(0), -1);
    assert_eq!(again.slices.dur.get(1), 2_000);
}

#[test]
fn what_cannot_be_written_is_said() {
    let nothing = TraceBuilder::new().finish();
    assert!(matches!(
        write(&nothing, 3, false),
        Err(WriteError::NothingToWrite { .. })
    ));
    let trace = read(&dual());
    for (version, streaming) in [(0, false), (4, false), (1, true)] {
        assert!(matches!(
            write(&trace, version, streaming),
            Err(WriteError::Option { .. })
        ));
    }
}
