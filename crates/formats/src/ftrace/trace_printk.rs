//! Texts of `trace_printk` and of trace_marker, which start with the function that printed them.

use super::digits::whole_hex;
use super::event::{Event, Field, FieldsEvent, Mark, NO_SHAPE, Value};
use super::{fields, marker};

/// Whether the text stands for a function whose name is unknown: `0`, `0xffff00000819ff24`, or the latter with an `s`.
pub(super) fn is_address(text: &[u8]) -> bool {
    text == b"0" || whole_hex(text.strip_suffix(b"s").unwrap_or(text)).is_some()
}

/// Skips the caller that trace-cmd prints before a text: `0xffff00000819ff24s: text` or
/// `tracing_mark_write: text`.
pub(super) fn after_caller(payload: &[u8]) -> (&[u8], &[u8]) {
    let Some(space) = memchr::memchr(b' ', payload) else {
        return (b"", payload);
    };
    let Some(caller) = payload[..space].strip_suffix(b":") else {
        return (b"", payload);
    };
    if is_address(caller) || caller.starts_with(b"tracing_mark_write") {
        (
            caller.strip_suffix(b"s").unwrap_or(caller),
            &payload[space + 1..],
        )
    } else {
        (b"", payload)
    }
}

/// Skips the time since the previous line, in ns or the clock's own unit: `(+4)     sched_wakeup: …`, of
/// `trace-cmd report --ts-diff`.
pub(super) fn after_difference(text: &[u8]) -> Option<&[u8]> {
    let text = text.strip_prefix(b"(+")?;
    let end = text.iter().position(|byte| !byte.is_ascii_digit())?;
    let text = text[end..].strip_prefix(b")")?;
    (end > 0).then(|| text.trim_ascii_start())
}

/// The text of a mark whose caller is followed by its address: `tracing_mark_write <ffffffff81498b1a>: text`. The
/// kernel prints it with the option `sym-addr`.
pub(super) fn marked_by_address(text: &[u8]) -> Option<&[u8]> {
    let text = text.strip_prefix(b"tracing_mark_write")?;
    let start = memchr::memmem::find(text, b" <")?;
    let end = memchr::memmem::find(text, b">: ")?;
    let address = text.get(start + 2..end)?;
    whole_hex_digits(address).then(|| &text[end + 3..])
}

fn whole_hex_digits(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_hexdigit)
}

/// Parses the text of a `trace_printk`: a marker, a made-up event (`name: a=1`), or plain text.
pub(crate) fn printed<'a>(
    name: &'a [u8],
    payload: &'a [u8],
    fields: &mut Vec<Field<'a>>,
) -> Event<'a> {
    let (caller, text) = after_caller(payload);
    match marker::mark(text) {
        Mark::Text { .. } => {}
        mark => return Event::Mark(mark),
    }
    if let Some(ip) = whole_hex(caller) {
        fields.push(Field {
            key: b"ip",
            value: Value::Hex(ip),
        });
    }
    let colon = memchr::memmem::find(text, b": ").filter(|colon| !text[..*colon].contains(&b' '));
    let name = match colon {
        Some(colon) => {
            fields::fields(&text[..colon], &text[colon + 2..], fields);
            &text[..colon]
        }
        None => {
            fields.push(Field {
                key: b"buf",
                value: Value::Text(text.trim_ascii()),
            });
            name
        }
    };
    let shape = NO_SHAPE;
    Event::Fields(FieldsEvent { name, shape })
}
