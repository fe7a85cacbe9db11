//! Arguments and facts: values that are stored unchanged.

use traceloom_trace::{ArgSetId, ArgValue, Place, RepairKind, TraceBuilder};

use super::event::Event;
use super::json::{Fields, Value, int, unescape};
use super::members::is_facts;

/// The arguments, and the fields of the event that have no other place.
pub(super) fn arguments(event: &Event<'_>, out: &mut TraceBuilder) -> ArgSetId {
    let fields = event.args.iter().flat_map(Value::fields);
    let others = event.others.iter().cloned();
    let mut args = Vec::new();
    // Only slices have a column for the category, and every event of an async slice repeats it.
    if !event.category.is_empty() && b"iIRPNODVvacns()=".contains(&event.phase) {
        args.push((
            out.intern(b"cat"),
            ArgValue::Text(out.intern(&event.category)),
        ));
    }
    for (key, value) in fields.chain(others) {
        args.push((out.intern(&key), arg_value(&value, out)));
    }
    match &event.args {
        Some(value @ (Value::Text(_) | Value::Word(_))) if *value != Value::Word(b"null") => {
            args.push((out.intern(b"args"), arg_value(value, out)));
        }
        Some(Value::Nested(list @ [b'[', ..])) => {
            args.push((out.intern(b"args"), ArgValue::Text(out.intern(list))));
        }
        _ => {}
    }
    out.args(args)
}

fn arg_value(value: &Value<'_>, out: &mut TraceBuilder) -> ArgValue {
    match value {
        Value::Text(text) => ArgValue::Text(out.intern(text)),
        Value::Nested(text) => ArgValue::Text(out.intern(text)),
        Value::Word(word) => match (int(word), value.number()) {
            (Some(int), _) => ArgValue::Int(int),
            (None, Some(float)) => ArgValue::Float(float),
            (None, None) => ArgValue::Text(out.intern(word)),
        },
    }
}

/// Stores a member of the outermost object. Facts are kept; the model has no table for others
/// (stack frames, samples).
pub(super) fn member(key: &str, text: &[u8], place: Place, out: &mut TraceBuilder) {
    match text.first() {
        Some(b'{') if is_facts(key) => {
            for (key, value) in Fields::new(text) {
                out.metadata(&String::from_utf8_lossy(&key), &as_text(&value));
            }
        }
        Some(b'{' | b'[') if text.len() > 2 => {
            out.repair(RepairKind::SkippedEntry, 1, place, || key.to_owned());
        }
        Some(b'{' | b'[') | None => {}
        Some(b'"') => {
            let inside = text.get(1..text.len().saturating_sub(1)).unwrap_or(b"");
            out.metadata(key, &String::from_utf8_lossy(&unescape(inside)));
        }
        Some(_) => out.metadata(key, &String::from_utf8_lossy(text)),
    }
}

pub(super) fn as_text(value: &Value<'_>) -> String {
    let text = match value {
        Value::Nested(text) => text,
        other => other.text().unwrap_or(b""),
    };
    String::from_utf8_lossy(text).into_owned()
}

pub(super) fn shown(text: &[u8]) -> String {
    const SHOWN: usize = 120;
    String::from_utf8_lossy(&text[..text.len().min(SHOWN)]).into_owned()
}
