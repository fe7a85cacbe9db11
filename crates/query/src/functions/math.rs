//! SQLite's mathematics (<https://sqlite.org/lang_mathfunc.html>), which the bundled build leaves out.

use rusqlite::Connection;
use rusqlite::functions::Context;
use rusqlite::types::{Value, ValueRef};

use super::flags::PURE;

type Unary = (&'static str, fn(f64) -> f64);
type Binary = (&'static str, fn(f64, f64) -> f64);

const UNARY: &[Unary] = &[
    ("acos", f64::acos),
    ("acosh", f64::acosh),
    ("asin", f64::asin),
    ("asinh", f64::asinh),
    ("atan", f64::atan),
    ("atanh", f64::atanh),
    ("cos", f64::cos),
    ("cosh", f64::cosh),
    ("degrees", f64::to_degrees),
    ("exp", f64::exp),
    ("ln", ln),
    ("log", log10),
    ("log10", log10),
    ("log2", log2),
    ("radians", f64::to_radians),
    ("sin", f64::sin),
    ("sinh", f64::sinh),
    ("sqrt", f64::sqrt),
    ("tan", f64::tan),
    ("tanh", f64::tanh),
];

/// Functions that leave whole numbers unchanged.
const ROUNDING: &[Unary] = &[
    ("ceil", f64::ceil),
    ("ceiling", f64::ceil),
    ("floor", f64::floor),
    ("trunc", f64::trunc),
];

const BINARY: &[Binary] = &[
    ("atan2", f64::atan2),
    ("log", log),
    ("mod", |x, y| x % y),
    ("pow", f64::powf),
    ("power", f64::powf),
];

/// If a number has no logarithm, the result is NaN, which SQLite turns into NULL.
fn ln(x: f64) -> f64 {
    if x > 0.0 { x.ln() } else { f64::NAN }
}

/// The base must be above 1, as in SQLite.
fn log(base: f64, x: f64) -> f64 {
    if base > 1.0 {
        ln(x) / ln(base)
    } else {
        f64::NAN
    }
}

fn log10(x: f64) -> f64 {
    if x > 0.0 { x.log10() } else { f64::NAN }
}

fn log2(x: f64) -> f64 {
    if x > 0.0 { x.log2() } else { f64::NAN }
}

pub(super) fn register(connection: &Connection) -> rusqlite::Result<()> {
    for &(name, function) in UNARY {
        connection.create_scalar_function(name, 1, PURE, move |context| {
            Ok(number(context, 0).map(function))
        })?;
    }
    for &(name, function) in ROUNDING {
        connection
            .create_scalar_function(name, 1, PURE, move |context| Ok(rounded(context, function)))?;
    }
    for &(name, function) in BINARY {
        connection.create_scalar_function(name, 2, PURE, move |context| {
            let (x, y) = (number(context, 0), number(context, 1));
            Ok(x.zip(y).map(|(x, y)| function(x, y)))
        })?;
    }
    connection.create_scalar_function("pi", 0, PURE, |_| Ok(std::f64::consts::PI))
}

fn rounded(context: &Context<'_>, function: fn(f64) -> f64) -> Value {
    match numeric(context.get_raw(0)) {
        Value::Real(x) => Value::Real(function(x)),
        whole => whole,
    }
}

/// An argument; `None` for NULL and for a value that is not a number.
fn number(context: &Context<'_>, at: usize) -> Option<f64> {
    match numeric(context.get_raw(at)) {
        Value::Integer(value) => Some(value as f64),
        Value::Real(value) => Some(value),
        _ => None,
    }
}

/// The value of a number, or of a text that contains one; NULL for all others.
fn numeric(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Integer(value) => Value::Integer(value),
        ValueRef::Real(value) => Value::Real(value),
        ValueRef::Text(text) => written(text),
        ValueRef::Null | ValueRef::Blob(_) => Value::Null,
    }
}

/// The number in a text, by SQLite's rules: decimal, with only spaces around it.
fn written(text: &[u8]) -> Value {
    let text = std::str::from_utf8(text).unwrap_or_default();
    let text = text.trim_matches([' ', '\t', '\n', '\x0b', '\x0c', '\r']);
    if let Ok(value) = text.parse() {
        return Value::Integer(value);
    }
    // Rust also reads words such as `inf`.
    let is_decimal = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
    let real = text.bytes().all(is_decimal).then(|| text.parse());
    real.and_then(Result::ok).map_or(Value::Null, Value::Real)
}
