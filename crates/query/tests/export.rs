//! Exported files have the rows that queries return.

mod made;

use std::path::Path;

use rusqlite::Connection;
use rusqlite::types::{Value, ValueRef};
use traceloom_query::{
    ExportError, Limits, Output, Session, exported_tables, table_names, write_arrow, write_sqlite,
};
use traceloom_trace::{ArgValue, TraceBuilder};

/// A result: names and rows.
#[derive(Default, Debug, PartialEq)]
struct Rows(Vec<String>, Vec<Vec<Value>>);

impl Output for Rows {
    fn columns(&mut self, names: &[String]) -> std::io::Result<()> {
        self.0 = names.to_vec();
        Ok(())
    }

    fn row(&mut self, values: &[ValueRef<'_>]) -> std::io::Result<()> {
        self.1.push(
            values
                .iter()
                .map(|value| (*value).try_into().unwrap())
                .collect(),
        );
        Ok(())
    }
}

fn asked(session: &mut Session, sql: &str) -> Rows {
    let mut rows = Rows::default();
    session.run("test", sql, &[], &mut rows).unwrap();
    rows
}

fn asked_of_file(file: &Connection, sql: &str) -> Rows {
    let mut statement = file.prepare(sql).unwrap();
    let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let mut rows = Rows(names, Vec::new());
    let mut found = statement.raw_query();
    while let Some(row) = found.next().unwrap() {
        let values = (0..rows.0.len()).map(|column| row.get_unwrap(column));
        rows.1.push(values.collect());
    }
    rows
}

fn exported(session: &mut Session, folder: &Path) -> Connection {
    let path = folder.join("x.sqlite");
    std::fs::File::create(&path).unwrap();
    write_sqlite(session, &path, u64::MAX).unwrap();
    Connection::open(&path).unwrap()
}

#[test]
fn sqlite_reads_the_rows_of_every_table_and_view() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = Session::open(made::trace(), Limits::default()).unwrap();
    let file = exported(&mut session, folder.path());
    let mut rows = 0;
    for name in exported_tables(&mut session).unwrap() {
        // The file also has the columns that `SELECT *` leaves out.
        let columns = asked_of_file(&file, &format!("SELECT * FROM {name} LIMIT 0")).0;
        let columns = columns.join(", ");
        let every: Vec<String> = (1..=columns.split(", ").count())
            .map(|at| at.to_string())
            .collect();
        let sql = format!("SELECT {columns} FROM {name} ORDER BY {}", every.join(", "));
        let found = asked_of_file(&file, &sql);
        assert_eq!(found, asked(&mut session, &sql), "{name}");
        rows += found.1.len();
        let usual = asked(&mut session, &format!("SELECT * FROM {name} LIMIT 0")).0;
        assert!(
            usual.iter().all(|column| found.0.contains(column)),
            "{name}"
        );
    }
    assert!(rows > 1000, "{rows}");
}

#[test]
fn sqlite_gives_the_answers_of_the_session() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = Session::open(made::trace(), Limits::default()).unwrap();
    let file = exported(&mut session, folder.path());
    for sql in [
        "SELECT name, count(*), sum(dur), typeof(name) FROM slice GROUP BY name ORDER BY name",
        "SELECT thread_name, count(*) FROM thread_slice GROUP BY 1 ORDER BY 1",
        "SELECT * FROM slices WHERE id = 7",
        "SELECT hex(name) FROM thread ORDER BY utid",
        "SELECT state, sum(dur) FROM thread_state JOIN thread USING (utid) GROUP BY state ORDER BY 1",
        "SELECT key, display_value, typeof(real_value) FROM args ORDER BY id",
    ] {
        assert_eq!(asked_of_file(&file, sql), asked(&mut session, sql), "{sql}");
    }
    let check = asked_of_file(&file, "PRAGMA integrity_check").1;
    assert_eq!(check, [[Value::Text("ok".to_owned())]]);
}

#[test]
fn every_value_has_the_type_of_its_column() {
    let mut session = Session::open(made::trace(), Limits::default()).unwrap();
    for name in table_names() {
        let mut out = Vec::new();
        let written = write_arrow(&mut session, name, &mut out);
        assert!(written.is_ok(), "{name} {written:?}");
        assert!(
            out.starts_with(b"ARROW1\0\0") && out.ends_with(b"ARROW1"),
            "{name}"
        );
    }
}

#[test]
fn tables_without_rows_exist() {
    let folder = tempfile::tempdir().unwrap();
    let trace = TraceBuilder::new().finish();
    let mut session = Session::open(trace, Limits::default()).unwrap();
    let file = exported(&mut session, folder.path());
    let count = |name: &str| asked_of_file(&file, &format!("SELECT count(*) FROM {name}")).1;
    for name in exported_tables(&mut session).unwrap() {
        let expected = asked(&mut session, &format!("SELECT count(*) FROM {name}")).1;
        assert_eq!(count(name), expected, "{name}");
    }
    let mut out = Vec::new();
    for name in table_names() {
        write_arrow(&mut session, name, &mut out).unwrap();
    }
}

#[test]
fn a_file_does_not_exceed_its_limit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.sqlite");
    std::fs::File::create(&path).unwrap();
    let mut out = TraceBuilder::new();
    let long = "x".repeat(100_000);
    (0..100).for_each(|_| out.metadata("key", &long));
    let mut session = Session::open(out.finish(), Limits::default()).unwrap();
    let written = write_sqlite(&mut session, &path, 1 << 20);
    assert!(matches!(written, Err(ExportError::TooLong)), "{written:?}");
    assert!(std::fs::metadata(&path).unwrap().len() <= 1 << 20);
    // Twice the size of the texts is enough for everything.
    std::fs::File::create(&path).unwrap();
    write_sqlite(&mut session, &path, 20 << 20).unwrap();
    let written = std::fs::metadata(&path).unwrap().len();
    assert!((10_000_000..11_000_000).contains(&written), "{written}");
}

#[test]
fn a_table_that_does_not_exist_is_an_error() {
    let trace = TraceBuilder::new().finish();
    let mut session = Session::open(trace, Limits::default()).unwrap();
    let written = write_arrow(&mut session, "slice; DROP TABLE x", &mut Vec::new());
    assert!(matches!(written, Err(ExportError::NoTable { .. })));
}

#[test]
fn records_are_exported_if_there_are_any() {
    let folder = tempfile::tempdir().unwrap();
    let mut out = TraceBuilder::new();
    let text = out.intern(b"ready");
    out.record(5, "__intrinsic_logs", &[("msg", ArgValue::Text(text))]);
    let event = [("event_id", ArgValue::Int(7))];
    out.record(6, "__intrinsic_android_key_events", &event);
    let mut session = Session::open(out.finish(), Limits::default()).unwrap();
    let file = exported(&mut session, folder.path());
    for sql in [
        "SELECT ts, prio, msg FROM logs",
        "SELECT event_id FROM __intrinsic_android_key_events",
    ] {
        let found = asked_of_file(&file, sql);
        assert_eq!(found, asked(&mut session, sql), "{sql}");
        assert_eq!(found.1.len(), 1, "{sql}");
    }
    let tables = exported_tables(&mut session).unwrap();
    assert!(tables.contains(&"logs") && !tables.contains(&"heap_graph_object"));
    assert!(table_names().contains(&"heap_graph_object"));
    let mut empty = Vec::new();
    write_arrow(&mut session, "heap_graph_object", &mut empty).unwrap();
    assert!(empty.ends_with(b"ARROW1"));
}
