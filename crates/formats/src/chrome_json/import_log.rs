//! The import log: rows of `_trace_import_logs` in SQL, under Perfetto's names.

use traceloom_trace::{ArgValue, IdKind, NO_TIME, TraceBuilder};

use super::rows::Row;

/// The table of the log.
const TABLE: &str = "_trace_import_logs";

/// The maximum number of unread events in the log.
pub(super) const MOST_EVENTS: u64 = 4096;

/// Logs an event that could not be read.
pub(super) fn unread(text: &[u8], offset: Option<u64>, out: &mut TraceBuilder) {
    let raw = ArgValue::Text(out.intern(text));
    let offset = offset.map(|offset| ("byte_offset", ArgValue::Int(offset as i64)));
    let name = "json_tokenizer_failure";
    add(NO_TIME, name, &[("raw_event", raw)], offset, out);
}

/// Logs a complete slice that crosses the end of another one.
pub(super) fn overlap(row: &Row, conflict: &[(&str, ArgValue)], out: &mut TraceBuilder) {
    let phase = ArgValue::Text(out.intern(&[row.phase]));
    let mut args = vec![
        ("event_name", ArgValue::Text(row.name)),
        ("event_phase", phase),
    ];
    args.extend_from_slice(conflict);
    let name = "slice_spill_overlapping_complete_event";
    add(row.ts, name, &args, None, out);
}

fn add(
    ts: i64,
    name: &str,
    args: &[(&str, ArgValue)],
    further: Option<(&str, ArgValue)>,
    out: &mut TraceBuilder,
) {
    let args = args
        .iter()
        .map(|(key, value)| (out.intern(key.as_bytes()), *value));
    let args: Vec<_> = args.collect();
    let args = out.args(args);
    let mut cells = vec![
        ("trace_id", ArgValue::Int(0)),
        ("severity", ArgValue::Text(out.intern(b"error"))),
        ("name", ArgValue::Text(out.intern(name.as_bytes()))),
        ("arg_set_id", ArgValue::Row(IdKind::ArgSet, args.0)),
    ];
    cells.extend(further);
    out.record(ts, TABLE, &cells);
}

#[cfg(test)]
mod tests {
    use traceloom_trace::Trace;

    use super::*;
    use crate::chrome_json::tests::read;

    /// `key=value` of the arguments of each row of the log, and the row's place in the file.
    fn log(trace: &Trace) -> Vec<String> {
        let lookup = |text| trace.strings.lookup(text).unwrap();
        let tables = trace.records.rows().table.iter().enumerate();
        let rows = tables.filter(|(_, table)| *table == lookup(TABLE));
        let row = |(row, _)| {
            let cell = |key| trace.records.cell(row, trace.strings.lookup(key)?);
            let Some(ArgValue::Row(_, set)) = cell("arg_set_id") else {
                panic!("no arguments");
            };
            let args = trace.args.set(traceloom_trace::ArgSetId(set));
            let args = args.map(|(key, value)| {
                let key = trace.strings.get(key);
                format!("{key}={}", value.display(&trace.strings))
            });
            let offset = cell("byte_offset").map(|offset| offset.display(&trace.strings));
            let args: Vec<_> = args.chain(offset).collect();
            args.join(" ")
        };
        rows.map(row).collect()
    }

    #[test]
    fn a_slice_that_crosses_another_ones_end_is_logged() {
        let trace = read(
            r#"[{"ph":"X","ts":1,"dur":20,"pid":1,"tid":1,"name":"outer"},
                {"ph":"X","ts":2,"dur":8,"pid":1,"tid":1,"name":"a"},
                {"ph":"X","ts":4,"dur":9,"pid":1,"tid":1,"name":"b"}]"#,
        );
        let expected = "event_name=b event_phase=X overlap_start=4000 overlap_end=10000 \
                        conflicting_slice_name=a conflicting_slice_ts=2000 conflicting_slice_dur=8000";
        assert_eq!(log(&trace), [expected]);
    }

    #[test]
    fn an_event_that_cannot_be_read_is_logged_as_text() {
        let trace = read(r#"[{"ph":"X","ts":1,"dur":2,"pid":1,"tid":1,"name":"a"},{"ph":"B"}]"#);
        let log = log(&trace);
        assert!(log[0].starts_with(r#"raw_event={"ph":"B"}"#), "{log:?}");
    }
}
