//! Functions of texts and bytes.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rusqlite::Connection;
use rusqlite::functions::Context;
use rusqlite::types::{Value, ValueRef};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use super::arguments::{refused, text};
use super::flags::PURE;

type Function = fn(&Context<'_>) -> rusqlite::Result<Value>;

/// Names, and the number of arguments.
const FUNCTIONS: &[(&str, i32, Function)] = &[
    ("hash", -1, hash),
    ("str_split", 3, str_split),
    ("reverse", 1, reverse),
    ("__intrinsic_reverse", 1, reverse),
    ("unhex", 1, unhex),
    ("__intrinsic_unhex", 1, unhex),
    ("base64_encode", 1, base64_encode),
    ("__intrinsic_base64_encode", 1, base64_encode),
    ("base64_decode", 1, base64_decode),
    ("__intrinsic_base64_decode", 1, base64_decode),
    ("__intrinsic_zstd_compress", 1, zstd_compress),
    ("__intrinsic_strip_hex", 2, strip_hex),
];

/// Registers the functions with a connection.
pub(super) fn register(connection: &Connection) -> rusqlite::Result<()> {
    for &(name, arguments, function) in FUNCTIONS {
        connection
            .create_scalar_function(name, arguments, PURE, move |context| function(context))?;
    }
    Ok(())
}

/// `hash(value, …)`: FNV-1a with 64 bits (<http://www.isthe.com/chongo/tech/comp/fnv/>) of whole numbers (8 bytes, the
/// lowest first) and texts.
fn hash(context: &Context<'_>) -> rusqlite::Result<Value> {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut update = |bytes: &[u8]| {
        for byte in bytes {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    for at in 0..context.len() {
        match context.get_raw(at) {
            ValueRef::Integer(value) => update(&value.to_le_bytes()),
            ValueRef::Text(bytes) => update(bytes),
            _ => return Err(refused("hash takes whole numbers and texts")),
        }
    }
    Ok(Value::Integer(hash as i64))
}

/// `__intrinsic_strip_hex(text, least)`: the text with `<num>` in place of each hexadecimal number of at least `least`
/// digits. A number begins the text, follows `0x` or a sign, or begins with a decimal digit. It contains a decimal
/// digit, unless it follows `0x`.
fn strip_hex(context: &Context<'_>) -> rusqlite::Result<Value> {
    let (Some(text), ValueRef::Integer(least)) = (text(context, 0), context.get_raw(1)) else {
        return Ok(Value::Null);
    };
    let Ok(least) = usize::try_from(least) else {
        return Err(refused("the least number of digits must not be negative"));
    };
    let mut out = String::with_capacity(text.len());
    let mut rest = &*text;
    while let Some(first) = rest.chars().next() {
        let is_prefix =
            matches!(first, 'x' | 'X') && text[..text.len() - rest.len()].ends_with('0');
        let is_start = rest.len() == text.len() && first.is_ascii_hexdigit();
        if is_prefix || !(first.is_ascii_alphanumeric() || is_start) {
            out.push(first);
            rest = &rest[first.len_utf8()..];
        } else if !is_start && !first.is_ascii_digit() {
            out.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let end = rest.find(|letter: char| !letter.is_ascii_hexdigit());
        let (digits, after) = rest.split_at(end.unwrap_or(rest.len()));
        let is_number = is_prefix || digits.contains(|letter: char| letter.is_ascii_digit());
        let is_replaced = is_number && digits.len() >= least;
        out += if is_replaced { "<num>" } else { digits };
        rest = after;
    }
    Ok(Value::Text(out))
}

/// `str_split(text, delimiter, field)`: a part of the text, counted from 0; NULL if there are not enough parts.
fn str_split(context: &Context<'_>) -> rusqlite::Result<Value> {
    let delimiter = match context.get_raw(1) {
        ValueRef::Text(bytes) if !bytes.is_empty() => String::from_utf8_lossy(bytes),
        _ => {
            return Err(refused(
                "str_split: the delimiter must be a text that is not empty",
            ));
        }
    };
    let field = match context.get_raw(2) {
        ValueRef::Integer(field) => usize::try_from(field).ok(),
        _ => None,
    };
    let Some(field) = field else {
        return Err(refused("str_split: the field must be a number from 0"));
    };
    let ValueRef::Text(text) = context.get_raw(0) else {
        return Ok(Value::Null);
    };
    let text = String::from_utf8_lossy(text);
    let part = text.split(&*delimiter).nth(field);
    Ok(part.map_or(Value::Null, |part| Value::Text(part.to_owned())))
}

/// `reverse(text)`: its characters from the last to the first.
fn reverse(context: &Context<'_>) -> rusqlite::Result<Value> {
    match context.get_raw(0) {
        ValueRef::Null => Ok(Value::Null),
        ValueRef::Text(text) => {
            let text = String::from_utf8_lossy(text);
            Ok(Value::Text(text.chars().rev().collect()))
        }
        _ => Err(refused("reverse takes a text")),
    }
}

/// `unhex(text)`: the number that a text of hexadecimal digits represents. This is PerfettoSQL's `unhex`, which differs
/// from SQLite's.
fn unhex(context: &Context<'_>) -> rusqlite::Result<Value> {
    let text = match context.get_raw(0) {
        ValueRef::Null => return Ok(Value::Null),
        ValueRef::Text(text) => String::from_utf8_lossy(text),
        _ => return Err(refused("unhex takes a text")),
    };
    let digits = text.trim();
    let digits = digits
        .strip_prefix("0x")
        .or(digits.strip_prefix("0X"))
        .unwrap_or(digits);
    let number = i64::from_str_radix(digits, 16);
    let number = number.map_err(|_| refused(format!("unhex: {text:?} is no hexadecimal number")));
    Ok(Value::Integer(number?))
}

fn base64_encode(context: &Context<'_>) -> rusqlite::Result<Value> {
    match context.get_raw(0) {
        ValueRef::Null => Ok(Value::Null),
        ValueRef::Blob(bytes) => Ok(Value::Text(STANDARD.encode(bytes))),
        _ => Err(refused("base64_encode takes a BLOB")),
    }
}

fn base64_decode(context: &Context<'_>) -> rusqlite::Result<Value> {
    match context.get_raw(0) {
        ValueRef::Null => Ok(Value::Null),
        ValueRef::Text(text) | ValueRef::Blob(text) => {
            let bytes = STANDARD.decode(text);
            let bytes = bytes.map_err(|error| refused(format!("base64_decode: {error}")))?;
            Ok(Value::Blob(bytes))
        }
        _ => Err(refused("base64_decode takes a text")),
    }
}

/// `__intrinsic_zstd_compress(bytes)`: a Zstandard frame.
fn zstd_compress(context: &Context<'_>) -> rusqlite::Result<Value> {
    match context.get_raw(0) {
        ValueRef::Null => Ok(Value::Null),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            let level = CompressionLevel::Fastest;
            Ok(Value::Blob(compress_to_vec(bytes, level)))
        }
        _ => Err(refused("__intrinsic_zstd_compress takes a text or a BLOB")),
    }
}
