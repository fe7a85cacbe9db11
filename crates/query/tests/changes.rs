//! Tables of a session's own: a statement that fails changes nothing.

mod made;

use made::{ask, session};
use traceloom_query::{Session, Value};

/// Rows of which the last ones cannot be computed.
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
