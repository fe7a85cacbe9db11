//! Tables that a session creates. A statement that fails changes nothing.

mod made;

use made::{ask, session};
use traceloom_query::{Session, Value};

/// A query that fails after 4,000 rows.
const BROKEN: &str = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 5000)
    SELECT abs(iif(x > 4000, -9223372036854775808, x)) AS x FROM n";

/// The number that a query returns.
fn number(session: &mut Session, sql: &str) -> i64 {
    let rows = ask(session, sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    match rows.rows.as_slice() {
        [row] => match row.as_slice() {
            [Value::Integer(number)] => *number,
            other => panic!("{sql}: {other:?}"),
        },
        other => panic!("{sql}: {other:?}"),
    }
}

/// The error of statements.
fn error(session: &mut Session, sql: &str) -> String {
    ask(session, sql).expect_err(sql).to_string()
}

#[test]
fn a_statement_that_fails_changes_nothing() {
    let mut session = session();
    ask(&mut session, "CREATE TABLE t(x); INSERT INTO t VALUES (1)").unwrap();
    for sql in [
        format!("INSERT INTO t {BROKEN}"),
        format!("CREATE TABLE other AS {BROKEN}"),
        format!("CREATE PERFETTO TABLE other AS {BROKEN}"),
    ] {
        let error = error(&mut session, &sql);
        assert!(error.contains("integer overflow"), "{error}");
        assert_eq!(number(&mut session, "SELECT count(*) FROM t"), 1, "{sql}");
    }
    let unnamed = "SELECT count(*) FROM sqlite_schema WHERE name IS NULL";
    assert_eq!(number(&mut session, unnamed), 0);
    // SQLite reads its schema again.
    ask(&mut session, "ALTER TABLE t RENAME TO u").unwrap();
    assert_eq!(number(&mut session, "SELECT count(*) FROM u"), 1);
}

#[test]
fn a_rollback_takes_changes_back() {
    let mut session = session();
    ask(&mut session, "CREATE TABLE t(x); INSERT INTO t VALUES (1)").unwrap();
    for changes in [
        "BEGIN; INSERT INTO t VALUES (2); ROLLBACK",
        "SAVEPOINT s; DELETE FROM t; ROLLBACK TO s; RELEASE s",
        "BEGIN; DROP TABLE t; ROLLBACK",
    ] {
        ask(&mut session, changes).unwrap();
        let sum = number(&mut session, "SELECT sum(x) FROM t");
        assert_eq!(sum, 1, "{changes}");
    }
}

#[test]
fn a_table_can_be_replaced_by_rows_of_its_own() {
    let mut session = session();
    let sql = "CREATE PERFETTO TABLE t AS SELECT 1 AS x UNION ALL SELECT 2;
               CREATE PERFETTO VIEW v AS SELECT x FROM t;
               CREATE TABLE gone(x); CREATE VIEW wrong AS SELECT x FROM gone; DROP TABLE gone;
               CREATE OR REPLACE PERFETTO TABLE t AS SELECT x + 10 AS x FROM t WHERE x > 1;
               SELECT x FROM v";
    assert_eq!(number(&mut session, sql), 12);
    let left = "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'new %'";
    assert_eq!(number(&mut session, left), 0);
    let sql = "CREATE PERFETTO TABLE thread_slice AS SELECT id FROM thread_slice LIMIT 3;
               SELECT count(*) FROM thread_slice";
    assert_eq!(number(&mut session, sql), 3);
}

#[test]
fn what_cannot_be_replaced_stays() {
    let mut session = session();
    let sql = "CREATE PERFETTO TABLE t AS SELECT 1 AS x; CREATE PERFETTO VIEW v AS SELECT 2 AS x";
    ask(&mut session, sql).unwrap();
    let params = [("y".to_owned(), Value::Integer(1))];
    for (sql, reason) in [
        (
            format!("CREATE OR REPLACE PERFETTO TABLE t AS {BROKEN}"),
            "integer overflow",
        ),
        (
            "CREATE OR REPLACE PERFETTO VIEW v AS SELECT x FROM v".to_owned(),
            "circularly defined",
        ),
        (
            "CREATE OR REPLACE PERFETTO VIEW v AS SELECT x FROM t WHERE x = $y; SELECT $y"
                .to_owned(),
            "parameters are not allowed in views",
        ),
        (
            "CREATE PERFETTO VIEW thread_slice AS SELECT id FROM thread_slice".to_owned(),
            "circularly defined",
        ),
    ] {
        let mut rows = made::Rows::default();
        let params = if sql.contains('$') { &params[..] } else { &[] };
        let error = session.run("test", &sql, params, &mut rows);
        let error = error.expect_err(&sql).to_string();
        assert!(error.contains(reason), "{sql}: {error}");
    }
    let sum = "SELECT (SELECT x FROM t) + (SELECT x FROM v)";
    assert_eq!(number(&mut session, sum), 3);
    let count = "SELECT count(*) > 0 FROM thread_slice";
    assert_eq!(number(&mut session, count), 1);
}

#[test]
fn a_table_and_a_span_join_do_not_share_a_name() {
    let mut session = session();
    let join = "CREATE VIRTUAL TABLE part USING SPAN_JOIN(a, b)";
    let tables =
        "CREATE TABLE a AS SELECT 0 AS ts, 9 AS dur; CREATE TABLE b AS SELECT 4 AS ts, 9 AS dur";
    ask(&mut session, &format!("{tables}; {join}")).unwrap();
    let known = error(&mut session, "CREATE PERFETTO TABLE Part AS SELECT 1 AS x");
    assert!(known.contains("there is already a table Part"), "{known}");
    let replaced =
        "CREATE OR REPLACE PERFETTO TABLE part AS SELECT dur FROM part; SELECT dur FROM part";
    assert_eq!(number(&mut session, replaced), 5);
    let again = format!("DROP TABLE part; {join}; SELECT dur FROM part");
    assert_eq!(number(&mut session, &again), 5);
    // A table that SQLite creates hides the span join until it is dropped.
    let own = "CREATE TABLE part AS SELECT 7 AS dur; SELECT dur FROM part";
    assert_eq!(number(&mut session, own), 7);
    let dropped = "DROP TABLE part; SELECT dur FROM part";
    assert_eq!(number(&mut session, dropped), 5);
    let gone = error(
        &mut session,
        "DROP PERFETTO TABLE part; SELECT dur FROM part",
    );
    assert!(gone.contains("no such table: part"), "{gone}");
}

#[test]
fn an_index_of_a_table_of_the_trace_is_not_needed() {
    let mut session = session();
    let sql = "CREATE PERFETTO INDEX one ON SLICE(name); CREATE PERFETTO INDEX two ON heap_graph_object(id);
               CREATE PERFETTO INDEX three ON __intrinsic_thread(name)";
    assert!(ask(&mut session, sql).unwrap().rows.is_empty());
    // A table that a script creates hides the table of the trace.
    let sql = "CREATE TABLE slice AS SELECT 1 AS x; CREATE PERFETTO INDEX four ON slice(x);
               SELECT count(*) FROM sqlite_schema WHERE type = 'index'";
    assert_eq!(number(&mut session, sql), 1);
}
