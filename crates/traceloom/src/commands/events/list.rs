//! Writes events as text, CSV and JSON, without keeping them in memory.

use std::io::Write;

use anyhow::Result;
use serde::ser::{Serialize, SerializeMap, Serializer};
use traceloom_analyze::events::{EventFilter, field_keys};
use traceloom_trace::{
    ArgSetId, ArgValue, FtraceEventRow, NO_NUMBER, RowId, StringId, ThreadId, Trace,
};

use super::args::EventsArgs;
use crate::print::{csv_line, plain, thousands};

/// The maximum number of field columns in CSV. Further fields of an event are in the last column.
const MOST_KEYS: usize = 100;

/// The thread of an event, and its process.
struct Who<'t> {
    thread: &'t str,
    tid: i64,
    process: &'t str,
    pid: i64,
}

impl<'t> Who<'t> {
    fn new(trace: &'t Trace, utid: ThreadId) -> Self {
        let text = |id: StringId| trace.strings.get(id);
        let row = utid.some().map(|utid| trace.threads.row(utid.row()));
        let process = row.and_then(|row| row.upid.some());
        let process = process.map(|upid| trace.processes.row(upid.row()));
        Self {
            thread: row.map_or("", |row| text(row.name)),
            tid: row.map_or(NO_NUMBER, |row| row.tid),
            process: process.map_or("", |row| text(row.name)),
            pid: process.map_or(NO_NUMBER, |row| row.pid),
        }
    }
}

/// Writes events, one per line, in ftrace's style.
pub(super) fn text(
    out: &mut dyn Write,
    args: &EventsArgs,
    trace: &Trace,
    filter: &EventFilter,
) -> Result<()> {
    let mut rows = filter.rows(trace);
    let mut any = false;
    for row in rows.by_ref().take(args.shown()) {
        if !any {
            writeln!(
                out,
                "{:>14}  {:>5}  {:<24}  Event",
                "Time s", "CPU", "Thread"
            )?;
        }
        any = true;
        line(out, trace, &trace.ftrace_events.row(row))?;
    }
    if !any {
        writeln!(out, "no such events in this range of time")?;
    }
    let more = rows.count();
    if more > 0 {
        let more = thousands(more as u64);
        writeln!(out, "… {more} more (--limit 0 shows all)")?;
    }
    Ok(())
}

fn line(out: &mut dyn Write, trace: &Trace, event: &FtraceEventRow) -> Result<()> {
    let who = Who::new(trace, event.utid);
    let thread = match (who.thread, who.tid) {
        ("", NO_NUMBER) => "-".to_owned(),
        ("", tid) => tid.to_string(),
        (name, tid) => format!("{} ({tid})", plain(name)),
    };
    let since = event.ts.saturating_sub(trace.bounds.0);
    let cpu = match event.cpu {
        u32::MAX => "-".to_owned(),
        cpu => cpu.to_string(),
    };
    let seconds = format!("{}.{:09}", since / 1_000_000_000, since % 1_000_000_000);
    let name = plain(trace.strings.get(event.name));
    write!(out, "{seconds:>14}  {cpu:>5}  {thread:<24}  {name}")?;
    for (key, value) in trace.args.set(event.arg_set_id) {
        let field = assignment(trace.strings.get(key), value.display(&trace.strings));
        write!(out, " {}", plain(&field))?;
    }
    writeln!(out)?;
    Ok(())
}

/// A field as `key=value`. Text that the event has outside of its fields has no key.
fn assignment(key: &str, value: String) -> String {
    match key {
        "" => value,
        key => format!("{key}={value}"),
    }
}

/// Lists events as CSV.
pub(super) fn csv(
    out: &mut dyn Write,
    args: &EventsArgs,
    trace: &Trace,
    filter: &EventFilter,
) -> Result<()> {
    let keys = field_keys(trace, filter.rows(trace), MOST_KEYS);
    let mut head = ["ts_ns", "cpu", "thread", "tid", "process", "pid", "event"]
        .map(str::to_owned)
        .to_vec();
    head.extend(keys.iter().map(|key| column(trace.strings.get(*key))));
    head.push("other_fields".to_owned());
    csv_line(out, &head)?;
    for row in filter.rows(trace).take(args.shown()) {
        let event = trace.ftrace_events.row(row);
        let who = Who::new(trace, event.utid);
        let mut cells = vec![
            event.ts.saturating_sub(trace.bounds.0).to_string(),
            i64::from(event.cpu as i32).to_string(),
            who.thread.to_owned(),
            who.tid.to_string(),
            who.process.to_owned(),
            who.pid.to_string(),
            trace.strings.get(event.name).to_owned(),
        ];
        cells.extend(fields(trace, event.arg_set_id, &keys));
        csv_line(out, &cells)?;
    }
    Ok(())
}

/// The heading of a field's column. Text outside of an event's fields has no key.
fn column(key: &str) -> String {
    match key {
        "" => "text".to_owned(),
        key => key.to_owned(),
    }
}

/// The values of these fields, and all other fields as `key=value`.
fn fields(trace: &Trace, set: ArgSetId, keys: &[StringId]) -> Vec<String> {
    let mut cells = vec![String::new(); keys.len() + 1];
    for (key, value) in trace.args.set(set) {
        let value = value.display(&trace.strings);
        let place = keys.iter().position(|known| *known == key);
        match place {
            Some(place) if cells[place].is_empty() => cells[place] = value,
            _ => {
                let rest = &mut cells[keys.len()];
                let blank = if rest.is_empty() { "" } else { " " };
                *rest += blank;
                *rest += &assignment(trace.strings.get(key), value);
            }
        }
    }
    cells
}

/// Writes events as JSON, one event per line.
pub(super) fn json(
    out: &mut dyn Write,
    args: &EventsArgs,
    trace: &Trace,
    filter: &EventFilter,
) -> Result<()> {
    write!(out, "{{\n\"file\": ")?;
    serde_json::to_writer(&mut *out, &args.file.display().to_string())?;
    write!(out, ",\n\"events\": [")?;
    for (number, row) in filter.rows(trace).take(args.shown()).enumerate() {
        let comma = if number > 0 { "," } else { "" };
        writeln!(out, "{comma}")?;
        let event = trace.ftrace_events.row(row);
        serde_json::to_writer(&mut *out, &JsonEvent { trace, event })?;
    }
    writeln!(out, "\n]\n}}")?;
    Ok(())
}

struct JsonEvent<'t> {
    trace: &'t Trace,
    event: FtraceEventRow,
}

impl Serialize for JsonEvent<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Self { trace, event } = self;
        let who = Who::new(trace, event.utid);
        let mut map = to.serialize_map(None)?;
        map.serialize_entry("ts_ns", &event.ts.saturating_sub(trace.bounds.0))?;
        map.serialize_entry("cpu", &i64::from(event.cpu as i32))?;
        map.serialize_entry("thread", who.thread)?;
        map.serialize_entry("tid", &who.tid)?;
        map.serialize_entry("process", who.process)?;
        map.serialize_entry("pid", &who.pid)?;
        map.serialize_entry("event", trace.strings.get(event.name))?;
        map.serialize_entry("fields", &Fields(trace, event.arg_set_id))?;
        map.end()
    }
}

/// An object or a list.
fn nested(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap_or_else(|_| text.into())
}

/// The fields as pairs, because a key may occur several times.
struct Fields<'t>(&'t Trace, ArgSetId);

impl Serialize for Fields<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Self(trace, set) = self;
        let strings = &trace.strings;
        to.collect_seq(trace.args.set(*set).map(|(key, value)| {
            let value = match value {
                ArgValue::Int(value) => serde_json::Value::from(value),
                ArgValue::Unsigned(value) => serde_json::Value::from(value),
                ArgValue::Bool(value) => serde_json::Value::from(value),
                ArgValue::Null | ArgValue::Row(..) => serde_json::Value::Null,
                ArgValue::Json(id) => nested(strings.get(id)),
                ArgValue::Float(value) => serde_json::Value::from(value),
                other => serde_json::Value::from(other.display(strings)),
            };
            (strings.get(key), value)
        }))
    }
}
