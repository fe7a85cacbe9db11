//! Encoding and decoding restores every real trace, and any other input gives an error.

use proptest::prelude::*;
use testkit::{Corpus, READ_CATEGORIES};
use traceloom_formats::{ReadOptions, read_bytes};
use traceloom_report::{Block, ColumnsError, VERSION, decode, encode};
use traceloom_trace::{
    ArgValue, Column, NO_FLAG, NO_TIME, RowId, TaskState, ThreadStateRow, Trace, TraceBuilder,
};

/// Every row of every table, every string, and all other data.
fn lines(trace: &Trace) -> Vec<String> {
    let mut lines = Vec::new();
    macro_rules! tables {
        ($($table:ident)*) => {$(
            lines.extend(trace.$table.rows().map(|row| format!("{row:?}")));
        )*};
    }
    tables!(sources processes threads tracks slices methods counters flows sched_slices
        thread_states ftrace_events metadata exact_counters run_ends wakeups thread_names);
    lines.extend(trace.args.sets().map(|set| {
        let args: Vec<_> = trace.args.set(set).collect();
        format!("{set:?} {args:?}")
    }));
    for (row, record) in trace.records.rows().rows().enumerate() {
        let cells = trace.records.cells(RowId::from_row(row));
        lines.push(format!("{record:?} {:?}", cells.collect::<Vec<_>>()));
    }
    lines.extend(
        trace
            .strings
            .iter()
            .map(|(id, text)| format!("{id:?} {text}")),
    );
    lines.extend(trace.clocks.iter().map(|row| format!("{row:?}")));
    lines.extend(trace.repairs.rows().iter().map(|row| format!("{row:?}")));
    lines.push(format!("{:?}", trace.bounds));
    lines
}

fn back(blocks: &[Block]) -> Result<Trace, ColumnsError> {
    decode(blocks.iter().map(|block| &block.bytes[..]))
}

fn check(name: &str, trace: &Trace) {
    let again = back(&encode(trace)).unwrap_or_else(|error| panic!("{name}: {error}"));
    let (before, after) = (lines(trace), lines(&again));
    for (before, after) in before.iter().zip(&after) {
        assert_eq!(before, after, "{name}");
    }
    assert_eq!(before.len(), after.len(), "{name}");
}

#[test]
fn every_real_trace_comes_back() {
    let Some(corpus) = Corpus::find() else { return };
    let mut checked = 0;
    for file in corpus.files(READ_CATEGORIES) {
        if let Ok(trace) = read_bytes(&file.read(), ReadOptions::default()) {
            check(&file.name, &trace);
            checked += 1;
        }
    }
    println!("{checked} real traces checked");
    assert!(checked > 50);
}

#[test]
fn made_traces_come_back() {
    check("nothing", &Trace::default());
    for sample in testkit::samples() {
        if let Ok(trace) = read_bytes(&sample.bytes, ReadOptions::default()) {
            check(sample.name, &trace);
        }
    }
    let text = testkit::ftrace_text(300_000, 5);
    check("text", &read_bytes(&text, ReadOptions::default()).unwrap());
}

#[test]
fn records_come_back() {
    let mut out = TraceBuilder::new();
    let thread = out.thread(7);
    let text = out.intern(b"ready");
    let log = [
        ("utid", thread.into()),
        ("prio", ArgValue::Int(-4)),
        ("msg", ArgValue::Text(text)),
    ];
    let first = out.record(5, "android_logs", &log);
    out.record(NO_TIME, "nothing", &[]);
    out.record(NO_TIME, "other", &[("log", first.into())]);
    check("records", &out.finish());
}

/// Identical rows pack to nothing; they must be restored all the same.
#[test]
fn many_equal_rows_come_back() {
    let mut builder = TraceBuilder::new();
    let name = builder.intern(b"same");
    let main = builder.thread(1);
    let track = builder.thread_track(main);
    for _ in 0..300_000 {
        builder.instant(track, 7, name, Default::default());
    }
    check("equal rows", &builder.finish());
}

/// States that no switch implies are stored explicitly.
#[test]
fn states_without_switches_come_back() {
    let mut builder = TraceBuilder::new();
    let utid = builder.thread(1);
    for n in 0..100 {
        builder.saw_time(n * 1000);
        builder.thread_state(ThreadStateRow {
            ts: n * 1000,
            dur: if n == 99 { -1 } else { 1000 - n % 3 },
            utid,
            cpu: u32::MAX,
            state: if n % 2 == 0 {
                TaskState::SLEEPING
            } else {
                TaskState::RUNNABLE
            },
            io_wait: (n % 3) as i8 - 1,
            blocked_function: Default::default(),
            waker_utid: if n % 5 == 0 { utid } else { Default::default() },
        });
    }
    check("states", &builder.finish());
}

fn samples() -> Vec<Trace> {
    let traces = testkit::samples().into_iter();
    traces
        .filter_map(|sample| read_bytes(&sample.bytes, ReadOptions::default()).ok())
        .collect()
}

/// Users of a trace rely on its ids, so reading everything must not panic.
fn use_it(trace: &Trace) {
    _ = lines(trace);
    _ = trace.cut(
        trace.bounds.0,
        trace.bounds.0.saturating_add(trace.duration_ns() / 2),
    );
    for row in 0..trace.slices.len() {
        trace.slice_name(traceloom_trace::SliceId(row as u32));
        trace.track_thread(trace.slices.track_id.get(row));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_bytes_are_an_error_or_a_trace(tail in prop::collection::vec(any::<u8>(), 0..200)) {
        let bytes = [b"tlco\x01".to_vec(), tail].concat();
        if let Ok(trace) = decode([&bytes[..]]) {
            use_it(&trace);
        }
    }
}

/// Damage from a seed; `TRACELOOM_DAMAGE` sets the number of rounds.
#[test]
fn damaged_blocks_are_an_error_or_a_trace() {
    let times = std::env::var("TRACELOOM_DAMAGE").map_or(3_000, |text| text.parse().unwrap());
    let blocks: Vec<_> = samples().iter().map(encode).collect();
    let mut rng = testkit::Rng::new(7);
    let mut traces = 0;
    for _ in 0..times {
        let mut blocks = blocks[rng.index(blocks.len())].clone();
        let which = rng.index(blocks.len());
        let bytes = &mut blocks[which].bytes;
        for _ in 0..=rng.index(3) {
            let at = rng.index(bytes.len());
            match rng.index(12) {
                0 => bytes.truncate(at.max(1)),
                1 => bytes.insert(at, rng.index(256) as u8),
                2 => bytes[at] = [0, 1, 0x7f, 0x80, 0xff][rng.index(5)],
                3 => bytes[at] ^= 1 << rng.index(8),
                _ => bytes[at] = rng.index(256) as u8,
            }
        }
        if let Ok(trace) = back(&blocks) {
            use_it(&trace);
            let again = back(&encode(&trace)).unwrap();
            assert_eq!(lines(&again), lines(&trace));
            traces += 1;
        }
    }
    println!("{traces} of {times} damaged traces were traces still");
    assert!(traces > times / 20);
}

/// Nothing can be missing from a block without an error.
#[test]
fn a_block_without_its_end_is_an_error() {
    let blocks = encode(&samples()[0]);
    for (which, block) in blocks.iter().enumerate() {
        let lengths = 0..block.bytes.len();
        for length in lengths.clone().step_by((lengths.len() / 60).max(1)) {
            let mut cut = blocks.clone();
            cut[which].bytes.truncate(length);
            assert!(back(&cut).is_err(), "block {which} of {length} bytes");
        }
    }
}

#[test]
fn what_is_wrong_is_said() {
    let blocks = encode(&samples()[0]);
    let error = |change: &dyn Fn(&mut Vec<Block>)| {
        let mut blocks = blocks.clone();
        change(&mut blocks);
        back(&blocks).unwrap_err()
    };
    assert_eq!(
        error(&|b| b[0].bytes[0] = b'x'),
        ColumnsError::Magic { block: 0 }
    );
    let newer = ColumnsError::Version {
        block: 1,
        found: 9,
        known: VERSION,
    };
    assert_eq!(error(&|b| b[1].bytes[4] = 9), newer);
    assert!(matches!(
        error(&|b| b.push(b[0].clone())),
        ColumnsError::Twice { .. }
    ));
    assert!(matches!(
        error(&|b| _ = b.remove(0)),
        ColumnsError::Value { .. }
    ));
    assert!(matches!(
        error(&|b| _ = b[1].bytes.pop()),
        ColumnsError::Truncated { .. }
    ));
}

/// Columns that were made by hand from the format description.
#[test]
fn hand_made_columns_are_read() {
    let trace = decode([&testkit::report_columns()[..]]).unwrap();
    let rows: Vec<_> = trace
        .slices
        .rows()
        .map(|row| {
            let name = trace.strings.get(row.name);
            (
                row.ts,
                row.dur,
                row.track_id.0,
                row.depth,
                row.parent_id.0 as i32,
                name,
            )
        })
        .collect();
    assert_eq!(
        rows,
        [
            (1_000_000, 4_400_000, 0, 0, -1, "draw"),
            (2_000_000, 700_000, 0, 1, 0, "layout"),
            (2_000_000, -1, 1, 0, -1, "layout"),
            (4_000_000, 900_000, 0, 1, 0, "draw"),
        ]
    );
    let tids: Vec<_> = trace.threads.tid.iter().collect();
    assert_eq!(tids, [0, 11, 12], "the idle thread was not stored");
    check("hand-made", &trace);
}

/// Version 2 had a table of instants and no rows for the idle process and thread. The columns were written from the
/// text by the last program of that version: for each block, its length in four bytes and its bytes.
#[test]
fn version_2_opens_with_the_same_content() {
    let mut rest = &include_bytes!("data/version2.columns")[..];
    let mut blocks = Vec::new();
    while let Some((length, after)) = rest.split_first_chunk() {
        let (block, after) = after.split_at(u32::from_le_bytes(*length) as usize);
        blocks.push(block);
        rest = after;
    }
    let old = decode(blocks).unwrap();
    let text = include_bytes!("data/version2.ftrace");
    let mut new = read_bytes(text, ReadOptions::default()).unwrap();
    // That version did not have it.
    let rows = new.wakeups.len();
    new.wakeups.irq_context = Column::repeated(NO_FLAG, rows);
    assert_eq!(lines(&old), lines(&new));
    assert_eq!(new.slices.instants().count(), 7);
    assert_eq!((new.real_threads().count(), new.flows.len()), (4, 1));
    check("version 2", &old);
}

/// The densest report that a reader accepts.
#[test]
fn a_dense_report_is_read() {
    let trace = read_bytes(&testkit::dense_report(2 << 20), ReadOptions::default()).unwrap();
    assert!(trace.slices.len() > 100_000);
    check("dense", &trace);
}

/// A table or column of a newer version is skipped.
#[test]
fn newer_tables_and_columns_are_passed_over() {
    let mut table = b"tlco\x01".to_vec();
    table.extend(b"\x05zebra\x03\x01\x07stripes\x2a\x00\x63\x02??");
    let mut sources = b"tlco\x01".to_vec();
    sources
        .extend(b"\x07sources\x01\x02\x05bytes\x02\x00\x00\x02\x04hair\x63\x00\x63\x01\x00\x07?");
    let trace = decode([&table[..], &sources]).unwrap();
    assert_eq!(trace.sources.bytes.get(0), 7);
    assert!(trace.sources.name.get(0).is_empty());
}

/// Rows that take memory wherever they are kept, in a table of no columns.
#[test]
fn rows_without_columns_need_bytes() {
    for (table, rows) in [
        ("repairs", 12_000u32),
        ("clocks", 12_000),
        ("threads", 90_000),
        ("slices", 90_000),
    ] {
        let mut bytes = b"tlco\x03".to_vec();
        bytes.push(table.len() as u8);
        bytes.extend(table.as_bytes());
        // LEB128, in three bytes.
        bytes.extend(
            [0, 7, 14]
                .map(|shift| (rows >> shift & 0x7f) as u8 | if shift < 14 { 0x80 } else { 0 }),
        );
        bytes.push(0);
        let error = decode([&bytes[..]]).err();
        assert!(
            matches!(error, Some(ColumnsError::TooManyRows { .. })),
            "{table}: {error:?}"
        );
    }
}

#[test]
fn claimed_rows_need_bytes() {
    for rows in [0xff_ff_ff_7fu32, 0xff_ff_ff_0f] {
        let mut bytes = b"tlco\x01".to_vec();
        bytes.extend(b"\x05flows");
        bytes.extend(rows.to_be_bytes());
        bytes.extend(b"\x01\x04name\x04\x00\x00\x02\x00\x00");
        assert!(matches!(
            decode([&bytes[..]]),
            Err(ColumnsError::TooManyRows { .. })
        ));
    }
}
