//! The samples of a trace, for comparison with texts.

use traceloom_trace::{ArgValue, IdKind, Trace};

use super::text;

/// The records with a sample.
pub fn samples(trace: &Trace) -> Vec<usize> {
    let tables = trace.records.rows().table.iter().enumerate();
    let of_table = tables.filter(|(_, name)| text(trace, *name) == "__intrinsic_profiler_sample");
    of_table.map(|(row, _)| row).collect()
}

/// A column of a record.
pub fn cell(trace: &Trace, row: usize, column: &str) -> Option<ArgValue> {
    trace.records.cell(row, trace.strings.lookup(column)?)
}

fn referred(trace: &Trace, row: usize, column: &str) -> Option<usize> {
    match cell(trace, row, column)? {
        ArgValue::Row(IdKind::Record, row) => Some(row as usize),
        _ => None,
    }
}

/// Each sample: its time, its thread, and its stack from the innermost frame.
pub fn stacks(trace: &Trace) -> Vec<String> {
    let shown = |row, column| {
        let value = cell(trace, row, column);
        value.map_or(String::new(), |value| {
            value.display(&trace.strings).to_string()
        })
    };
    let stack = |row| {
        let mut names = Vec::new();
        let mut callsite = referred(trace, row, "callsite_id");
        while let Some(row) = callsite {
            let frame = referred(trace, row, "frame_id").unwrap();
            names.push(shown(frame, "name"));
            callsite = referred(trace, row, "parent_id");
        }
        let task = referred(trace, row, "task_context_id").unwrap();
        let Some(ArgValue::Row(IdKind::Thread, utid)) = cell(trace, task, "utid") else {
            return "no thread".to_owned();
        };
        let tid = trace.threads.tid.get(utid as usize);
        let ts = trace.records.rows().ts.get(row);
        format!("{ts} {tid} {}", names.join(" < "))
    };
    samples(trace).into_iter().map(stack).collect()
}
