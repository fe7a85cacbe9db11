//! Arguments and facts: values that are stored unchanged.

use serde::de::IgnoredAny;
use traceloom_trace::{ArgSetId, ArgValue, Place, RepairKind, StringId, TraceBuilder};

use super::event::Event;
use super::members::is_facts;
use crate::json::{Fields, Value, int, unescape};

/// The arguments with the requested position of a process or a thread in the display, under Perfetto's names.
pub(super) const PROCESS_HINT: &str = "process_sort_index_hint";
pub(super) const THREAD_HINT: &str = "thread_sort_index_hint";

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
    unused(event, out, &mut args);
    match &event.args {
        Some(value @ (Value::Text(_) | Value::Word(_))) if *value != Value::Word(b"null") => {
            args.push((out.intern(b"args"), arg_value(value, out)));
        }
        Some(Value::Nested(list @ [b'[', ..])) => {
            args.push((out.intern(b"args"), json(list, out)));
        }
        _ => {}
    }
    out.args(args)
}

/// Adds the fields that have a meaning for other phases only: the id, and the flow of an event that no flow can bind to.
fn unused(event: &Event<'_>, out: &mut TraceBuilder, args: &mut Vec<(StringId, ArgValue)>) {
    let has_id = event.is_async() || event.is_flow() || event.phase == b'C';
    let bind = event.bind_id.as_deref().filter(|_| event.bind().is_none());
    let texts = [
        ("id", event.id.as_deref().filter(|_| !has_id)),
        ("bind_id", bind),
    ];
    for (key, text) in texts {
        let value = text.map(|text| ArgValue::Text(out.intern(text)));
        args.extend(value.map(|value| (out.intern(key.as_bytes()), value)));
    }
    let ways = [("flow_in", event.flow_in), ("flow_out", event.flow_out)];
    for (key, _) in ways
        .iter()
        .filter(|(_, set)| *set && event.bind().is_none())
    {
        args.push((out.intern(key.as_bytes()), ArgValue::Bool(true)));
    }
}

/// The value of an argument.
pub(crate) fn arg_value(value: &Value<'_>, out: &mut TraceBuilder) -> ArgValue {
    match value {
        Value::Text(text) => ArgValue::Text(out.intern(text)),
        Value::Nested(text) => json(text, out),
        Value::Word(b"true") => ArgValue::Bool(true),
        Value::Word(b"false") => ArgValue::Bool(false),
        Value::Word(b"null") => ArgValue::Null,
        Value::Word(word) => {
            number(word, value.number()).unwrap_or_else(|| ArgValue::Text(out.intern(word)))
        }
    }
}

fn number(word: &[u8], float: Option<f64>) -> Option<ArgValue> {
    let unsigned = || std::str::from_utf8(word).ok()?.parse().ok();
    int(word)
        .map(ArgValue::Int)
        .or_else(|| unsigned().map(ArgValue::Unsigned))
        .or(float.map(ArgValue::Float))
}

/// An object or a list. Text that only looks like JSON stays text, so that it is not written as JSON again.
fn json(text: &[u8], out: &mut TraceBuilder) -> ArgValue {
    let id = out.intern(text);
    match serde_json::from_slice::<IgnoredAny>(text) {
        Ok(_) => ArgValue::Json(id),
        Err(_) => ArgValue::Text(id),
    }
}

/// Stores a member of the outermost object. Facts are kept; other members have no table (properties of devices).
pub(super) fn member(key: &str, text: &[u8], place: Place, out: &mut TraceBuilder) {
    match text.first() {
        Some(b'{') if is_facts(key) => facts(key, text, out),
        Some(b'{' | b'[') => out.repair(RepairKind::SkippedEntry, 1, place, || key.to_owned()),
        None => {}
        Some(b'"') => {
            let inside = text.get(1..text.len().saturating_sub(1)).unwrap_or(b"");
            out.metadata(key, &String::from_utf8_lossy(&unescape(inside)));
        }
        Some(_) => out.metadata(key, &String::from_utf8_lossy(text)),
    }
}

/// Stores facts. Those of `metadata` have the prefix that they have in Perfetto, which drops values that are `null`.
fn facts(key: &str, text: &[u8], out: &mut TraceBuilder) {
    let prefix = match key {
        "metadata" => "json_metadata.",
        _ => "",
    };
    for (key, value) in Fields::new(text) {
        if prefix.is_empty() || value != Value::Word(b"null") {
            let key = format!("{prefix}{}", String::from_utf8_lossy(&key));
            out.metadata(&key, &as_text(&value));
        }
    }
}

/// Whether a value has no contents: `{}`, `[]`, `""` or `null`.
pub(super) fn is_empty(value: &Value<'_>) -> bool {
    match value {
        Value::Text(text) => text.is_empty(),
        Value::Word(word) => *word == b"null",
        Value::Nested([_, inside @ .., _]) => inside.trim_ascii().is_empty(),
        Value::Nested(_) => true,
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

#[cfg(test)]
mod tests {
    use traceloom_trace::ArgValue;

    use crate::{ReadOptions, read_bytes};

    #[test]
    fn facts_of_metadata_have_a_prefix() {
        let json =
            br#"{"metadata":{"source":"DevTools","cpus":12,"none":null},"otherData":{"source":"x"},
            "traceEvents":[{"ph":"X","ts":0,"dur":1,"pid":1,"tid":1,"name":"a"}]}"#;
        let trace = read_bytes(json, ReadOptions::default()).unwrap();
        assert_eq!(trace.metadata("json_metadata.source"), Some("DevTools"));
        assert_eq!(trace.metadata("json_metadata.cpus"), Some("12"));
        assert_eq!(trace.metadata("json_metadata.none"), None);
        assert_eq!(trace.metadata("source"), Some("x"));
    }

    #[test]
    fn arguments_keep_their_types() {
        let text: &[u8] = br#"[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"a","args":{"on":true,"off":false,
            "none":null,"word":"true","big":18446744073709551615,"low":-3,"part":0.5,"in":{"a":[1,{"b":2}]},
            "odd":[1,,2]}}]"#;
        let trace = read_bytes(text, ReadOptions::default()).unwrap();
        let args = trace.args.set(trace.slices.arg_set_id.get(0));
        let id = |text| trace.strings.lookup(text).unwrap();
        let expected = [
            ("on", ArgValue::Bool(true)),
            ("off", ArgValue::Bool(false)),
            ("none", ArgValue::Null),
            ("word", ArgValue::Text(id("true"))),
            ("big", ArgValue::Unsigned(u64::MAX)),
            ("low", ArgValue::Int(-3)),
            ("part", ArgValue::Float(0.5)),
            ("in", ArgValue::Json(id(r#"{"a":[1,{"b":2}]}"#))),
            ("odd", ArgValue::Text(id("[1,,2]"))),
        ];
        let read: Vec<_> = args
            .map(|(key, value)| (trace.strings.get(key), value))
            .collect();
        assert_eq!(read, expected);
    }

    #[test]
    fn fields_without_a_use_become_arguments() {
        let text: &[u8] = br#"[
            {"ph":"i","pid":1,"tid":1,"ts":1,"tts":3,"name":"a","bind_id":"0x6","flow_out":true},
            {"ph":"X","pid":1,"tid":1,"ts":2,"dur":1,"tdur":7,"name":"b","id":"0x77"},
            {"ph":"X","pid":1,"tid":1,"ts":4,"dur":1,"name":"c","bind_id":"0x6","flow_in":true}]"#;
        let trace = read_bytes(text, ReadOptions::default()).unwrap();
        let mut rows: Vec<_> = trace.slices.rows().collect();
        rows.sort_by_key(|row| row.ts);
        let args = |row: &traceloom_trace::SliceRow| {
            let args = trace.args.set(row.arg_set_id);
            let args = args.map(|(key, value)| {
                let key = trace.strings.get(key);
                format!("{key}={}", value.display(&trace.strings))
            });
            args.collect::<Vec<_>>().join(" ")
        };
        let found: Vec<_> = rows.iter().map(args).collect();
        assert_eq!(found, ["bind_id=0x6 flow_out=true", "id=0x77", ""]);
        assert_eq!((rows[0].thread_ts, rows[1].thread_dur), (3_000, 7_000));
    }

    /// Some writers do not escape the backslashes of paths.
    #[test]
    fn a_backslash_that_escapes_nothing_stays() {
        let text = br#"[{"ph":"i","pid":1,"ts":1,"name":"C:\dir\x\/\'\\"}]"#;
        let trace = read_bytes(text, ReadOptions::default()).unwrap();
        let name = trace.strings.get(trace.slices.name.get(0));
        assert_eq!(name, r"C:\dir\x/'\");
    }

    #[test]
    fn the_depth_of_a_value_is_not_limited() {
        let deep = ["[".repeat(1 << 20), "]".repeat(1 << 20)].concat();
        let text =
            format!(r#"[{{"ph":"i","pid":1,"tid":1,"ts":1,"name":"a","args":{{"in":{deep}}}}}]"#);
        let trace = read_bytes(text.as_bytes(), ReadOptions::default()).unwrap();
        let deep = trace.strings.lookup(&deep).unwrap();
        let args = (0..trace.args.len()).map(|row| trace.args.arg(row).1);
        assert!(args.into_iter().any(|value| value == ArgValue::Json(deep)));
    }
}
