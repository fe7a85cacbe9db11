//! A value of a result as JSON.
//!
//! ```text
//! NULL        null
//! text        "text"
//! 5, 0.5      5, 0.5           numbers that JavaScript shows as they are
//! 2^60, 1.0   {"t": "1.0"}     other numbers, as the program prints them
//! bytes       {"b": 16}        their count
//! ```

use serde_json::{Value, json};
use traceloom_query::ValueRef;

/// The largest integer up to which JavaScript's numbers represent all integers.
const EXACT: i64 = (1 << 53) - 1;

pub(super) fn cell(value: &ValueRef<'_>) -> Value {
    match *value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(value) if value.abs_diff(0) <= EXACT.unsigned_abs() => value.into(),
        ValueRef::Integer(value) => json!({"t": value.to_string()}),
        ValueRef::Real(value) => real(value),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into(),
        ValueRef::Blob(bytes) => json!({"b": bytes.len()}),
    }
}

/// Numbers from 1e-6 up to 1e15 are printed with the same digits by both languages, if they have a fraction.
fn real(value: f64) -> Value {
    let is_plain = (1e-4..1e15).contains(&value.abs()) && value.fract() != 0.0;
    match value {
        _ if is_plain => value.into(),
        f64::INFINITY => json!({"t": "9e999"}),
        f64::NEG_INFINITY => json!({"t": "-9e999"}),
        _ => json!({"t": format!("{value:?}")}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_digits() {
        let shown = |value: ValueRef<'_>| cell(&value).to_string();
        assert_eq!(shown(ValueRef::Integer(EXACT)), "9007199254740991");
        assert_eq!(
            shown(ValueRef::Integer(i64::MIN)),
            r#"{"t":"-9223372036854775808"}"#
        );
        assert_eq!(shown(ValueRef::Real(0.1)), "0.1");
        assert_eq!(shown(ValueRef::Real(3.0)), r#"{"t":"3.0"}"#);
        assert_eq!(shown(ValueRef::Real(f64::INFINITY)), r#"{"t":"9e999"}"#);
        assert_eq!(shown(ValueRef::Real(1e300)), r#"{"t":"1e300"}"#);
        assert_eq!(shown(ValueRef::Null), "null");
        assert_eq!(shown(ValueRef::Text(b"a\xff")), "\"a\u{fffd}\"");
        assert_eq!(shown(ValueRef::Blob(&[0, 1])), r#"{"b":2}"#);
    }
}
