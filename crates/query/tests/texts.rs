//! Functions of texts, times and windows.

mod made;

use made::{ask, session};
use traceloom_query::{Limits, Session, Value};
use traceloom_trace::{ClockKind, ClockRow, RowId, SourceId, TraceBuilder};

/// The values of one row, as SQLite writes them.
fn texts(sql: &str) -> Vec<String> {
    let rows = ask(&mut session(), sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    rows.rows.iter().flatten().map(text).collect()
}

fn text(value: &Value) -> String {
    match value {
        Value::Null => "NULL".to_owned(),
        Value::Integer(value) => value.to_string(),
        Value::Text(text) => text.clone(),
        other => format!("{other:?}"),
    }
}

#[test]
fn regular_expressions_match_parts() {
    let sql = "SELECT 'Draw 5' REGEXP '[0-9]$', 'Draw' REGEXP '^d', regexp('^d', 'Draw', 'i'), regexp('a', NULL),
                 regexp_extract('frame 12 of 60', '[0-9]+'), regexp_extract('frame 12 of 60', 'of ([0-9]+)'),
                 regexp_extract('none', '[0-9]'), regexp_replace_simple('a1b22', '[0-9]+', '$0')";
    let expected = ["1", "0", "1", "NULL", "12", "60", "NULL", "a$0b$0"];
    assert_eq!(texts(sql), expected);
    // The pattern differs from row to row.
    let sql = "SELECT 'abc' REGEXP column1 FROM (VALUES ('b'), ('x'), ('^a'))";
    assert_eq!(texts(sql), ["1", "0", "1"]);
}

#[test]
fn hostile_patterns_end() {
    for pattern in ["(a*)*$", "((a{1,9}){1,9}){1,5}b", "(x+x+)+y"] {
        let sql = format!("SELECT printf('%.*c', 100000, 'x') || 'z' REGEXP '{pattern}'");
        assert_eq!(texts(&sql).len(), 1, "{pattern}");
    }
    for (pattern, reason) in [
        ("(", "is wrong"),
        ("((a{1000}){1000}){1000}", "is too large"),
    ] {
        let sql = format!("SELECT 'a' REGEXP '{pattern}'");
        let error = ask(&mut session(), &sql).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
}

#[test]
fn texts_are_split_turned_and_encoded() {
    let sql = "SELECT str_split('a:b:c', ':', 1), str_split('a', ':', 1), str_split(NULL, ':', 0), reverse('drüb'),
                 unhex('0xff'), unhex('-10'), base64_encode(x'00ff10'), hex(base64_decode('AP8Q'))";
    let expected = ["b", "NULL", "NULL", "bürd", "255", "-16", "AP8Q", "00FF10"];
    assert_eq!(texts(sql), expected);
    for sql in [
        "SELECT str_split('a', '', 0)",
        "SELECT str_split('a', ':', -1)",
        "SELECT reverse(5)",
        "SELECT unhex('xyz')",
        "SELECT base64_decode('?')",
        "SELECT hash(1.5)",
    ] {
        assert!(ask(&mut session(), sql).is_err(), "{sql}");
    }
}

#[test]
fn hashes_are_fnv_1a() {
    // From the published test vectors: "", "a", "foobar".
    let sql =
        "SELECT printf('%x', hash()), printf('%x', hash('a')), printf('%x', hash('foo', 'bar'))";
    let expected = ["cbf29ce484222325", "af63dc4c8601ec8c", "85944171f73967e8"];
    assert_eq!(texts(sql), expected);
}

#[test]
fn times_of_other_clocks_are_known_from_readings() {
    let mut out = TraceBuilder::new();
    // 2024-02-29 12:00:00 UTC.
    out.clock(ClockRow {
        source: SourceId::NONE,
        clock: ClockKind::Realtime,
        ts: 1_000,
        value_ns: 1_709_208_000_000_000_000,
        precision_ns: 0,
        name: String::new(),
    });
    let mut session = Session::open(out.finish(), Limits::default()).unwrap();
    let sql =
        "SELECT abs_time_str(1500), to_realtime(500), to_monotonic(500), to_timecode(61000002003)";
    let rows = ask(&mut session, sql).unwrap().rows;
    let found: Vec<String> = rows.iter().flatten().map(text).collect();
    let expected = [
        "2024-02-29T12:00:00.000000500",
        "1709207999999999500",
        "NULL",
        "00:01:01 000 002 003",
    ];
    assert_eq!(found, expected);
}

#[test]
fn clocks_that_were_read_together_are_one_snapshot() {
    let mut out = TraceBuilder::new();
    out.begin_source("app.pftrace", "perfetto");
    for (ts, clock, value_ns) in [
        (1_000, ClockKind::Realtime, 90_000),
        (1_000, ClockKind::Monotonic, 400),
        (2_000, ClockKind::Realtime, 91_000),
    ] {
        out.clock(ClockRow {
            source: SourceId::NONE,
            clock,
            ts,
            value_ns,
            precision_ns: 0,
            name: String::new(),
        });
    }
    let mut session = Session::open(out.finish(), Limits::default()).unwrap();
    let sql = "SELECT snapshot_id, clock_id, clock_name, ts, clock_value FROM clock_snapshot";
    let rows = ask(&mut session, sql).unwrap().rows;
    let found: Vec<String> = rows
        .iter()
        .map(|row| row.iter().map(text).collect::<Vec<_>>().join(" "))
        .collect();
    let expected = [
        "0 6 BOOTTIME 1000 1000",
        "0 1 REALTIME 1000 90000",
        "0 3 MONOTONIC 1000 400",
        "1 6 BOOTTIME 2000 2000",
        "1 1 REALTIME 2000 91000",
    ];
    assert_eq!(found, expected);
}

#[test]
fn the_last_value_of_a_window_that_is_not_null() {
    let with = "WITH t(id, v) AS (VALUES (1, NULL), (2, 'a'), (3, NULL), (4, NULL), (5, 'b'))";
    let sql = format!("{with} SELECT last_non_null(v) OVER (ORDER BY id) FROM t");
    assert_eq!(texts(&sql), ["NULL", "a", "a", "a", "b"]);
    let frame = "ROWS BETWEEN 1 PRECEDING AND CURRENT ROW";
    let sql = format!("{with} SELECT last_non_null(v) OVER (ORDER BY id {frame}) FROM t");
    assert_eq!(texts(&sql), ["NULL", "a", "a", "NULL", "b"]);
}

#[test]
fn slices_that_overlap_are_drawn_below_each_other() {
    let window = "(ORDER BY ts ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)";
    let with = "WITH t(ts, dur) AS (VALUES (0, 10), (2, 3), (4, 0), (5, 1), (6, -1), (20, 5))";
    let sql = format!("{with} SELECT internal_layout(ts, dur) OVER {window} FROM t");
    assert_eq!(texts(&sql), ["0", "1", "2", "1", "1", "0"]);
    for over in [
        "(ORDER BY -ts ROWS UNBOUNDED PRECEDING)",
        "(ORDER BY ts ROWS 1 PRECEDING)",
    ] {
        let sql = format!("{with} SELECT internal_layout(ts, dur) OVER {over} FROM t");
        let error = ask(&mut session(), &sql).expect_err(&sql).to_string();
        assert!(error.contains("the window must be"), "{error}");
    }
}
