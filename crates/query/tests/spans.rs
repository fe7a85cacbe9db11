//! Span joins, compared with plain SQL for each point in time.

mod made;

use made::{Numbers, ask, session};
use traceloom_query::{Session, Value};

/// A table of intervals that do not overlap within their partition.
fn table(session: &mut Session, numbers: &mut Numbers, name: &str, column: &str) {
    let mut rows = Vec::new();
    for key in 0..4 {
        let mut ts = 0;
        for id in 0..numbers.below(5) {
            ts += numbers.below(4);
            let dur = 1 + numbers.below(5);
            rows.push(format!("({ts}, {dur}, {key}, {})", key * 10 + id));
            ts += dur;
        }
    }
    rows.push("(3, 4, NULL, 99)".to_owned());
    let sql = format!(
        "DROP TABLE IF EXISTS {name};
         CREATE TABLE {name} AS WITH it(ts, dur, key, {column}) AS (VALUES {}) SELECT * FROM it",
        rows.join(", ")
    );
    ask(session, &sql).unwrap();
}

fn rows(session: &mut Session, sql: &str) -> Vec<Vec<Value>> {
    ask(session, sql)
        .unwrap_or_else(|error| panic!("{sql}: {error}"))
        .rows
}

#[test]
fn each_point_has_the_rows_of_a_plain_join() {
    let mut session = session();
    let mut numbers = Numbers(3);
    let kinds = [
        ("SPAN_JOIN", "a IS NOT NULL AND b IS NOT NULL"),
        ("SPAN_LEFT_JOIN", "a IS NOT NULL"),
        ("SPAN_OUTER_JOIN", "a IS NOT NULL OR b IS NOT NULL"),
    ];
    for _ in 0..25 {
        table(&mut session, &mut numbers, "l", "a");
        table(&mut session, &mut numbers, "r", "b");
        for (kind, kept) in kinds {
            let sql = format!(
                "DROP TABLE IF EXISTS both;
                 CREATE VIRTUAL TABLE both USING {kind}(l PARTITIONED key, r PARTITIONED key)"
            );
            ask(&mut session, &sql).unwrap();
            let time = "WITH RECURSIVE time(x) AS (SELECT 0 UNION ALL SELECT x + 1 FROM time WHERE x < 60)";
            let joined = format!(
                "{time} SELECT x, key, a, b FROM time JOIN both ON ts <= x AND x < ts + dur ORDER BY 1, 2"
            );
            let plain = format!(
                "{time}, keys(key) AS (VALUES (0), (1), (2), (3))
                 SELECT x, key, a, b FROM (
                   SELECT x, keys.key, l.a, r.b FROM time JOIN keys
                   LEFT JOIN l ON l.key = keys.key AND l.ts <= x AND x < l.ts + l.dur
                   LEFT JOIN r ON r.key = keys.key AND r.ts <= x AND x < r.ts + r.dur
                 ) WHERE {kept} ORDER BY 1, 2"
            );
            assert_eq!(
                rows(&mut session, &joined),
                rows(&mut session, &plain),
                "{kind}"
            );
            // No row could be longer.
            let split = "SELECT count(*) FROM both AS x JOIN both AS y
                         ON y.key = x.key AND y.ts = x.ts + x.dur AND y.a IS x.a AND y.b IS x.b";
            assert_eq!(rows(&mut session, split), [[Value::Integer(0)]], "{kind}");
        }
    }
}

#[test]
fn a_table_without_partitions_is_joined_with_each() {
    let mut session = session();
    let sql = "CREATE TABLE l AS WITH it(ts, dur, a) AS (VALUES (0, 10, 'x'), (20, -1, 'y')) SELECT * FROM it;
               CREATE TABLE r AS WITH it(ts, dur, key, b) AS (VALUES (5, 10, 1, 'p'), (8, 1, 2, 'q'), (15, 10, 1, 's'))
               SELECT * FROM it;
               CREATE VIRTUAL TABLE s USING SPAN_JOIN(l, r PARTITIONED key);
               SELECT group_concat(concat_ws(' ', ts, dur, key, a, b), ', ') FROM s";
    let expected = "5 5 1 x p, 20 -1 1 y s, 8 1 2 x q";
    assert_eq!(
        rows(&mut session, sql),
        [[Value::Text(expected.to_owned())]]
    );
}

/// As in Perfetto, an interval whose end is unknown is a point. `lead(ts) - ts` has such an end in the last row.
#[test]
fn a_duration_of_null_is_zero() {
    for (kind, expected) in [
        ("SPAN_JOIN", "5 5 x p, 10 0 y p"),
        ("SPAN_LEFT_JOIN", "0 5 x, 5 5 x p, 10 0 y p"),
        ("SPAN_OUTER_JOIN", "0 5 x, 5 5 x p, 10 0 y p, 10 15 p"),
    ] {
        let sql = format!(
            "CREATE TABLE l AS WITH it(ts, a) AS (VALUES (0, 'x'), (10, 'y'))
             SELECT ts, lead(ts) OVER (ORDER BY ts) - ts AS dur, a FROM it;
             CREATE TABLE r AS SELECT 5 AS ts, 20 AS dur, 'p' AS b;
             CREATE VIRTUAL TABLE s USING {kind}(l, r);
             SELECT group_concat(concat_ws(' ', ts, dur, a, b), ', ') FROM s
             WHERE ts >= 0 AND ts + dur < 100"
        );
        let expected = Value::Text(expected.to_owned());
        assert_eq!(rows(&mut session(), &sql), [[expected]], "{kind}");
    }
}

#[test]
fn tables_that_do_not_fit_are_refused() {
    let tables = "CREATE TABLE a AS SELECT 1 AS ts, 2 AS dur, 3 AS k, 4 AS x;
                  CREATE TABLE b AS SELECT 1 AS ts, 2 AS dur, 3 AS j, 4 AS x;
                  CREATE TABLE c AS SELECT 1 AS ts, 3 AS z;
                  CREATE TABLE d AS SELECT 1 AS t;";
    for (tables_of_it, reason) in [
        ("a, b", "both tables have the column x"),
        (
            "a PARTITIONED k, b PARTITIONED j",
            "different partitions: k and j",
        ),
        ("a PARTITIONED j, c", "the table a has no column j"),
        ("a PARTITIONED ts, c", "ts cannot be the partition"),
        ("a, d", "the table d has no column ts"),
        ("c, c", "neither table has a column dur"),
        ("a, missing", "no such table: missing"),
        ("a", "exactly two tables"),
    ] {
        let sql = format!("{tables} CREATE VIRTUAL TABLE s USING SPAN_JOIN({tables_of_it})");
        let error = ask(&mut session(), &sql).expect_err(&sql).to_string();
        assert!(error.contains(reason), "{tables_of_it}: {error}");
    }
}

#[test]
fn a_window_is_cut_into_steps() {
    let mut session = session();
    let mut window = |numbers: &str, name: &str| {
        let sql = format!(
            "CREATE VIRTUAL TABLE {name} USING __intrinsic_window({numbers}); SELECT ts, dur, quantum_ts FROM {name}"
        );
        ask(&mut session, &sql).map(|answer| answer.rows)
    };
    let row = |row: [i64; 3]| row.map(Value::Integer).to_vec();
    let steps = [[-5, 10, 0], [5, 10, 1], [15, 10, 2]].map(row);
    assert_eq!(window("-5, 25, 10", "steps").unwrap(), steps);
    assert_eq!(window("3, 4, 0", "whole").unwrap(), [row([3, 4, 0])]);
    assert!(window("3, 0, 0", "none").unwrap().is_empty());
    for numbers in ["1, 2", "1, 2, x", "1, 2, -1"] {
        assert!(window(numbers, "wrong").is_err(), "{numbers}");
    }
    let sql = "CREATE TABLE spans AS SELECT 0 AS ts, 12 AS dur, 'a' AS name;
               CREATE VIRTUAL TABLE cut USING span_join(spans, steps);
               SELECT quantum_ts, sum(dur) FROM cut GROUP BY 1; DROP TABLE steps";
    let found = ask(&mut session, sql).unwrap().rows;
    assert_eq!(
        found,
        [[0, 5], [1, 7]].map(|row| row.map(Value::Integer).to_vec())
    );
    assert!(ask(&mut session, "SELECT * FROM steps").is_err());
}
