//! Small handwritten systraces, and the answers of modules for them.

#![allow(dead_code, reason = "each test uses a part")]

use std::fmt::Write;

use traceloom_formats::{ReadOptions, read_bytes};
use traceloom_query::{Limits, Output, QueryError, Session, Value, ValueRef};

/// A line: the task as in `app-900 (900)`, the time in microseconds, and an event, or a mark that an app made.
pub type Line<'t> = (&'t str, u64, &'t str);

/// The systrace of these lines, all on CPU 0.
pub fn text(lines: &[Line<'_>]) -> String {
    let mut text = "# tracer: nop\n#\n".to_owned();
    for (task, micros, event) in lines {
        let is_mark = event.as_bytes().get(1) == Some(&b'|') || *event == "E";
        let kind = if is_mark { "tracing_mark_write: " } else { "" };
        let (seconds, micros) = (micros / 1_000_000, micros % 1_000_000);
        let _ = writeln!(
            text,
            "{task} [000] .... {seconds}.{micros:06}: {kind}{event}"
        );
    }
    text
}

/// A session of the systrace of these lines.
pub fn session(lines: &[Line<'_>]) -> Session {
    let trace = read_bytes(text(lines).as_bytes(), ReadOptions::default()).unwrap();
    Session::open(trace, Limits::default()).unwrap()
}

/// The rows of the last statement, one text per row. NULL is `-`.
pub fn answer(lines: &[Line<'_>], module: &str, sql: &str) -> Vec<String> {
    let sql = format!("INCLUDE PERFETTO MODULE {module}; {sql}");
    rows(&mut session(lines), &sql).unwrap_or_else(|error| panic!("{error}"))
}

/// The rows of the last statement of a script.
pub fn rows(session: &mut Session, sql: &str) -> Result<Vec<String>, QueryError> {
    let mut rows = Rows::default();
    session.run("test", sql, &[], &mut rows)?;
    Ok(rows.0)
}

#[derive(Default)]
struct Rows(Vec<String>);

impl Output for Rows {
    fn columns(&mut self, _: &[String]) -> std::io::Result<()> {
        self.0.clear();
        Ok(())
    }

    fn row(&mut self, values: &[ValueRef<'_>]) -> std::io::Result<()> {
        let cell = |&value| match Value::try_from(value).unwrap() {
            Value::Null => "-".to_owned(),
            Value::Integer(number) => number.to_string(),
            Value::Real(number) => number.to_string(),
            Value::Text(text) => text,
            Value::Blob(bytes) => format!("{} bytes", bytes.len()),
        };
        let cells: Vec<String> = values.iter().map(cell).collect();
        self.0.push(cells.join(" "));
        Ok(())
    }
}
