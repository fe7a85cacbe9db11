//! Functions, macros, tables and views that scripts define.

mod made;

use made::{ask, session};
use traceloom_query::{Limits, Session, Value};
use traceloom_trace::{SliceBegin, StringId, TraceBuilder};

/// The numbers of a result with one column.
fn numbers(sql: &str) -> Vec<i64> {
    let rows = ask(&mut session(), sql).unwrap().rows;
    let number = |row: &Vec<Value>| match row[0] {
        Value::Integer(number) => number,
        ref other => panic!("{other:?} is no number"),
    };
    rows.iter().map(number).collect()
}

#[test]
fn a_function_returns_a_value() {
    let sql = "CREATE PERFETTO FUNCTION twice(x LONG) RETURNS LONG AS SELECT $x * 2;
               SELECT twice(twice(id)) FROM slice WHERE id < 3";
    assert_eq!(numbers(sql), [0, 4, 8]);
}

#[test]
fn a_function_returns_a_table() {
    let define =
        "CREATE PERFETTO FUNCTION upto(n LONG, step LONG) RETURNS TABLE(value LONG, n LONG) AS
        WITH RECURSIVE r(x) AS (SELECT 0 UNION ALL SELECT x + $step FROM r WHERE x + $step <= $n)
        SELECT x AS value, $n AS n FROM r;";
    let listed = format!("{define} SELECT value FROM upto(6, 2)");
    assert_eq!(numbers(&listed), [0, 2, 4, 6]);
    let joined = format!(
        "{define} SELECT sum(value) FROM cpu, upto(cpu.id, 1) WHERE cpu.id < 3 GROUP BY cpu.id"
    );
    assert_eq!(numbers(&joined), [0, 1, 3]);
    let within = format!(
        "{define} CREATE PERFETTO FUNCTION pairs(k LONG) RETURNS TABLE(v LONG) AS
         SELECT a.value * 10 + b.value AS v FROM upto($k, 1) a, upto($k, 1) b;
         SELECT v FROM pairs(1) ORDER BY v"
    );
    assert_eq!(numbers(&within), [0, 1, 10, 11]);
}

#[test]
fn wrong_calls_are_errors() {
    let define =
        "CREATE PERFETTO FUNCTION f(n LONG) RETURNS TABLE(value LONG) AS SELECT $n AS value;";
    for (sql, reason) in [
        ("SELECT * FROM f", "f needs 1 arguments"),
        ("SELECT * FROM f(1, 2)", "too many arguments on f()"),
        (
            "CREATE PERFETTO FUNCTION g() RETURNS TABLE(a LONG) AS SELECT 1 AS b",
            "the columns (a) are declared, but",
        ),
        (
            "DROP PERFETTO FUNCTION f; SELECT * FROM f(1)",
            "no such table: f",
        ),
        (
            "CREATE OR REPLACE PERFETTO FUNCTION f(n LONG) RETURNS TABLE(value LONG) AS \
             SELECT value FROM f($n); SELECT * FROM f(1)",
            "too deeply",
        ),
    ] {
        let error = ask(&mut session(), &format!("{define} {sql}"))
            .expect_err(sql)
            .to_string();
        assert!(error.contains(reason), "{sql}: {error}");
    }
}

#[test]
fn tables_views_and_macros_are_found_by_later_statements() {
    let sql = "CREATE PERFETTO MACRO plus(a Expr, b Expr) RETURNS Expr AS ($a + $b);
               CREATE PERFETTO TABLE own(x LONG) AS SELECT plus!(1, 2) AS x;
               CREATE PERFETTO INDEX i ON own(x);
               CREATE PERFETTO VIEW seen AS SELECT plus!(x, 1) AS y FROM own;
               CREATE OR REPLACE PERFETTO TABLE own AS SELECT 5 AS x;
               SELECT y FROM seen";
    assert_eq!(numbers(sql), [6]);
}

#[test]
fn older_calls_define_functions_too() {
    let sql = "SELECT create_function('twice(x INT)', 'INT', 'SELECT $x * 2');
               SELECT create_view_function('near(x INT)', 'low INT, high INT', 'SELECT $x - 1 AS low, $x + 1 AS high');
               SELECT experimental_memoize('twice');
               SELECT twice(low) + high FROM near(10)";
    assert_eq!(numbers(sql), [29]);
    for sql in [
        "SELECT create_function('f(', 'INT', 'SELECT 1')",
        "SELECT create_function('f()', 'NO_TYPE', 'SELECT 1')",
        "SELECT create_view_function('f()', 'a', 'SELECT 1 AS a')",
    ] {
        assert!(ask(&mut session(), sql).is_err(), "{sql}");
    }
}

#[test]
fn absent_texts_are_null_and_empty_ones_are_not() {
    let mut out = TraceBuilder::new();
    let utid = out.thread(7);
    let track = out.thread_track(utid);
    let empty = out.intern(b"");
    for name in [StringId::NULL, empty] {
        out.whole_slice(track, SliceBegin::named(5, name), 1);
    }
    let mut session = Session::open(out.finish(), Limits::default()).unwrap();
    let sql =
        "SELECT id FROM slice WHERE name IS NULL UNION ALL SELECT id FROM slice WHERE name = ''
               UNION ALL SELECT count(*) FROM slice WHERE category IS NULL
               UNION ALL SELECT count(*) FROM source WHERE name IS NULL AND format IS NULL";
    let rows = ask(&mut session, sql).unwrap().rows;
    let found: Vec<&Value> = rows.iter().flatten().collect();
    assert_eq!(
        found,
        [0, 1, 2, 1].map(Value::Integer).iter().collect::<Vec<_>>()
    );
}
