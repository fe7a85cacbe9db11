//! The general rule for fields. Print formats differ from event to event, and every kernel adds new
//! ones. Four forms cover nearly all:
//!
//! ```text
//! comm=a b pid=1 runtime=7 [ns]      key=value; a value extends to the next key
//! dev = (7,0), ino = 8               the same with spaces and commas
//! dev 8,13 ino 58 pos 0              pairs of words; after two pairs also flags or text as values
//! gcc_clk state=1                    text without a key, then keys
//! ```

use crate::ftrace::digits::{digits, find_space, skip_spaces, whole_hex, whole_int};
use crate::ftrace::event::{Field, Value};
use crate::ftrace::fields_option;

pub(crate) fn text_field<'a>(key: &'a [u8], text: &'a [u8]) -> Field<'a> {
    Field {
        key,
        value: value(text),
    }
}

/// The position of a key, and of its `=`.
struct Key {
    start: usize,
    end: usize,
    equals: usize,
}

/// The bytes of which keys consist.
static KEY_BYTES: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        let letter = byte as u8;
        table[byte] = letter.is_ascii_alphanumeric() || matches!(letter, b'_' | b'.' | b'-' | b'>');
        byte += 1;
    }
    table
};

/// The next `key=` at or after `from`. A `=` inside a value has no key before it.
fn next_key(text: &[u8], from: usize) -> Option<Key> {
    let mut search = from;
    loop {
        let equals = search + memchr::memchr(b'=', text.get(search..)?)?;
        search = equals + 1;
        if matches!(text.get(equals + 1), Some(b'=' | b'>')) {
            search = equals + 2;
            continue;
        }
        let end = from + text[from..equals].trim_ascii_end().len();
        let is_key = |byte: &&u8| KEY_BYTES[usize::from(**byte)];
        let length = text[from..end].iter().rev().take_while(is_key).count();
        let start = end - length;
        let bounded = start == 0 || b" ,[({;\t|\"".contains(&text[start - 1]);
        if length > 0 && bounded && start >= from {
            return Some(Key { start, end, equals });
        }
    }
}

pub(crate) fn keyed<'a>(text: &'a [u8], out: &mut Vec<Field<'a>>) {
    let Some(mut key) = next_key(text, 0) else {
        return unkeyed(text, out);
    };
    unkeyed(&text[..key.start], out);
    loop {
        let start = skip_spaces(text, key.equals + 1);
        let closed = closing(text, start);
        let next = next_key(text, closed.unwrap_or(start));
        let limit = next
            .as_ref()
            .map_or(text.len(), |next| next.start.max(start));
        let raw = text.get(start..limit).unwrap_or_default();
        out.push(Field {
            key: &text[key.start..key.end],
            value: value_of(&text[key.start..key.end], trim_value(raw)),
        });
        match next {
            Some(next) => key = next,
            None => return,
        }
    }
}

/// The end of a value in braces, parentheses or quotes. The search is limited, so that a line full
/// of opening braces takes linear time.
fn closing(text: &[u8], start: usize) -> Option<usize> {
    const LONGEST: usize = 1024;
    let close = match text.get(start)? {
        b'{' => b'}',
        b'(' => b')',
        b'"' => b'"',
        _ => return None,
    };
    let inner = &text[start + 1..];
    let end = memchr::memchr(close, &inner[..inner.len().min(LONGEST)])?;
    Some(start + 1 + end + 1)
}

/// Removes the separator between a value and the next key.
pub(crate) fn trim_value(raw: &[u8]) -> &[u8] {
    let mut text = raw.trim_ascii_end();
    // A format closes only a few brackets at once; more of them are part of the text.
    for _ in 0..4 {
        let cut = match text {
            [rest @ .., b',' | b';' | b'[' | b'|' | b':'] => rest,
            [rest @ .., b']'] if !rest.contains(&b'[') => rest,
            [rest @ .., b')'] if !rest.contains(&b'(') => rest,
            [rest @ .., b'('] => rest,
            _ => return text,
        };
        text = cut.trim_ascii_end();
    }
    text
}

pub(crate) fn value_of<'a>(key: &[u8], text: &'a [u8]) -> Value<'a> {
    if key == b"size"
        && let Some(bytes) = text.strip_suffix(b"B").and_then(whole_int)
    {
        return Value::Int(bytes);
    }
    value(text)
}

/// Parses a number; any other text stays text. A unit in brackets is ignored, quotes are removed.
pub(crate) fn value(text: &[u8]) -> Value<'_> {
    // Most values are numbers. Some texts begin with a digit, such as `254,0`.
    match digits(text, 0).map(|(number, end)| (number, text.get(end))) {
        Some((number, None)) => return Value::Int(number as i64),
        Some((_, Some(behind))) if !matches!(behind, b'x' | b'X' | b' ') => {
            return Value::Text(text);
        }
        _ => {}
    }
    if let [b'"', inner @ .., b'"'] = text {
        return Value::Text(inner);
    }
    let number = text.strip_suffix(b" [ns]").unwrap_or(text);
    if !matches!(number.first(), Some(b'0'..=b'9' | b'-' | b'+')) {
        let is_call = text.ends_with(b")");
        let name = is_call.then(|| fields_option::function(text)).flatten();
        return Value::Text(name.unwrap_or(text));
    }
    if let Some(hex) = whole_hex(number) {
        return Value::Hex(hex);
    }
    match whole_int(number).or_else(|| fields_option::whole(number)) {
        Some(value) => Value::Int(value),
        None => Value::Text(text),
    }
}

/// Parses text without `=`: pairs of words, `key: value`, or plain text.
fn unkeyed<'a>(text: &'a [u8], out: &mut Vec<Field<'a>>) {
    let text = text.trim_ascii();
    let text = text.strip_suffix(b",").unwrap_or(text);
    if text.is_empty() || text.iter().all(|byte| b"[({".contains(byte)) {
        return;
    }
    let before = out.len();
    let rest = pairs(text, out);
    if rest.is_empty() {
        return;
    }
    let behind_pairs = out.len();
    if colons(text, out) {
        out.drain(before..behind_pairs);
    } else if behind_pairs - before >= SURE_PAIRS {
        out.push(text_field(b"", rest));
    } else {
        out.truncate(before);
        out.push(text_field(b"", text));
    }
}

fn is_word(word: &[u8]) -> bool {
    word.first().is_some_and(u8::is_ascii_alphabetic)
        && word
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}

/// After this many pairs with numbers, the text is certainly not prose, so values other than
/// numbers are accepted.
pub(crate) const SURE_PAIRS: usize = 2;

/// Parses `dev 8,13 ino 58`, `cpu: 3 load: 0`: pairs of words whose second word begins like a
/// number. After [`SURE_PAIRS`] pairs it may also be `flags CREATE|UNWRIT` or `caller
/// ext4_dirty_inode+0x5c/0x80`. Returns the rest.
fn pairs<'a>(text: &'a [u8], out: &mut Vec<Field<'a>>) -> &'a [u8] {
    let before = out.len();
    let mut at = 0;
    while let Some((key, key_end)) = word(text, at) {
        let Some((word, end)) = word(text, key_end) else {
            break;
        };
        let key = key.strip_suffix(b":").unwrap_or(key);
        let is_sure = out.len() - before >= SURE_PAIRS;
        if !is_word(key) || !(begins_number(word[0]) || is_sure && is_symbolic(word)) {
            break;
        }
        let value = value(trim_value(word));
        out.push(Field { key, value });
        at = end;
    }
    text[at..].trim_ascii()
}

fn begins_name(byte: &u8) -> bool {
    byte.is_ascii_alphabetic() || *byte == b'_'
}

/// Names of flags, or a location in the kernel's code.
pub(crate) fn is_symbolic(word: &[u8]) -> bool {
    let is_flag = |byte: &u8| matches!(byte, b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'|');
    word.first().is_some_and(u8::is_ascii_uppercase) && word.iter().all(is_flag)
        || word.first().is_some_and(begins_name) && memchr::memmem::find(word, b"+0x").is_some()
}

pub(crate) fn begins_number(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'-')
}

/// The next word at or after `from`, and its end.
#[inline]
fn word(text: &[u8], from: usize) -> Option<(&[u8], usize)> {
    let is_space = |byte: &u8| *byte == b' ';
    let start = from + text.get(from..)?.iter().position(|byte| !is_space(byte))?;
    let end = find_space(text, start).unwrap_or(text.len());
    Some((&text[start..end], end))
}

/// Parses `name: value, other: value`.
fn colons<'a>(text: &'a [u8], out: &mut Vec<Field<'a>>) -> bool {
    let before = out.len();
    for part in text.split(|&byte| byte == b',') {
        let part = part.trim_ascii();
        let colon = memchr::memchr(b':', part)
            .and_then(|_| memchr::memmem::find(part, b": "))
            .filter(|colon| is_word(&part[..*colon]));
        match colon {
            Some(colon) => out.push(text_field(&part[..colon], part[colon + 2..].trim_ascii())),
            None => {
                out.truncate(before);
                return false;
            }
        }
    }
    out.len() > before
}
