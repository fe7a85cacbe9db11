//! A minimal JSON reader. It walks values in place and builds no tree.
//!
//! The walk stops at broken text, and the caller counts the damage. Grammar: RFC 8259; bytes that
//! are not UTF-8 are passed on unchanged.

use std::borrow::Cow;

/// A value, which borrows its text from the input.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Value<'a> {
    /// A string with escapes resolved.
    Text(Cow<'a, [u8]>),
    /// A number, `true`, `false` or `null`, as written.
    Word(&'a [u8]),
    /// An object or array, brackets included.
    Nested(&'a [u8]),
}

impl<'a> Value<'a> {
    /// The text of a string or a word.
    pub fn text(&self) -> Option<&[u8]> {
        match self {
            Self::Text(text) => Some(text),
            Self::Word(word) => Some(word),
            Self::Nested(_) => None,
        }
    }

    /// The fields of an object; empty for any other value.
    pub fn fields(&self) -> Fields<'a> {
        match self {
            Self::Nested(text) => Fields::new(text),
            _ => Fields::new(b""),
        }
    }

    /// A number, which may also be in quotes.
    pub fn number(&self) -> Option<f64> {
        std::str::from_utf8(self.text()?).ok()?.trim().parse().ok()
    }
}

/// Walks the fields of an object.
#[derive(Clone, Debug)]
pub(crate) struct Fields<'a> {
    text: &'a [u8],
    at: usize,
    broken: bool,
}

impl<'a> Fields<'a> {
    /// Walks the object at the start of `text`.
    pub fn new(text: &'a [u8]) -> Self {
        let at = usize::from(text.first() == Some(&b'{'));
        Self {
            text: if at == 1 { text } else { b"" },
            at,
            broken: false,
        }
    }

    /// Whether the walk stopped at an invalid field, or before the end of the object.
    pub fn is_broken(&self) -> bool {
        self.broken
    }

    fn blank(&mut self) -> Option<u8> {
        let rest = &self.text[self.at..];
        self.at += rest
            .iter()
            .take_while(|byte| byte.is_ascii_whitespace())
            .count();
        self.text.get(self.at).copied()
    }

    fn field(&mut self) -> Option<(Cow<'a, [u8]>, Value<'a>)> {
        let Some(Value::Text(key)) = self.value() else {
            return None;
        };
        (self.blank()? == b':').then_some(())?;
        self.at += 1;
        self.blank()?;
        Some((key, self.value()?))
    }

    fn value(&mut self) -> Option<Value<'a>> {
        let rest = &self.text[self.at..];
        let mut scan = Scan::default();
        let length = scan.value_end(rest)?;
        self.at += length;
        let text = &rest[..length];
        Some(match text.first()? {
            b'"' => Value::Text(unescape(&text[1..length - 1])),
            b'{' | b'[' => Value::Nested(text),
            _ => Value::Word(text),
        })
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = (Cow<'a, [u8]>, Value<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        if self.text.is_empty() {
            return None;
        }
        let first = loop {
            match self.blank() {
                Some(b',') => self.at += 1,
                other => break other,
            }
        };
        let field = (first == Some(b'"')).then(|| self.field()).flatten();
        if field.is_none() {
            self.broken = first != Some(b'}');
            self.text = b"";
            self.at = 0;
        }
        field
    }
}

/// Walks the values of an array.
#[derive(Clone, Debug)]
pub(crate) struct Items<'a> {
    walk: Fields<'a>,
}

impl<'a> Items<'a> {
    /// Walks the array at the start of `text`. Anything else has no values.
    pub fn new(text: &'a [u8]) -> Self {
        let at = usize::from(text.first() == Some(&b'['));
        let text = if at == 1 { text } else { b"" };
        let broken = false;
        Self {
            walk: Fields { text, at, broken },
        }
    }

    /// Whether the walk stopped at an invalid value, or before the end of the array.
    pub fn is_broken(&self) -> bool {
        self.walk.broken
    }
}

impl<'a> Iterator for Items<'a> {
    type Item = Value<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        let walk = &mut self.walk;
        if walk.text.is_empty() {
            return None;
        }
        let first = loop {
            match walk.blank() {
                Some(b',') => walk.at += 1,
                other => break other,
            }
        };
        let value = first.filter(|&byte| byte != b']');
        let value = value.and_then(|_| walk.value());
        if value.is_none() {
            walk.broken = first != Some(b']');
            (walk.text, walk.at) = (b"", 0);
        }
        value
    }
}

/// Searches for the end of a value in any number of pieces.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Scan {
    depth: usize,
    in_text: bool,
    escaped: bool,
    begun: bool,
}

impl Scan {
    /// The position after the last byte of the current value, if it ends in this piece.
    pub fn value_end(&mut self, piece: &[u8]) -> Option<usize> {
        let mut at = 0;
        loop {
            if self.in_text {
                at = self.text_end(piece, at)?;
            } else if self.depth > 0 {
                at = self.bracket_end(piece, at)?;
            } else if self.begin(*piece.get(at)?) {
                at += 1;
                continue;
            } else {
                return Some(at);
            }
            if self.depth == 0 && !self.in_text {
                return Some(at);
            }
        }
    }

    /// Takes a byte outside of strings and brackets. Returns whether the value goes on with it.
    fn begin(&mut self, byte: u8) -> bool {
        match byte {
            b'"' | b'{' | b'[' if self.begun => return false,
            b'"' => self.in_text = true,
            b'{' | b'[' => self.depth = 1,
            b'}' | b']' | b',' | b':' => return false,
            byte if byte.is_ascii_whitespace() => return false,
            _ => {}
        }
        self.begun = true;
        true
    }

    /// The position after the next bracket or quote. Between brackets, nothing else matters.
    fn bracket_end(&mut self, piece: &[u8], at: usize) -> Option<usize> {
        // In ASCII, this bit is the difference between `[` and `{`, and between `]` and `}`.
        const BRACE: u8 = 0x20;
        let is_end = |byte: &u8| *byte == b'"' || matches!(byte | BRACE, b'{' | b'}');
        let found = at + piece.get(at..)?.iter().position(is_end)?;
        match piece[found] {
            b'"' => self.in_text = true,
            b'{' | b'[' => self.depth += 1,
            _ => self.depth -= 1,
        }
        Some(found + 1)
    }

    /// The position after the string that contains `at`.
    fn text_end(&mut self, piece: &[u8], mut at: usize) -> Option<usize> {
        if std::mem::take(&mut self.escaped) {
            at += 1;
        }
        loop {
            at += memchr::memchr2(b'"', b'\\', piece.get(at..)?)?;
            if piece[at] == b'"' {
                self.in_text = false;
                return Some(at + 1);
            }
            if at + 1 == piece.len() {
                self.escaped = true;
                return None;
            }
            at += 2;
        }
    }
}

/// Resolves the escapes of a string. `text` excludes the quotes.
pub(crate) fn unescape(text: &[u8]) -> Cow<'_, [u8]> {
    let Some(first) = memchr::memchr(b'\\', text) else {
        return Cow::Borrowed(text);
    };
    let mut out = text[..first].to_vec();
    let mut rest = &text[first..];
    while let [b'\\', kind, after @ ..] = rest {
        rest = after;
        match kind {
            b'n' => out.push(b'\n'),
            b't' => out.push(b'\t'),
            b'r' => out.push(b'\r'),
            b'b' => out.push(8),
            b'f' => out.push(12),
            b'u' => rest = unicode(after, &mut out),
            b'"' | b'\\' | b'/' | b'\'' => out.push(*kind),
            // Not an escape: some writers do not escape the `\` of paths.
            other => out.extend([b'\\', *other]),
        }
        let plain = memchr::memchr(b'\\', rest).unwrap_or(rest.len());
        out.extend_from_slice(&rest[..plain]);
        rest = &rest[plain..];
    }
    Cow::Owned(out)
}

/// Decodes `00e9`, or a surrogate pair. Returns the text after it.
fn unicode<'a>(text: &'a [u8], out: &mut Vec<u8>) -> &'a [u8] {
    let Some(high) = hex(text) else {
        out.extend_from_slice(b"\\u");
        return text;
    };
    let rest = &text[4..];
    let low = rest.strip_prefix(b"\\u").and_then(hex);
    let (code, rest) = match (high, low) {
        (0xd800..0xdc00, Some(low @ 0xdc00..0xe000)) => (
            0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00),
            &rest[6..],
        ),
        _ => (high, rest),
    };
    let symbol = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
    out.extend_from_slice(symbol.encode_utf8(&mut [0; 4]).as_bytes());
    rest
}

fn hex(text: &[u8]) -> Option<u32> {
    let digits = text.get(..4)?;
    // The conversion would also accept a sign.
    digits.iter().all(u8::is_ascii_hexdigit).then_some(())?;
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// Converts microseconds with a fraction to nanoseconds, rounded to the nearest, because sums of floating-point
/// numbers are written as `5.299999999999997`. Plain decimal numbers are converted without floating point.
pub(crate) fn micros_to_ns(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let mut value = 0i64;
    let mut places = None;
    let mut rest = 0;
    for &byte in digits {
        match (byte, places) {
            (b'0'..=b'9', Some(3)) => {
                rest = i64::from(byte >= b'5');
                places = Some(4);
            }
            (b'0'..=b'9', Some(4..)) => {}
            (b'0'..=b'9', _) => {
                places = places.map(|places: u32| places + 1);
                value = value.checked_mul(10)?.checked_add((byte - b'0').into())?;
            }
            (b'.', None) => places = Some(0),
            _ => return float_micros(text),
        }
    }
    let missing = 3 - places.unwrap_or(0).min(3);
    let value = value.checked_mul(10i64.pow(missing))?.checked_add(rest)?;
    (!digits.is_empty()).then_some(if negative { -value } else { value })
}

fn float_micros(text: &[u8]) -> Option<i64> {
    let micros: f64 = std::str::from_utf8(text).ok()?.trim().parse().ok()?;
    let ns = (micros * 1e3).round();
    (ns.abs() < i64::MAX as f64).then_some(ns as i64)
}

/// Converts microseconds that [`micros_to_ns`] cannot convert because they are too large.
pub(crate) fn large_micros_to_ns(text: &[u8]) -> Option<i128> {
    let text = std::str::from_utf8(text).ok()?.trim();
    if let Ok(micros) = text.parse::<i128>() {
        return micros.checked_mul(1000);
    }
    // Such large numbers have no fraction.
    let micros: f64 = text.parse().ok()?;
    (micros.abs() < 1e30).then(|| micros as i128 * 1000)
}

/// Parses a text that consists of one decimal number.
pub(crate) fn int(text: &[u8]) -> Option<i64> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

#[cfg(test)]
mod tests;
