//! Binder calls that fail.

use super::common::{read, slices};

const REQUEST: &str = "\
a-1 (    1) [000] .... 1.000001: binder_command: cmd=0x40406300 BC_TRANSACTION
a-1 (    1) [000] .... 1.000002: binder_transaction: transaction=7 dest_node=4 dest_proc=2 dest_thread=0 reply=0 flags=0x10 code=0x3
";

const ANSWER: &str = "\
b-2 (    2) [001] .... 1.000003: binder_transaction_received: transaction=7
b-2 (    2) [001] .... 1.000004: binder_return: cmd=0x80407202 BR_TRANSACTION
b-2 (    2) [001] .... 1.000005: binder_command: cmd=0x40406301 BC_REPLY
b-2 (    2) [001] .... 1.000006: binder_transaction: transaction=8 dest_node=0 dest_proc=1 dest_thread=1 reply=1 flags=0x0 code=0x0
b-2 (    2) [001] .... 1.000007: binder_return: cmd=0x7206 BR_TRANSACTION_COMPLETE
a-1 (    1) [000] .... 1.000007: binder_return: cmd=0x7206 BR_TRANSACTION_COMPLETE
";

#[test]
fn a_refused_call_ends_with_the_refusal() {
    for refusal in [
        "0x7205 BR_DEAD_REPLY",
        "0x7211 BR_FAILED_REPLY",
        "0x7212 BR_FROZEN_REPLY",
    ] {
        let line = format!("a-1 (    1) [000] .... 1.000009: binder_return: cmd={refusal}\n");
        let trace = read(&[REQUEST, &line].concat());
        assert_eq!(slices(&trace), ["t1:/0 binder transaction 1000002+7"]);
        assert_eq!(trace.ftrace_events.len(), 2, "the events are kept");
    }
}

#[test]
fn a_call_whose_answer_is_lost_ends() {
    let failed = "a-1 (    1) [000] .... 1.000009: binder_return: cmd=0x7211 BR_FAILED_REPLY\n";
    let trace = read(&[REQUEST, ANSWER, failed].concat());
    let expected = [
        "t1:/0 binder transaction 1000002+7",
        "t2:/0 binder reply 1000003+3",
    ];
    assert_eq!(slices(&trace), expected);
}

/// The failure belongs to a call of the same thread that was already answered, or to none.
#[test]
fn other_failures_end_nothing() {
    let received = "a-1 (    1) [000] .... 1.000008: binder_transaction_received: transaction=8\n";
    let done = "a-1 (    1) [000] .... 1.000009: binder_return: cmd=0x80407203 BR_REPLY\n";
    let outer = "a-1 (    1) [000] .... 1.000000: tracing_mark_write: B|1|binder transaction\n";
    let failed = "a-1 (    1) [000] .... 1.000010: binder_return: cmd=0x7211 BR_FAILED_REPLY\n";
    let trace = read(&[outer, REQUEST, ANSWER, received, done, failed].concat());
    let expected = [
        "t1:/0 binder transaction 1000000+open",
        "t1:/1 binder transaction 1000002+6",
        "t2:/0 binder reply 1000003+3",
    ];
    assert_eq!(slices(&trace), expected);
}

#[test]
fn a_refused_call_inside_another_one_ends_alone() {
    let inner = "\
b-2 (    2) [001] .... 1.000003: binder_transaction_received: transaction=7
b-2 (    2) [001] .... 1.000004: binder_return: cmd=0x80407202 BR_TRANSACTION
b-2 (    2) [001] .... 1.000005: binder_command: cmd=0x40406300 BC_TRANSACTION
b-2 (    2) [001] .... 1.000006: binder_transaction: transaction=9 dest_node=4 dest_proc=3 dest_thread=0 reply=0 flags=0x10 code=0x3
b-2 (    2) [001] .... 1.000008: binder_return: cmd=0x7205 BR_DEAD_REPLY
b-2 (    2) [001] .... 1.000009: binder_command: cmd=0x40406301 BC_REPLY
b-2 (    2) [001] .... 1.000010: binder_transaction: transaction=10 dest_node=0 dest_proc=1 dest_thread=1 reply=1 flags=0x0 code=0x0
";
    let trace = read(&[REQUEST, inner].concat());
    let expected = [
        "t1:/0 binder transaction 1000002+open",
        "t2:/0 binder reply 1000003+7",
        "t2:/1 binder transaction 1000006+2",
    ];
    assert_eq!(slices(&trace), expected);
}
