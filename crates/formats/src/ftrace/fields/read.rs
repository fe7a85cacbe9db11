//! Choosing the rule that reads an event's fields.

use super::general::keyed;
use super::irregular::{irregular, is_irregular};
use crate::ftrace::event::{Field, Value};

/// Reads the payload of `event` into `out`.
pub(crate) fn fields<'a>(event: &[u8], payload: &'a [u8], out: &mut Vec<Field<'a>>) {
    trimmed_fields(event, payload.trim_ascii(), out);
}

/// The longest payload that is read, bytes. The kernel has 8 KiB for one (`TRACE_SEQ_BUFFER_SIZE`). A
/// longer text is kept as it is, so that its fields cannot take many times its size.
const LONGEST: usize = 64 << 10;

/// As [`fields`], of a payload without spaces around it. Returns whether the general rule reads all
/// payloads of this event.
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
