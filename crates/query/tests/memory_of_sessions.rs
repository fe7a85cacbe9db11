//! The memory limits of several sessions. They apply to the whole process, so these tests have their own program and
//! run one after the other.

mod made;

use std::sync::{Mutex, PoisonError};

use made::{ask, trace};
use traceloom_query::{Limits, QueryError, Session, Value};

static ONE_BY_ONE: Mutex<()> = Mutex::new(());

fn open(bytes: u64) -> Result<Session, QueryError> {
    let memory = Some(bytes);
    let limits = Limits {
        memory,
        ..Limits::default()
    };
    Session::open(trace(), limits)
}

/// A query that needs about 100 MB.
const HUNGRY: &str = "CREATE TABLE t AS
    WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 1000000)
    SELECT x, printf('%080d', x) AS text FROM n;
    SELECT count(*) FROM t";

#[test]
fn a_later_session_can_have_more_memory() {
    let _one = ONE_BY_ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut small = open(20_000_000).unwrap();
    let error = ask(&mut small, HUNGRY).expect_err("the table is too long");
    let is_limit = matches!(error, QueryError::Memory { limit: 20_000_000 });
    assert!(is_limit, "{error}");
    drop(small);
    let mut large = open(1 << 30).unwrap();
    let rows = ask(&mut large, HUNGRY).unwrap().rows;
    assert_eq!(rows, [[Value::Integer(1_000_000)]]);
}

#[test]
fn no_memory_is_a_limit_too() {
    let _one = ONE_BY_ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let error = open(0).map(drop).expect_err("there is no memory");
    assert!(matches!(error, QueryError::Memory { limit: 0 }), "{error}");
    let mut session = open(1 << 30).unwrap();
    let rows = ask(&mut session, "SELECT 5").unwrap().rows;
    assert_eq!(rows, [[Value::Integer(5)]]);
}

#[test]
fn results_that_are_kept_or_dropped_are_within_the_limit() {
    let _one = ONE_BY_ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let many = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 1000000)
                SELECT x, printf('%080d', x) FROM n";
    let mut session = open(50_000_000).unwrap();
    // The last statement has a result, so no earlier result is kept.
    let rows = ask(&mut session, &format!("{many}; SELECT 5"))
        .unwrap()
        .rows;
    assert_eq!(rows, [[Value::Integer(5)]]);
    let kept = ask(&mut session, &format!("{many}; CREATE TABLE t(x)"));
    let error = kept.map(drop).expect_err("the result is too long");
    let is_limit = matches!(error, QueryError::Memory { limit: 50_000_000 });
    assert!(is_limit, "{error}");
    let kept = "SELECT 6; CREATE TABLE t(x); SELECT 7; CREATE TABLE u(x); CREATE TABLE v(x)";
    let rows = ask(&mut session, kept).unwrap().rows;
    assert_eq!(rows, [[Value::Integer(7)]]);
}
