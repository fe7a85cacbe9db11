use traceloom_trace::{RowId, SliceBegin, Trace, TraceBuilder};

use super::Collapsed;
use crate::capture::corpus;
use crate::error::WriteError;
use crate::format::{Format, ReadOptions, WriteOptions};
use crate::omissions::Omission;
use crate::read_bytes;

fn collapsed(trace: &Trace, cpu_time: bool) -> Result<String, WriteError> {
    let options = WriteOptions {
        cpu_time,
        ..WriteOptions::default()
    };
    let mut out = Vec::new();
    Collapsed
        .writer()
        .unwrap()
        .write(trace, &options, &mut out)?;
    Ok(String::from_utf8(out).unwrap())
}

#[test]
fn equal_paths_are_one_line_and_no_time_is_lost() {
    let mut builder = TraceBuilder::new();
    let main = builder.thread(7);
    let upid = builder.put_in_process(main, 7);
    let names = ["com.app", "main", "outer", "a;b\nc"].map(|name| builder.intern(name.as_bytes()));
    builder.name_process(upid, names[0]);
    builder.name_thread(main, names[1]);
    let track = builder.thread_track(main);
    for start in [0, 10_000] {
        builder.begin_slice(track, SliceBegin::named(start, names[2]));
        builder.begin_slice(track, SliceBegin::named(start + 1_300, names[3]));
        builder.end_slice(track, start + 2_700, None);
        builder.end_slice(track, start + 5_000, None);
    }
    let text = collapsed(&builder.finish(), false).unwrap();
    assert_eq!(
        text,
        "com.app;main;outer 7200\ncom.app;main;outer;a:b c 2800\n"
    );
}

#[test]
fn a_process_that_nothing_tells_of_is_no_frame() {
    let mut builder = TraceBuilder::new();
    let main = builder.thread(7);
    let upid = builder.process(traceloom_trace::NO_NUMBER);
    builder.set_thread_process(main, upid);
    let names = ["main", "work"].map(|name| builder.intern(name.as_bytes()));
    builder.name_thread(main, names[0]);
    let track = builder.thread_track(main);
    builder.begin_slice(track, SliceBegin::named(0, names[1]));
    builder.end_slice(track, 500, None);
    let text = collapsed(&builder.finish(), false).unwrap();
    assert_eq!(text, "main;work 500\n");
}

#[test]
fn a_trace_without_slices_is_refused() {
    let error = collapsed(&TraceBuilder::new().finish(), false).unwrap_err();
    assert!(
        matches!(error, WriteError::NothingToWrite { .. }),
        "{error}"
    );
}

/// A slice that never ended has no time, but those inside it do.
#[test]
fn times_of_slices_that_never_ended_are_left_out_and_counted() {
    let mut builder = TraceBuilder::new();
    let main = builder.thread(7);
    let track = builder.thread_track(main);
    let names = ["endless", "inner"].map(|name| builder.intern(name.as_bytes()));
    builder.begin_slice(track, SliceBegin::named(0, names[0]));
    builder.begin_slice(track, SliceBegin::named(100, names[1]));
    builder.end_slice(track, 400, None);
    builder.begin_slice(track, SliceBegin::named(900, names[0]));
    let trace = builder.finish();
    let mut out = Vec::new();
    let options = WriteOptions::default();
    let written = Collapsed.writer().unwrap();
    let written = written.write(&trace, &options, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert!(text.ends_with(";endless;inner 300\n"), "{text}");
    assert_eq!(text.lines().count(), 1, "{text}");
    assert_eq!(written.count(Omission::UnfinishedTimes), 2);
}

/// Whether this slice has ended, and no slice around it has. Calls of methods end with their thread.
fn is_outermost(trace: &Trace, row: usize) -> bool {
    let slices = &trace.slices;
    let ended = |row: usize| slices.dur.get(row) >= 0 || slices.method_id.get(row).some().is_some();
    let mut above = slices.parent_id.get(row).some();
    while let Some(parent) = above.filter(|parent| !ended(parent.row())) {
        above = slices.parent_id.get(parent.row()).some();
    }
    ended(row) && above.is_none()
}

/// The sum of the lines is the time covered by the outermost slices that ended.
#[test]
fn real_traces_add_up() {
    for path in [
        "traceview-v3/adt-tools-base__basic.trace",
        "traceview-v3/adt-tools-base__exception.trace",
        "ftrace-text/catapult__decompressed_atrace_data.txt",
    ] {
        let Some(bytes) = corpus(path) else { return };
        let trace = read_bytes(&bytes, ReadOptions::default()).unwrap();
        let text = collapsed(&trace, false).unwrap();
        let number = |line: &str| line.rsplit(' ').next().unwrap().parse::<i64>().unwrap();
        let sum: i64 = text.lines().map(number).sum();
        let outermost: i64 = (0..trace.slices.len())
            .filter(|&row| is_outermost(&trace, row))
            .filter(|&row| {
                let track = trace.slices.track_id.get(row);
                trace.track_thread(track).is_some()
            })
            .map(|row| {
                let slice = traceloom_trace::SliceId(row as u32);
                trace.slice_end(slice) - trace.slices.ts.get(row)
            })
            .sum();
        assert_eq!(sum, outermost, "{path}");
        println!("1 real traces checked");
    }
}

/// Nested calls, each with 1 µs of exclusive time.
fn nested(depth: i64) -> Trace {
    let mut builder = TraceBuilder::new();
    let main = builder.thread(7);
    let (track, name) = (builder.thread_track(main), builder.intern(b"call"));
    for call in 0..depth {
        builder.begin_slice(track, SliceBegin::named(call * 1_000, name));
    }
    for _ in 0..depth {
        builder.end_slice(track, depth * 1_000, None);
    }
    builder.finish()
}

fn limited(trace: &Trace, max_depth: u32, max_bytes: u64) -> Result<String, WriteError> {
    let options = WriteOptions {
        max_depth,
        max_bytes,
        ..WriteOptions::default()
    };
    let mut out = Vec::new();
    let writer = Collapsed.writer().unwrap();
    writer.write(trace, &options, &mut out)?;
    Ok(String::from_utf8(out).unwrap())
}

#[test]
fn the_size_is_known_before_anything_is_written() {
    for depth in [1, 2, 9, 100, 1_000] {
        let trace = nested(depth);
        let bytes = limited(&trace, u32::MAX, u64::MAX).unwrap().len() as u64;
        let error = limited(&trace, u32::MAX, bytes - 1).unwrap_err();
        assert!(
            matches!(error, WriteError::TooLong { bytes: found, .. } if found == bytes),
            "{error}"
        );
        assert!(limited(&trace, u32::MAX, bytes).is_ok());
    }
}

#[test]
fn time_of_deeper_frames_counts_for_the_last_that_is_written() {
    let text = limited(&nested(100), 2, u64::MAX).unwrap();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 2, "{text}");
    assert!(lines[0].ends_with(";call 1000"), "{text}");
    assert!(lines[1].ends_with(";call;call 99000"), "{text}");
}
