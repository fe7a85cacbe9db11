//! Differences between Perfetto's kernel event messages and the kernel's text format. The interpreter expects the text
//! format.

use super::values::Values;
use crate::ftrace::event::{CounterValue, Mark, Value};

/// The names of the softirq vectors (`include/linux/interrupt.h`). The kernel prints them, but Perfetto stores the
/// number.
const SOFTIRQS: [&[u8]; 10] = [
    b"HI",
    b"TIMER",
    b"NET_TX",
    b"NET_RX",
    b"BLOCK",
    b"IRQ_POLL",
    b"TASKLET",
    b"SCHED",
    b"HRTIMER",
    b"RCU",
];

/// The steps of a UFS command (`include/trace/events/ufs.h`). The kernel prints the names, but Perfetto stores the
/// number.
const UFS_STEPS: [&[u8]; 9] = [
    b"send_req",
    b"complete_rsp",
    b"dev_complete",
    b"query_send",
    b"query_complete",
    b"query_complete_err",
    b"tm_send",
    b"tm_complete",
    b"tm_complete_err",
];

/// The name that the kernel prints for a field.
pub(super) fn key<'d>(event: &str, field: &'d str) -> &'d str {
    match (event, field) {
        ("binder_transaction" | "binder_transaction_received", "debug_id") => "transaction",
        ("sched_blocked_reason", "io_wait") => "iowait",
        _ => field,
    }
}

/// Whether a field is the address of a kernel function.
pub(super) fn is_function(key: &str) -> bool {
    matches!(
        key,
        "caller" | "function" | "func" | "callsite" | "parent_func"
    )
}

/// Whether the kernel prints a number in hexadecimal.
pub(super) fn is_hex(key: &str) -> bool {
    key == "clone_flags"
}

/// Adds or replaces fields to match what the kernel prints.
pub(super) fn complete(event: &str, values: &mut Values<'_>) {
    if let ("softirq_entry" | "softirq_exit" | "softirq_raise", Some(Value::Int(vector))) =
        (event, values.get(b"vec"))
    {
        let name = usize::try_from(vector)
            .ok()
            .and_then(|vector| SOFTIRQS.get(vector));
        if let Some(name) = name {
            values.push(b"action", Value::Text(name));
        }
    }
    if let ("irq_handler_exit", Some(Value::Int(ret))) = (event, values.get(b"ret")) {
        let handled: &[u8] = if ret == 1 { b"handled" } else { b"unhandled" };
        values.replace(b"ret", Value::Text(handled));
    }
    if let ("ufshcd_command", Some(Value::Int(step))) = (event, values.get(b"str_t")) {
        let step = usize::try_from(step).ok();
        if let Some(step) = step.and_then(|step| UFS_STEPS.get(step)) {
            values.replace(b"str_t", Value::Text(step));
        }
    }
}

/// The letter of a mark in Pixel's event `zero`, which has one bit per letter.
fn zero_kind(flags: i64) -> i64 {
    let bits = [(1, b'B'), (2, b'E'), (4, b'C')];
    let kind = bits.into_iter().find(|(bit, _)| flags & bit != 0);
    kind.map_or(0, |(_, letter)| letter.into())
}

/// The mark in a driver's own marker event. Perfetto stores these marks as events with fields.
pub(super) fn marker<'a>(event: &str, values: &Values<'a>) -> Option<Mark<'a>> {
    let is_marker = matches!(event, "zero" | "panel_write_generic");
    if !is_marker && !event.ends_with("tracing_mark_write") {
        return None;
    }
    let number = |key: &[u8]| match values.get(key) {
        Some(Value::Int(number)) => Some(number),
        _ => None,
    };
    let text = |key: &[u8]| match values.get(key) {
        Some(Value::Text(text)) => Some(text),
        _ => None,
    };
    let mut pid = number(b"pid").unwrap_or(0) as i32;
    let names = [&b"trace_name"[..], b"name", b"func_name"];
    let name = names.into_iter().find_map(text).unwrap_or_default();
    let letter = number(b"trace_type").filter(|letter| *letter != 0);
    let letter = letter.or(number(b"type"));
    let kind = match letter.or(number(b"flag").map(zero_kind)) {
        Some(kind) => u8::try_from(kind).ok()?,
        None if number(b"trace_begin").unwrap_or(0) != 0 => b'B',
        None => b'E',
    };
    if event == "dpu_tracing_mark_write" && kind != b'C' {
        // Some drivers write the pid of a process to which the thread does not belong.
        pid = 0;
    }
    Some(match kind {
        b'B' => Mark::Begin { pid, name },
        b'E' => Mark::End { pid },
        b'I' => Mark::Instant {
            pid,
            track: None,
            name,
        },
        b'C' => Mark::Counter {
            pid,
            name,
            value: CounterValue::Whole(number(b"value").unwrap_or(0)),
            category: b"",
        },
        _ => return None,
    })
}
