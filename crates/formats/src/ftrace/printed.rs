//! Texts of `trace_printk` and of trace_marker, which start with the function that printed them.

use super::digits::whole_hex;
use super::event::{Event, Field, FieldsEvent, Mark, NO_SHAPE, Value};
use super::{fields, marker};

/// Whether this stands for a function whose name is not known: `0`, `0xffff00000819ff24`, or the latter with an `s`.
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
