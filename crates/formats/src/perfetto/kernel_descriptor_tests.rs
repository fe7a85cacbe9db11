//! Tests of kernel events without a message in Perfetto. The trace contains their descriptors.

use testkit::Proto;
use traceloom_trace::{RepairKind, RowId, Trace};

use super::kernel_tests::slices;
use super::tests::read;

/// The rows of `ftrace_event`: the time, the thread, the name, and the arguments.
fn kept(trace: &Trace) -> Vec<String> {
    let rows = trace.ftrace_events.rows().map(|row| {
        let args = trace.args.set(row.arg_set_id);
        let args = args.map(|(key, value)| {
            format!(
                " {}={}",
                trace.strings.get(key),
                value.display(&trace.strings)
            )
        });
        let tid = trace.threads.tid.get(row.utid.row());
        let args: String = args.collect();
        format!("{} {tid} {}{args}", row.ts, trace.strings.get(row.name))
    });
    rows.collect()
}

#[test]
fn events_that_perfetto_does_not_know_have_descriptors_in_a_bundle() {
    const NUMBER: i64 = 70_001;
    let field = |name: &str, number, kind| Proto::new().text(1, name).int(3, number).int(5, kind);
    let message = Proto::new()
        .text(1, "vendor_step")
        .message(2, field("label", 1, 9))
        .message(2, field("delta", 2, 3))
        .message(2, field("size", 3, 4));
    let other = Proto::new().text(1, "another_name");
    let descriptor = |message| Proto::new().int(1, NUMBER).message(2, message);
    let content = Proto::new().text(1, "go").int(2, -5).uint(3, 7);
    let step = |ts, number: i64| {
        let event = Proto::new().int(1, ts).int(2, 7);
        event.message(number as u32, content.clone())
    };
    let first = Proto::new().int(1, 0).message(2, step(10, NUMBER));
    // The descriptor comes later, and a second one with the same number is ignored.
    let second = Proto::new()
        .int(1, 1)
        .message(2, step(20, NUMBER))
        .message(2, step(30, NUMBER + 1))
        .message(11, descriptor(message))
        .message(11, descriptor(other));
    let trace = read([first, second].map(|bundle| Proto::new().message(1, bundle)));
    let args = "label=go delta=-5 size=7";
    let expected = [10, 20].map(|ts| format!("{ts} 7 vendor_step {args}"));
    assert_eq!(kept(&trace), expected);
    assert_eq!(trace.repairs.count(RepairKind::SkippedEntry), 1);
}

#[test]
fn an_event_with_a_descriptor_can_describe_its_own_track() {
    const NUMBER: i64 = 70_001;
    let field = |name: &str, number, kind| Proto::new().text(1, name).int(3, number).int(5, kind);
    let message = Proto::new()
        .text(1, "gadget")
        .message(2, field("track_event_type", 1, 3))
        .message(2, field("slice_name", 2, 9))
        .message(2, field("scope_queue", 3, 3));
    let descriptor = Proto::new().int(1, NUMBER).message(2, message);
    let step = |(ts, letter, queue): (i64, u8, i64)| {
        let content = Proto::new().int(1, letter.into()).text(2, "copy");
        let event = Proto::new().int(1, ts).int(2, 7);
        event.message(NUMBER as u32, content.int(3, queue))
    };
    let steps = [
        (10, b'B', 1),
        (20, b'B', 2),
        (30, b'E', 1),
        (40, b'E', 2),
        (50, b'E', 2),
        (60, b'?', 2),
    ];
    let bundle = Proto::new().int(1, 0).message(11, descriptor);
    let bundle = steps
        .into_iter()
        .fold(bundle, |bundle, one| bundle.message(2, step(one)));
    let trace = read([Proto::new().message(1, bundle)]);
    let expected = [("gadget", "copy", 10, 20), ("gadget", "copy", 20, 20)];
    assert_eq!(slices(&trace), expected);
    let count = |kind| trace.repairs.count(kind);
    assert_eq!(count(RepairKind::UnmatchedEnd), 1);
    assert_eq!(count(RepairKind::BadField), 1);
    assert_eq!(trace.ftrace_events.len(), 6);
}
