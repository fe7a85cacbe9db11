//! Selects the rule for an event's fields.

use super::general::keyed;
use super::irregular::{irregular, is_irregular};
use crate::ftrace::event::{Field, Value};

/// Parses the payload of `event` into `out`.
pub(crate) fn fields<'a>(event: &[u8], payload: &'a [u8], out: &mut Vec<Field<'a>>) {
    trimmed_fields(event, payload.trim_ascii(), out);
}

/// The maximum size of a payload that is parsed, bytes. The kernel's limit is 8 KiB
/// (`TRACE_SEQ_BUFFER_SIZE`). A longer text is kept unparsed, so that its fields cannot take many
/// times its size.
const LONGEST: usize = 64 << 10;

/// Like [`fields`], for a payload without surrounding spaces. Returns whether the general rule
/// parses all payloads of this event.
pub(crate) fn trimmed_fields<'a>(event: &[u8], text: &'a [u8], out: &mut Vec<Field<'a>>) -> bool {
    if text.len() > LONGEST {
        let (key, value) = (b"", Value::Text(text));
        out.push(Field { key, value });
        return false;
    }
    if irregular(event, text, out).is_some() {
        return false;
    }
    keyed(text, out);
    !is_irregular(event)
}
