//! Columns have the values that SQL returns.

use std::path::Path;

use traceloom_formats::{ReadOptions, read_bytes};
use traceloom_query::{Chunk, Limits, ResultSet, Session, TableData, Value, Values};

fn session(example: &str) -> Session {
    let path = Path::new("../../examples").join(example);
    let bytes = std::fs::read(path).unwrap();
    let trace = read_bytes(&bytes, ReadOptions::default()).unwrap();
    Session::open(trace, Limits::default()).unwrap()
}

fn value(table: &TableData, chunk: &Chunk<'_>, row: usize) -> Value {
    let valid = chunk.valid.as_ref();
    if valid.is_some_and(|bits| bits[row / 8] >> (row % 8) & 1 == 0) {
        return Value::Null;
    }
    match &chunk.values {
        Values::Int32(rows) => Value::Integer(rows[row].into()),
        Values::Int64(rows) => Value::Integer(rows[row]),
        Values::Float64(rows) => Value::Real(rows[row]),
        Values::Text(rows) => Value::Text(table.text(rows[row]).to_owned()),
    }
}

/// Compares a table with the result of SQL. Returns the number of chunks that are the trace's own memory.
fn compare(session: &mut Session, name: &str) -> usize {
    let table = session.table(name).unwrap();
    let columns: Vec<_> = table.columns().collect();
    let names: Vec<_> = columns
        .iter()
        .map(|it| format!("\"{}\"", it.name))
        .collect();
    let mut shown = ResultSet::default();
    let sql = format!("SELECT {} FROM \"{name}\"", names.join(", "));
    session.run("test", &sql, &[], &mut shown).unwrap();
    let mut borrowed = 0;
    for (at, column) in columns.iter().enumerate() {
        let mut values = Vec::new();
        for number in 0..table.chunks() {
            let chunk = table.chunk(at, number);
            borrowed += usize::from(match &chunk.values {
                Values::Int32(rows) => matches!(rows, std::borrow::Cow::Borrowed(_)),
                Values::Int64(rows) => matches!(rows, std::borrow::Cow::Borrowed(_)),
                Values::Float64(rows) => matches!(rows, std::borrow::Cow::Borrowed(_)),
                Values::Text(rows) => matches!(rows, std::borrow::Cow::Borrowed(_)),
            });
            values.extend((0..chunk.len()).map(|row| value(&table, &chunk, row)));
        }
        let expected: Vec<Value> = shown.rows.iter().map(|row| row[at].clone()).collect();
        assert_eq!(values, expected, "{name}.{}", column.name);
    }
    borrowed
}

#[test]
fn columns_are_those_of_sql() {
    for example in ["jank.ftrace.gz", "app.trace", "linux.ftrace"] {
        let mut session = session(example);
        let names = [
            "slice",
            "sched_slice",
            "thread_state",
            "counter",
            "ftrace_event",
            "thread",
            "process",
            "track",
            "metadata",
            "repair",
            "__intrinsic_args",
        ];
        let borrowed: Vec<usize> = names
            .iter()
            .map(|name| compare(&mut session, name))
            .collect();
        assert!(borrowed[0] >= 6, "{example}: {borrowed:?}");
    }
}

#[test]
fn unknown_tables_and_views_are_none() {
    let session = session("app.trace");
    assert!(session.table("no_table").is_none());
    assert!(session.table("thread_track").is_none());
    assert!(
        session
            .table("android_logs")
            .is_none_or(|it| it.rows() == 0)
    );
}
