//! Kernel events whose print formats the general rule would misread. Each has its own rule.

use super::general::{keyed, text_field};
use super::patterns::{by_pattern, has_pattern};
use crate::ftrace::digits::{bare_hex, digits, find_space, int32, skip_spaces};
use crate::ftrace::event::{Field, Value};

/// Parses such a payload; `None` for other events, and if the payload does not match.
pub(super) fn irregular<'a>(event: &[u8], text: &'a [u8], out: &mut Vec<Field<'a>>) -> Option<()> {
    match event {
        _ if event.starts_with(b"block_") => block(text, out),
        _ if is_work(event) => work(text, out),
        _ => by_pattern(event, text, out),
    }
}

/// Whether an event has such a format.
pub(super) fn is_irregular(event: &[u8]) -> bool {
    event.starts_with(b"block_") || is_work(event) || has_pattern(event)
}

fn is_work(event: &[u8]) -> bool {
    event.starts_with(b"workqueue_") || event.starts_with(b"sched_kthread_work_")
}

/// Parses `work struct 00000000b1a1e8a5: function vmstat_update`; the function may be missing.
fn work<'a>(text: &'a [u8], out: &mut Vec<Field<'a>>) -> Option<()> {
    let rest = text.strip_prefix(b"work struct ")?;
    let end = rest
        .iter()
        .position(|byte| b": ".contains(byte))
        .unwrap_or(rest.len());
    let work = rest[..end].strip_prefix(b"0x").unwrap_or(&rest[..end]);
    out.push(Field {
        key: b"work",
        value: Value::Hex(bare_hex(work)?),
    });
    let rest = rest[end..].trim_ascii_start();
    let rest = rest.strip_prefix(b":").unwrap_or(rest).trim_ascii();
    match rest.strip_prefix(b"function ") {
        Some(function) => out.push(Field {
            key: b"function",
            value: Value::Text(function),
        }),
        None => keyed(rest, out),
    }
    Some(())
}

/// Parses `8,0 WS 4096 () 12345 + 8 none,0,0 [kworker/u8:1]` (issue, insert) and `8,0 WS () 12345 +
/// 8 [0]` (complete): `include/trace/events/block.h`.
fn block<'a>(text: &'a [u8], out: &mut Vec<Field<'a>>) -> Option<()> {
    let device = find_space(text, 0)?;
    let (_, comma) = digits(text, 0)?;
    let (_, end) = digits(text, comma + 1)?;
    if text.get(comma) != Some(&b',') || end != device {
        return None;
    }
    let flags_end = find_space(text, device + 1)?;
    let (bytes, at) = match digits(text, flags_end + 1) {
        Some((bytes, end)) if text[end..].starts_with(b" (") => (Some(bytes), end + 1),
        _ => (None, flags_end + 1),
    };
    let at = match text.get(at) {
        Some(b'(') => skip_spaces(text, at + memchr::memchr(b')', &text[at..])? + 1),
        _ => at,
    };
    let (sector, end) = digits(text, at)?;
    let sectors = text[end..]
        .strip_prefix(b" + ")
        .and_then(|count| digits(count, 0));
    let rest = &text[end + sectors.map_or(0, |(_, length)| 3 + length)..];
    let number = |key: &'static [u8], value: u64| Field {
        key,
        value: Value::Int(value as i64),
    };
    out.push(Field {
        key: b"dev",
        value: Value::Text(&text[..device]),
    });
    out.push(Field {
        key: b"rwbs",
        value: Value::Text(&text[device + 1..flags_end]),
    });
    out.extend(bytes.map(|bytes| number(b"bytes", bytes)));
    out.push(number(b"sector", sector));
    out.extend(sectors.map(|(sectors, _)| number(b"nr_sector", sectors)));
    block_tail(rest, out);
    Some(())
}

/// Parses `[name]` or `[error]`, possibly after a priority, or `<- (8,1) 99`.
fn block_tail<'a>(rest: &'a [u8], out: &mut Vec<Field<'a>>) {
    let rest = rest.trim_ascii();
    let open = memchr::memchr(b'[', rest).unwrap_or(rest.len());
    let before = rest[..open].trim_ascii();
    if !before.is_empty() {
        out.push(text_field(b"", before));
    }
    if let Some(inner) = rest[open..]
        .strip_prefix(b"[")
        .and_then(|inner| inner.strip_suffix(b"]"))
    {
        let is_error = int32(inner, 0).is_some_and(|(_, end)| end == inner.len());
        out.push(text_field(if is_error { b"error" } else { b"comm" }, inner));
    }
}
