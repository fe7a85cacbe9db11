//! JSON as text, written by few and small functions: a report carries them, and what a general
//! serializer makes of every type and every `json!` weighs more than the answers themselves.

use std::borrow::Cow;

use traceloom_analyze::frames::{AppReport, BlockedReport, TopReport, WorstFrame};
use traceloom_trace::shortest_digits;

/// What can be written as JSON.
pub trait ToJson {
    /// Writes the value at the end of `out`.
    fn put(&self, out: &mut String);
}

/// A JSON value, written.
#[derive(Clone, Debug)]
pub(crate) struct Value(String);

/// The inside of a JSON object, written so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Map(String);

impl Map {
    pub fn new() -> Self {
        Self::default()
    }

    // Not inlined, and for all types of values the same: it stands once for each key of an answer.
    #[inline(never)]
    pub fn insert(&mut self, key: &str, value: &dyn ToJson) {
        put_comma(&mut self.0, 0);
        put_text(&mut self.0, key);
        self.0.push(':');
        value.put(&mut self.0);
    }

    /// Adds all fields of another object.
    pub fn extend(&mut self, other: &Self) {
        if !other.0.is_empty() {
            put_comma(&mut self.0, 0);
            self.0 += &other.0;
        }
    }

    /// The whole object.
    #[inline(never)]
    pub fn end(&self) -> Value {
        let mut out = String::with_capacity(self.0.len() + 2);
        self.put(&mut out);
        Value(out)
    }
}

/// `json!({"key": value, …})`, `json!([value, …])`, and `json!(fields {…})` for what becomes a
/// part of an object.
macro_rules! json {
    (fields {$($key:literal: $value:expr),* $(,)?}) => {{
        let mut map = $crate::json::Map::new();
        $(map.insert($key, &$value);)*
        map
    }};
    ({$($key:literal: $value:expr),* $(,)?}) => {
        $crate::json::json!(fields {$($key: $value),*}).end()
    };
    ([$($value:expr),* $(,)?]) => {
        $crate::json::list(&[$(&$value as &dyn $crate::json::ToJson),*])
    };
}
pub(crate) use json;

/// A list of values of any types.
pub(crate) fn list(values: &[&dyn ToJson]) -> Value {
    let mut out = String::new();
    put_list(&mut out, &mut values.iter().copied());
    Value(out)
}

/// A comma, where something stands since `start`.
fn put_comma(out: &mut String, start: usize) {
    if out.len() > start {
        out.push(',');
    }
}

#[inline(never)]
fn put_list(out: &mut String, values: &mut dyn Iterator<Item = &dyn ToJson>) {
    out.push('[');
    let start = out.len();
    for value in values {
        put_comma(out, start);
        value.put(out);
    }
    out.push(']');
}

#[inline(never)]
fn put_text(out: &mut String, text: &str) {
    out.push('"');
    let mut rest = text;
    while let Some(at) = rest
        .bytes()
        .position(|b| b < b' ' || b == b'"' || b == b'\\')
    {
        // What is special is ASCII, so that it stands between characters.
        let (plain, special) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.push_str(plain);
        let mut chars = special.chars();
        put_special(out, chars.next().unwrap_or_default());
        rest = chars.as_str();
    }
    out.push_str(rest);
    out.push('"');
}

fn put_special(out: &mut String, special: char) {
    let hex = |digit: u32| char::from_digit(digit, 16).unwrap_or_default();
    out.push('\\');
    match special {
        '\n' => out.push('n'),
        '\t' => out.push('t'),
        '\r' => out.push('r'),
        '"' | '\\' => out.push(special),
        _ => {
            out.push_str("u00");
            out.push(hex(special as u32 >> 4));
            out.push(hex(special as u32 & 15));
        }
    }
}

#[inline(never)]
fn put_number(out: &mut String, number: i128) {
    let start = out.len();
    let mut rest = number.unsigned_abs() as u64;
    loop {
        out.insert(start, char::from(b'0' + (rest % 10) as u8));
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if number < 0 {
        out.insert(start, '-');
    }
}

/// Floats up to here are whole numbers and are written as such.
const EXACT: f64 = (1u64 << 53) as f64;

impl ToJson for f64 {
    fn put(&self, out: &mut String) {
        if self.trunc() == *self && self.abs() < EXACT {
            if *self == 0.0 && self.is_sign_negative() {
                out.push('-');
            }
            put_number(out, *self as i128);
            out.push_str(".0");
        } else if self.is_finite() {
            *out += &shortest_digits(*self);
        } else {
            out.push_str("null");
        }
    }
}

macro_rules! integers {
    ($($type:ty)*) => {$(
        impl ToJson for $type {
            fn put(&self, out: &mut String) {
                put_number(out, *self as i128);
            }
        }
    )*};
}

integers!(u8 i32 u32 i64 u64 usize);

impl ToJson for bool {
    fn put(&self, out: &mut String) {
        out.push_str(if *self { "true" } else { "false" });
    }
}

impl ToJson for str {
    fn put(&self, out: &mut String) {
        put_text(out, self);
    }
}

impl ToJson for String {
    fn put(&self, out: &mut String) {
        put_text(out, self);
    }
}

impl ToJson for Cow<'_, str> {
    fn put(&self, out: &mut String) {
        put_text(out, self);
    }
}

impl ToJson for Value {
    fn put(&self, out: &mut String) {
        out.push_str(&self.0);
    }
}

impl ToJson for Map {
    fn put(&self, out: &mut String) {
        out.push('{');
        out.push_str(&self.0);
        out.push('}');
    }
}

impl<T: ToJson + ?Sized> ToJson for &T {
    fn put(&self, out: &mut String) {
        (**self).put(out);
    }
}

impl<T: ToJson> ToJson for Option<T> {
    fn put(&self, out: &mut String) {
        match self {
            Some(value) => value.put(out),
            None => out.push_str("null"),
        }
    }
}

impl<T: ToJson> ToJson for Vec<T> {
    fn put(&self, out: &mut String) {
        put_list(out, &mut self.iter().map(|value| value as &dyn ToJson));
    }
}

macro_rules! structs {
    ($($type:ident: $($field:ident)*;)*) => {$(
        impl ToJson for $type {
            fn put(&self, out: &mut String) {
                let mut map = Map::new();
                $(map.insert(stringify!($field), &self.$field);)*
                map.put(out);
            }
        }
    )*};
}

structs! {
    AppReport: upid utid pid tid label kind frames janky missed p50_ns p90_ns p99_ns worst_ns
        unfinished;
    WorstFrame: upid utid label ts dur late_start_ns ui_ns missed slice render_slice running_ns
        runnable_ns blocked_ns io_ns other_ns blocked_on top;
    BlockedReport: label function waker waker_utid io ns;
    TopReport: label ns slice;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: &dyn ToJson) -> String {
        let mut out = String::new();
        value.put(&mut out);
        out
    }

    #[test]
    fn texts_are_those_of_another_writer() {
        let hostile = "a\"b\\c\u{0}\u{1f}\u{7f}\n\r\t</script>\u{2028}äöü😀";
        let back: String = serde_json::from_str(&text(&hostile)).unwrap();
        assert_eq!(back, hostile);
    }

    #[test]
    fn numbers_are_those_of_another_writer() {
        let floats = [
            0.0,
            -0.0,
            1.5,
            -2.0,
            1e300,
            5e-324,
            0.1 + 0.2,
            9007199254740993.0,
            f64::MIN,
        ];
        for float in floats {
            let back: f64 = serde_json::from_str::<serde_json::Value>(&text(&float))
                .unwrap()
                .to_string()
                .parse()
                .unwrap();
            assert_eq!(
                text(&float).parse::<f64>().unwrap().to_bits(),
                float.to_bits()
            );
            assert!((back - float).abs() <= float.abs() * 1e-15, "{float}");
        }
        for number in [i64::MIN, -1, 0, 7, 10, i64::MAX] {
            assert_eq!(text(&number), number.to_string());
        }
        assert_eq!(text(&u64::MAX), u64::MAX.to_string());
        assert_eq!(text(&f64::NAN), "null");
    }

    #[test]
    fn objects_and_lists() {
        let mut map = json!(fields {"a": 1u32, "b": [1i64].to_vec()});
        map.extend(&Map::new());
        map.extend(&json!(fields {"c": json!([Some("x"), None::<u32>, Map::new()])}));
        assert_eq!(text(&map), r#"{"a":1,"b":[1],"c":["x",null,{}]}"#);
    }
}
