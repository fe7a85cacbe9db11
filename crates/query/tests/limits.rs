//! What queries must not do, and how they are stopped.

mod made;

use std::time::{Duration, Instant};

use made::{Rows, ask, session, trace};
use traceloom_query::{Limits, QueryError, Session, Value};

const ENDLESS: &str =
    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n";

fn limited(limits: Limits, sql: &str) -> QueryError {
    let mut session = Session::open(trace(), limits).unwrap();
    let asked = session.run("test", sql, &[], &mut Rows::default());
    asked.expect_err("the query is stopped")
}

#[test]
fn nothing_outside_the_trace_can_be_reached() {
    let folder = std::env::temp_dir();
    let file = folder.join(format!("traceloom-query-{}.db", std::process::id()));
    let file = file.display();
    let mut session = session();
    for sql in [
        format!("ATTACH '{file}' AS other"),
        format!("VACUUM INTO '{file}'"),
        "VACUUM".to_owned(),
        "PRAGMA temp_store_directory = '/tmp'".to_owned(),
        "PRAGMA temp_store = FILE".to_owned(),
        "PRAGMA writable_schema = ON".to_owned(),
        "PRAGMA hard_heap_limit = 0".to_owned(),
        "SELECT load_extension('/tmp/x.so')".to_owned(),
        "CREATE VIRTUAL TABLE t USING fts5(x)".to_owned(),
        "CREATE VIRTUAL TABLE t USING slice".to_owned(),
        "INSERT INTO slice(ts) VALUES (1)".to_owned(),
        "DELETE FROM slice".to_owned(),
        "UPDATE thread SET name = 'x'".to_owned(),
        "DROP TABLE slice".to_owned(),
    ] {
        assert!(ask(&mut session, &sql).is_err(), "{sql}");
    }
    assert!(!std::path::Path::new(&file.to_string()).exists());
    let count = ask(&mut session, "SELECT count(*) > 0 FROM slice").unwrap();
    assert_eq!(count.rows, [[Value::Integer(1)]]);
}

#[test]
fn a_query_has_tables_of_its_own() {
    let mut session = session();
    ask(
        &mut session,
        "CREATE TABLE own AS SELECT * FROM slice; CREATE INDEX i ON own(name)",
    )
    .unwrap();
    let rows = ask(
        &mut session,
        "SELECT (SELECT count(*) FROM own) = (SELECT count(*) FROM slice)",
    );
    assert_eq!(rows.unwrap().rows, [[Value::Integer(1)]]);
    let columns = ask(&mut session, "PRAGMA table_info(own)").unwrap().rows;
    let names: Vec<_> = columns.iter().map(|column| column[1].clone()).collect();
    for name in ["id", "ts", "dur", "name"] {
        let name = Value::Text(name.to_owned());
        assert!(names.contains(&name), "{name:?}: {names:?}");
    }
}

#[test]
fn a_timeout_stops_an_endless_query() {
    let timeout = Some(Duration::from_millis(200));
    let start = Instant::now();
    let error = limited(
        Limits {
            timeout,
            ..Limits::default()
        },
        ENDLESS,
    );
    assert!(matches!(error, QueryError::Timeout { .. }), "{error}");
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_timeout_may_be_longer_than_the_clock_can_show() {
    let limits = Limits {
        timeout: Some(Duration::MAX),
        ..Limits::default()
    };
    let mut session = Session::open(trace(), limits).unwrap();
    let rows = ask(&mut session, "SELECT 1").unwrap();
    assert_eq!(rows.rows, [[Value::Integer(1)]]);
}

/// SQLite stops only the innermost statement. Each function around it must pass the error on.
#[test]
fn a_timeout_stops_a_query_within_functions() {
    for outer in [
        "CREATE PERFETTO FUNCTION g() RETURNS LONG AS SELECT f();",
        "CREATE PERFETTO FUNCTION g() RETURNS LONG DELEGATES TO f;",
        "CREATE PERFETTO FUNCTION h() RETURNS TABLE(x LONG) AS SELECT f() AS x;
         CREATE PERFETTO FUNCTION g() RETURNS LONG AS SELECT x FROM h();",
    ] {
        let inner = format!("CREATE PERFETTO FUNCTION f() RETURNS LONG AS {ENDLESS};");
        let limits = Limits {
            timeout: Some(Duration::from_millis(100)),
            ..Limits::default()
        };
        let error = limited(limits, &format!("{inner} {outer} SELECT g()"));
        assert!(matches!(error, QueryError::Timeout { .. }), "{error}");
    }
}

#[test]
fn a_query_is_stopped_from_another_thread() {
    let mut session = session();
    let stop = session.stop();
    let stopper = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        stop.stop();
    });
    let error = ask(&mut session, ENDLESS).expect_err("the query is stopped");
    assert!(matches!(error, QueryError::Stopped), "{error}");
    stopper.join().unwrap();
}

#[test]
fn errors_have_their_place() {
    let mut session = session();
    for (sql, place) in [
        (
            "SELECT 1;\n  SELECT nowhere FROM slice",
            "line 2, column 10 of test: no such column: nowhere",
        ),
        ("SELECT 'open", "line 1, column 8 of test"),
        (
            "INCLUDE PERFETTO MODULE no.such",
            "there is no module no.such",
        ),
        ("SELECT $x", "the parameter $x has no value"),
        (" -- nothing", "test has no SQL statement"),
        (
            "CREATE PERFETTO TABLE t(a LONG) AS SELECT 1 AS b",
            "the SELECT has no column a",
        ),
    ] {
        let error = ask(&mut session, sql).expect_err(sql).to_string();
        assert!(error.contains(place), "{sql}: {error}");
    }
}

#[test]
fn a_function_that_never_returns_is_an_error() {
    let mut session = session();
    let sql = "CREATE PERFETTO FUNCTION f(x LONG) RETURNS LONG AS SELECT f($x + 1); SELECT f(1)";
    // The function is not known yet when its body is checked by SQLite at each call.
    let error = ask(&mut session, sql)
        .expect_err("it calls itself forever")
        .to_string();
    assert!(error.contains("levels deep"), "{error}");
}

#[test]
fn the_last_result_counts() {
    let mut session = session();
    let rows = ask(
        &mut session,
        "SELECT 1 AS a; SELECT 2 AS b; CREATE TABLE own(x)",
    )
    .unwrap();
    assert_eq!(rows.names, ["b"]);
    assert_eq!(rows.rows, [[Value::Integer(2)]]);
}

/// Each common table expression reads the one before it twice, so that the statement has 2 to the power of `levels`
/// tables.
fn doubling(levels: u32) -> String {
    let next = |level: u32| {
        let before = level - 1;
        format!(
            ", c{level} AS (SELECT max(a) AS a FROM c{before} WHERE a = (SELECT a FROM c{before}))"
        )
    };
    let rest: String = (1..=levels).map(next).collect();
    format!("WITH c0 AS (SELECT 7 AS a){rest} SELECT a FROM c{levels}")
}

#[test]
fn a_statement_can_have_thousands_of_tables() {
    let select = doubling(11);
    let mut session = session();
    for sql in [
        select.clone(),
        format!("CREATE PERFETTO TABLE t AS {select}; SELECT a FROM t"),
        format!("CREATE PERFETTO VIEW v AS {select}; SELECT a FROM v"),
        format!("CREATE PERFETTO FUNCTION f() RETURNS LONG AS {select}; SELECT f() AS a"),
    ] {
        let rows = ask(&mut session, &sql).unwrap().rows;
        assert_eq!(rows, [[Value::Integer(7)]], "{sql}");
    }
    let error = ask(&mut session, &doubling(40)).unwrap_err();
    assert!(error.to_string().contains("nested too deep"), "{error}");
}

/// The limit for tables does not apply to the depth, which needs stack.
#[test]
fn depth_stays_limited() {
    let mut session = session();
    let sum = format!("SELECT 1{}", " + 1".repeat(1500));
    assert!(ask(&mut session, &sum).is_err());
    let next = |level| format!(", c{level} AS (SELECT a FROM c{})", level - 1);
    let chain: String = (1..1500).map(next).collect();
    let sql = format!("WITH c0 AS (SELECT 1 AS a){chain} SELECT a FROM c1499");
    assert!(ask(&mut session, &sql).is_err());
    ask(&mut session, "CREATE VIEW v0 AS SELECT 1 AS a").unwrap();
    let mut views =
        (1..1500).map(|view| format!("CREATE VIEW v{view} AS SELECT a FROM v{}", view - 1));
    let made = views.try_for_each(|sql| ask(&mut session, &sql).map(drop));
    assert!(made.is_err() || ask(&mut session, "SELECT a FROM v1499").is_err());
}
