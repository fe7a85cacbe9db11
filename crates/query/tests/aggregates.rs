//! Percentiles, the last value of a time, and numbers in texts.

mod made;

use made::{Numbers, ask, session};
use traceloom_query::Value;

fn value(sql: &str) -> Value {
    let rows = ask(&mut session(), sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    rows.rows[0][0].clone()
}

#[test]
fn percentiles_lie_between_the_values() {
    // The examples of https://sqlite.org/percentile.html, and those of its tests.
    let of = "(VALUES (1), (4), (6), (7), (8), (9), (11), (11), (11), (NULL))";
    for (call, expected) in [
        ("median(column1)", 8.0),
        ("percentile(column1, 0)", 1.0),
        ("percentile(column1, 100)", 11.0),
        ("percentile(column1, 12.5)", 4.0),
        ("percentile(column1, 15)", 4.4),
        ("percentile_cont(column1, 0.15)", 4.4),
        ("percentile_disc(column1, 0.15)", 4.0),
    ] {
        let Value::Real(found) = value(&format!("SELECT {call} FROM {of}")) else {
            panic!("{call}");
        };
        assert!((found - expected).abs() < 1e-9, "{call}: {found}");
    }
    assert_eq!(value("SELECT median(1) WHERE 0"), Value::Null);
    assert_eq!(value("SELECT median(NULL)"), Value::Null);
    for (call, reason) in [
        ("percentile(column1, 101)", "from 0 to 100"),
        ("percentile_cont(column1, 2)", "from 0 to 1"),
        ("percentile(column1, 'a')", "from 0 to 100"),
        ("percentile(column1, column1)", "the same percentage"),
        ("median('a')", "takes numbers"),
        ("median(9e999)", "takes numbers"),
    ] {
        let sql = format!("SELECT {call} FROM {of}");
        let error = ask(&mut session(), &sql).expect_err(&sql).to_string();
        assert!(error.contains(reason), "{sql}: {error}");
    }
}

#[test]
fn half_of_the_values_are_below_the_median() {
    let mut numbers = Numbers(99);
    for count in 1..30 {
        let mut values: Vec<usize> = (0..count).map(|_| numbers.below(100)).collect();
        let rows: Vec<String> = values.iter().map(|value| format!("({value})")).collect();
        values.sort_unstable();
        let middle = (values[(count - 1) / 2] + values[count / 2]) as f64 / 2.0;
        let sql = format!("SELECT median(column1) FROM (VALUES {})", rows.join(", "));
        assert_eq!(value(&sql), Value::Real(middle));
    }
}

#[test]
fn the_value_of_the_last_time() {
    let of = "(VALUES (3, 'c'), (9, 'x'), (9, 'y'), (4, 'd'))";
    let sql = format!("SELECT value_at_max_ts(column1, column2) FROM {of}");
    assert_eq!(value(&sql), Value::Text("y".to_owned()));
    assert_eq!(value("SELECT value_at_max_ts(1, 2) WHERE 0"), Value::Null);
    let sql = "SELECT value_at_max_ts('a', 2)";
    assert!(ask(&mut session(), sql).is_err());
}

#[test]
fn hexadecimal_numbers_are_left_out() {
    // The cases of Perfetto's own test.
    for (text, least, expected) in [
        ("0x1234", 3, "0x<num>"),
        ("0xabcd", 3, "0x<num>"),
        ("12a34", 3, "<num>"),
        ("Hello 123", 3, "Hello <num>"),
        ("abc", 1, "abc"),
        (
            "#1 ImageDecoder#decodeDrawable",
            1,
            "#<num> ImageDecoder#decodeDrawable",
        ),
        ("1=22@333-444", 3, "1=22@<num>-<num>"),
        ("aaaaaa", 1, "aaaaaa"),
        (
            "=0x1234 InputConsumer on 0x1234 Controller (0x75dfea9cc0)",
            3,
            "=0x<num> InputConsumer on 0x<num> Controller (0x<num>)",
        ),
        (
            "connector: metadata20 response_metadata 100x100",
            2,
            "connector: metadata<num> response_metadata <num>x<num>",
        ),
        ("drüben 12ü", 1, "drüben <num>ü"),
        ("", 0, ""),
    ] {
        let sql = format!("SELECT __intrinsic_strip_hex('{text}', {least})");
        assert_eq!(value(&sql), Value::Text(expected.to_owned()), "{text}");
    }
}
