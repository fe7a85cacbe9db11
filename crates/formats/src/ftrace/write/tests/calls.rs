//! Calls of binder that fail, and asynchronous slices that begin again.

use traceloom_trace::{ArgValue, AsyncLanes, LaneKey, SliceBegin, TraceBuilder, TrackType};

use super::{ReadOptions, differences, read_bytes, text_of};

/// Reads a text, writes it, and reads it again. Returns the differences.
fn trip(text: &str) -> (String, Vec<String>) {
    let trace = read_bytes(text.as_bytes(), ReadOptions::default()).unwrap();
    let written = text_of(&trace);
    let again = read_bytes(written.as_bytes(), ReadOptions::default()).unwrap();
    let differences = differences(&trace, &again);
    (written, differences)
}

#[test]
fn a_failed_call_comes_back_without_an_end_of_its_own() {
    let text = "# tracer: nop\n\
    app-10 ( 10) [000] .... 1.000001: binder_command: cmd=0x40406300 BC_TRANSACTION\n\
    app-10 ( 10) [000] .... 1.000002: binder_transaction: transaction=7 dest_node=3 dest_proc=20 dest_thread=0 reply=0 flags=0x10 code=0x1\n\
    srv-21 ( 20) [001] .... 1.000003: binder_transaction_received: transaction=7\n\
    srv-21 ( 20) [001] .... 1.000004: binder_return: cmd=0x80407202 BR_TRANSACTION\n\
    srv-21 ( 20) [001] .... 1.000005: binder_command: cmd=0x40406301 BC_REPLY\n\
    srv-21 ( 20) [001] .... 1.000006: binder_transaction: transaction=8 dest_node=0 dest_proc=10 dest_thread=10 reply=1 flags=0x0 code=0x0\n\
    app-10 ( 10) [000] .... 1.000007: binder_return: cmd=0x7206 BR_TRANSACTION_COMPLETE\n\
    app-10 ( 10) [000] .... 1.000009: binder_return: cmd=0x7211 BR_FAILED_REPLY\n";
    let (written, differences) = trip(text);
    assert_eq!(differences, [""; 0], "{written}");
    assert!(!written.contains("tracing_mark_write"), "{written}");
    let received = written.matches("binder_transaction_received").count();
    assert_eq!(received, 1, "{written}");
}

#[test]
fn repeated_begins_come_back() {
    let text = "# tracer: nop\n\
    app-10 ( 10) [000] .... 1.000001: tracing_mark_write: S|10|lock|5\n\
    app-10 ( 10) [000] .... 1.000002: tracing_mark_write: S|10|lock|5\n\
    app-10 ( 10) [000] .... 1.000003: tracing_mark_write: S|10|lock|5\n\
    app-10 ( 10) [000] .... 1.000009: tracing_mark_write: F|10|lock|5\n\
    app-10 ( 10) [000] .... 1.000010: tracing_mark_write: S|10|lock|5\n\
    app-10 ( 10) [000] .... 1.000011: tracing_mark_write: S|10|lock|5\n";
    let (written, differences) = trip(text);
    assert_eq!(differences, [""; 0], "{written}");
    assert_eq!(written.matches("S|10|lock|5").count(), 5, "{written}");
}

/// Other formats have slices of the same cookie that overlap. In a text, only the first one would count.
#[test]
fn overlapping_slices_get_cookies_of_their_own() {
    let mut out = TraceBuilder::new();
    let upid = out.process(10);
    let [name, key] = [b"load", &b"cookie"[..]].map(|text: &[u8]| out.intern(text));
    let track = out.process_track(TrackType::AtraceAsyncSlice, upid, name);
    let mut lanes = AsyncLanes::default();
    for ts in [0, 10_000] {
        let args = out.args([(key, ArgValue::Int(5))]);
        let begin = SliceBegin {
            arg_set_id: args,
            ..SliceBegin::named(ts, name)
        };
        lanes.begin(&mut out, LaneKey { track, cookie: ts }, begin);
    }
    for cookie in [0, 10_000] {
        lanes.end(&mut out, LaneKey { track, cookie }, 20_000 + cookie);
    }
    let text = text_of(&out.finish());
    let again = read_bytes(text.as_bytes(), ReadOptions::default()).unwrap();
    let slices: Vec<_> = again.slices.rows().map(|row| (row.ts, row.dur)).collect();
    assert_eq!(slices, [(0, 20_000), (10_000, 20_000)], "{text}");
}
