//! The operators and modules for intervals, compared with plain SQL.

mod made;

use made::{Numbers, ask, session};
use traceloom_query::{Session, Value};

/// Intervals that overlap often. Some are points.
fn table(session: &mut Session, numbers: &mut Numbers, name: &str, rows: usize) {
    let row = |id: usize, numbers: &mut Numbers| {
        let key = ["'a'", "'b'", "NULL", "1"][numbers.below(4)];
        let (ts, dur) = (numbers.below(30), numbers.below(4) * numbers.below(4));
        format!("({id}, {ts}, {dur}, {key})")
    };
    let rows: Vec<String> = (0..rows).map(|id| row(id, numbers)).collect();
    let sql = format!(
        "CREATE OR REPLACE PERFETTO TABLE {name} AS
         WITH it(id, ts, dur, key) AS (VALUES {}) SELECT * FROM it",
        rows.join(", ")
    );
    ask(session, &sql).unwrap();
}

fn rows(session: &mut Session, sql: &str) -> Vec<Vec<Value>> {
    ask(session, sql)
        .unwrap_or_else(|error| panic!("{sql}: {error}"))
        .rows
}

/// Whether two intervals overlap: either both are not empty, or one is a point inside the other.
fn overlap(a: &str, b: &str) -> String {
    let inside = |p: &str, of: &str| {
        format!("({of}.ts = {p}.ts OR ({of}.ts < {p}.ts AND {p}.ts < {of}.ts + {of}.dur))")
    };
    format!(
        "CASE WHEN {a}.dur = 0 THEN {} WHEN {b}.dur = 0 THEN {}
         ELSE {a}.ts < {b}.ts + {b}.dur AND {b}.ts < {a}.ts + {a}.dur END",
        inside(a, b),
        inside(b, a)
    )
}

#[test]
fn intersections_are_those_of_a_join() {
    let mut session = session();
    ask(&mut session, "INCLUDE PERFETTO MODULE intervals.intersect").unwrap();
    let mut numbers = Numbers(7);
    for round in 0..40 {
        for name in ["a", "b", "c"] {
            table(&mut session, &mut numbers, name, 1 + round / 2);
        }
        let joined = format!(
            "SELECT max(a.ts, b.ts) AS ts, min(a.ts + a.dur, b.ts + b.dur) - max(a.ts, b.ts) AS dur, \
             a.id AS i, b.id AS j, a.key FROM a JOIN b ON a.key IS b.key AND {}",
            overlap("a", "b")
        );
        let two = "SELECT ts, dur, id_0, id_1, key FROM _interval_intersect!((a, b), (key)) ORDER BY 3, 4";
        let expected = rows(&mut session, &format!("{joined} ORDER BY 3, 4"));
        assert_eq!(rows(&mut session, two), expected);
        let three = "SELECT id_0, id_1, id_2, ts, dur FROM _interval_intersect!((a, b, c), (key)) ORDER BY 1, 2, 3";
        let nested = format!(
            "SELECT i, j, c.id, max(ab.ts, c.ts), min(ab.ts + ab.dur, c.ts + c.dur) - max(ab.ts, c.ts) \
             FROM ({joined}) AS ab JOIN c ON ab.key IS c.key AND {} ORDER BY 1, 2, 3",
            overlap("ab", "c")
        );
        let expected = rows(&mut session, &nested);
        assert_eq!(rows(&mut session, three), expected);
    }
}

#[test]
fn merged_intervals_cover_the_same_points() {
    let mut session = session();
    ask(&mut session, "INCLUDE PERFETTO MODULE intervals.overlap").unwrap();
    let mut numbers = Numbers(11);
    for round in 0..30 {
        table(&mut session, &mut numbers, "a", 1 + round);
        let points = |of: &str| {
            format!(
                "WITH RECURSIVE t(x) AS (SELECT 0 UNION ALL SELECT x + 1 FROM t WHERE x < 60)
                 SELECT DISTINCT x FROM t JOIN {of} ON ts <= x AND x < ts + dur ORDER BY x"
            )
        };
        let merged = rows(&mut session, &points("interval_merge_overlapping!(a, 0)"));
        assert_eq!(merged, rows(&mut session, &points("a")));
        let apart = "SELECT count(*) FROM (SELECT ts - lag(ts + dur) OVER (ORDER BY ts) AS gap
                     FROM interval_merge_overlapping!(a, 0)) WHERE gap <= 0";
        assert_eq!(rows(&mut session, apart), [[Value::Integer(0)]]);
    }
}

#[test]
fn operators_refuse_what_is_not_a_table_of_intervals() {
    let mut session = session();
    ask(&mut session, "INCLUDE PERFETTO MODULE intervals.intersect").unwrap();
    for (sql, reason) in [
        (
            "SELECT * FROM __intrinsic_interval_intersect(x'0309')",
            "is not a table that",
        ),
        (
            "SELECT * FROM __intrinsic_interval_intersect(x'00ff')",
            "is not a table that",
        ),
        (
            "SELECT * FROM __intrinsic_interval_intersect(x'0103ffffffff')",
            "is not a table that",
        ),
        (
            "SELECT * FROM __intrinsic_interval_intersect",
            "needs at least 1 argument",
        ),
        (
            "WITH a AS (SELECT 1 AS id, 5 AS ts, -1 AS dur) SELECT * FROM _interval_intersect!((a, a), ())",
            "id 1 has the negative duration -1",
        ),
        (
            "WITH a AS (SELECT 1 AS id, 'x' AS ts, 1 AS dur) SELECT * FROM _interval_intersect!((a, a), ())",
            "must be integers",
        ),
    ] {
        let error = ask(&mut session, sql).expect_err(sql).to_string();
        assert!(error.contains(reason), "{sql}: {error}");
    }
}

/// As in Perfetto, an interval whose end is unknown is a point.
#[test]
fn a_duration_of_null_is_zero() {
    let mut session = session();
    let sql = "INCLUDE PERFETTO MODULE intervals.intersect;
               CREATE PERFETTO TABLE a AS WITH it(id, ts, dur) AS (VALUES (1, 0, 10), (2, 10, NULL)) SELECT * FROM it;
               CREATE PERFETTO TABLE b AS SELECT 7 AS id, 5 AS ts, 20 AS dur;
               SELECT ts, dur, id_0, id_1 FROM _interval_intersect!((a, b), ()) ORDER BY ts";
    let expected = [[5, 5, 1, 7], [10, 0, 2, 7]].map(|row| row.map(Value::Integer).to_vec());
    assert_eq!(rows(&mut session, sql), expected);
}

#[test]
fn the_innermost_of_intervals_that_begin_or_end_together_counts() {
    let mut session = session();
    // The root 0 has an interval 1, which has an interval 2: id, parent_id, ts, dur.
    let outer = "(0, 0, 10, 1, 0, 2, 6)";
    for (inner, expected) in [
        ((2, 3), vec![[0, 0, 2], [2, 2, 3], [1, 5, 3], [0, 8, 2]]),
        ((4, 4), vec![[0, 0, 2], [1, 2, 2], [2, 4, 4], [0, 8, 2]]),
        ((2, 6), vec![[0, 0, 2], [2, 2, 6], [0, 8, 2]]),
        (
            (3, 2),
            vec![[0, 0, 2], [1, 2, 1], [2, 3, 2], [1, 5, 3], [0, 8, 2]],
        ),
    ] {
        let inner = format!("(0, 0, 10, 2, 1, {}, {})", inner.0, inner.1);
        for values in [format!("{outer}, {inner}"), format!("{inner}, {outer}")] {
            let sql = format!(
                "INCLUDE PERFETTO MODULE intervals.overlap;
                 WITH it(root_id, root_ts, root_dur, id, parent_id, ts, dur) AS (VALUES {values})
                 SELECT id, ts, dur FROM _intervals_flatten!(it) ORDER BY ts"
            );
            let expected = expected.iter().map(|row| row.map(Value::Integer).to_vec());
            let expected: Vec<Vec<Value>> = expected.collect();
            assert_eq!(rows(&mut session, &sql), expected, "{values}");
        }
    }
}

#[test]
fn a_table_tells_whether_its_intervals_overlap() {
    let mut session = session();
    let sql = "INCLUDE PERFETTO MODULE intervals.overlap;
               WITH apart(ts, dur) AS (VALUES (10, 10), (20, 5), (40, -1)), crossed(ts, dur) AS (VALUES (10, 11), (20, 5))
               SELECT (SELECT has_overlaps FROM _intervals_overlap_in_table!(apart)) AS a,
                      (SELECT * FROM _intervals_overlap_in_table!(crossed)) AS b";
    let found = ask(&mut session, sql).unwrap().rows;
    assert_eq!(found, [[0, 1].map(Value::Integer)]);
}
