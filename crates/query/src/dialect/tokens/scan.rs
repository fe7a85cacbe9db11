//! Reads one token. The rules, with their corner cases, are those of SQLite's tokenizer.

use std::ops::Range;

use super::token::{TokenError, TokenKind};
use crate::dialect::error::{Problem, quoted};
use crate::dialect::source::Span;

type Scanned = Result<(TokenKind, usize), TokenError>;

/// The text as bytes. Reading past the end gives 0, which is part of no token.
#[derive(Clone, Copy)]
struct Bytes<'a> {
    text: &'a str,
}

impl Bytes<'_> {
    fn at(self, index: usize) -> u8 {
        self.text.as_bytes().get(index).copied().unwrap_or(0)
    }

    /// The first index from `from` on whose byte does not satisfy the condition.
    fn skip(self, from: usize, condition: impl Fn(u8) -> bool) -> usize {
        let rest = self.text.as_bytes().get(from..).unwrap_or_default();
        let length = rest.iter().position(|byte| !condition(*byte));
        from + length.unwrap_or(rest.len())
    }

    fn error<T>(self, start: usize, end: usize, problem: Problem) -> Result<T, TokenError> {
        Err((Span::new(start, end), problem))
    }

    fn quoted(self, start: usize, end: usize) -> String {
        quoted(self.text.get(start..end).unwrap_or_default())
    }
}

/// Kind and end of the token that starts at `at`, which is not the end of the text.
pub(super) fn token(text: &str, at: usize) -> Scanned {
    let bytes = Bytes { text };
    match bytes.at(at) {
        b' ' | b'\t' | b'\n' | 0x0c | b'\r' => Ok((TokenKind::Space, bytes.skip(at, is_space))),
        b'-' if bytes.at(at + 1) == b'-' => {
            Ok((TokenKind::Comment, bytes.skip(at, |byte| byte != b'\n')))
        }
        b'/' if bytes.at(at + 1) == b'*' => comment(bytes, at),
        b'\'' => quote(bytes, at, TokenKind::String, "this string", "'"),
        b'"' => quote(bytes, at, TokenKind::QuotedName, "this name", "\""),
        b'`' => quote(bytes, at, TokenKind::QuotedName, "this name", "`"),
        b'[' => bracket(bytes, at),
        b'.' if bytes.at(at + 1).is_ascii_digit() => number(bytes, at),
        b'0'..=b'9' => number(bytes, at),
        b'?' => Ok((
            TokenKind::Variable,
            bytes.skip(at + 1, |byte| byte.is_ascii_digit()),
        )),
        b'$' | b'@' | b'#' | b':' => variable(bytes, at),
        b'x' | b'X' if bytes.at(at + 1) == b'\'' => blob(bytes, at),
        0xef if text
            .get(at..)
            .is_some_and(|rest| rest.starts_with('\u{feff}')) =>
        {
            Ok((TokenKind::Space, at + 3))
        }
        byte if is_name(byte) => Ok((TokenKind::Word, bytes.skip(at, is_name))),
        _ => operator(bytes, at),
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// Whether a byte can be inside of a name. All bytes of characters outside of ASCII can.
pub(in crate::dialect) fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | 0x80..)
}

fn comment(bytes: Bytes, at: usize) -> Scanned {
    let inside = bytes.text.get(at + 2..).unwrap_or_default();
    match inside.find("*/") {
        Some(length) => Ok((TokenKind::Comment, at + 2 + length + 2)),
        None => {
            let problem = Problem::Unterminated {
                what: "this comment",
                close: "*/",
            };
            bytes.error(at, bytes.text.len(), problem)
        }
    }
}

/// A text between quotes. A doubled quote inside it represents one quote.
fn quote(
    bytes: Bytes,
    at: usize,
    kind: TokenKind,
    what: &'static str,
    close: &'static str,
) -> Scanned {
    let mark = bytes.at(at);
    let mut end = at + 1;
    loop {
        end = bytes.skip(end, |byte| byte != mark);
        if bytes.at(end) != mark {
            return bytes.error(at, end, Problem::Unterminated { what, close });
        }
        if bytes.at(end + 1) != mark {
            return Ok((kind, end + 1));
        }
        end += 2;
    }
}

fn bracket(bytes: Bytes, at: usize) -> Scanned {
    let end = bytes.skip(at, |byte| byte != b']');
    if bytes.at(end) == b']' {
        return Ok((TokenKind::QuotedName, end + 1));
    }
    let problem = Problem::Unterminated {
        what: "this name",
        close: "]",
    };
    bytes.error(at, end, problem)
}

fn number(bytes: Bytes, at: usize) -> Scanned {
    let hex = bytes.at(at) == b'0'
        && matches!(bytes.at(at + 1), b'x' | b'X')
        && bytes.at(at + 2).is_ascii_hexdigit();
    let (kind, end) = if hex {
        let end = bytes.skip(at + 3, |byte| byte.is_ascii_hexdigit() || byte == b'_');
        (TokenKind::Integer, end)
    } else {
        decimal(bytes, at)
    };
    let name = bytes.skip(end, is_name);
    if name > end || !separated(bytes, at..end, hex) {
        return bytes.error(at, name, Problem::Number(bytes.quoted(at, name)));
    }
    Ok((kind, end))
}

/// Whether each `_` in a number is between two digits.
fn separated(bytes: Bytes, number: Range<usize>, hex: bool) -> bool {
    let digit = |index: usize| {
        let byte = bytes.at(index);
        if hex {
            byte.is_ascii_hexdigit()
        } else {
            byte.is_ascii_digit()
        }
    };
    let mut marks = number.filter(|index| bytes.at(*index) == b'_');
    marks.all(|mark| digit(mark.wrapping_sub(1)) && digit(mark + 1))
}

/// A number with digits, and perhaps with a fraction and an exponent.
fn decimal(bytes: Bytes, at: usize) -> (TokenKind, usize) {
    let digits = |from| bytes.skip(from, |byte| byte.is_ascii_digit() || byte == b'_');
    let mut kind = TokenKind::Integer;
    let mut end = digits(at);
    if bytes.at(end) == b'.' {
        (kind, end) = (TokenKind::Float, digits(end + 1));
    }
    let sign = usize::from(matches!(bytes.at(end + 1), b'+' | b'-'));
    let exponent = end + 1 + sign;
    if matches!(bytes.at(end), b'e' | b'E') && bytes.at(exponent).is_ascii_digit() {
        (kind, end) = (TokenKind::Float, digits(exponent));
    }
    (kind, end)
}

/// `$name`, also with `::` in it, and with an index in parentheses at its end.
fn variable(bytes: Bytes, at: usize) -> Scanned {
    let mut end = at + 1;
    let mut named = false;
    loop {
        let name = bytes.skip(end, is_name);
        named |= name > end;
        end = name;
        match bytes.at(end) {
            b'(' if named => return index(bytes, at, end),
            b':' if bytes.at(end + 1) == b':' => end += 2,
            _ if named => return Ok((TokenKind::Variable, end)),
            _ => return bytes.error(at, end, Problem::Variable),
        }
    }
}

fn index(bytes: Bytes, at: usize, open: usize) -> Scanned {
    let end = bytes.skip(open + 1, |byte| byte != b')' && !is_space(byte));
    if bytes.at(end) == b')' {
        return Ok((TokenKind::Variable, end + 1));
    }
    let problem = Problem::Unterminated {
        what: "this variable",
        close: ")",
    };
    bytes.error(at, end, problem)
}

fn blob(bytes: Bytes, at: usize) -> Scanned {
    let digits = at + 2;
    let end = bytes.skip(digits, |byte| byte.is_ascii_hexdigit());
    match bytes.at(end) {
        b'\'' if (end - digits).is_multiple_of(2) => Ok((TokenKind::Blob, end + 1)),
        _ => bytes.error(at, end, Problem::Blob),
    }
}

fn operator(bytes: Bytes, at: usize) -> Scanned {
    let (kind, length) = match (bytes.at(at), bytes.at(at + 1), bytes.at(at + 2)) {
        (b'-', b'>', b'>') => (TokenKind::Operator, 3),
        (b'-', b'>', _)
        | (b'=' | b'<' | b'>' | b'!', b'=', _)
        | (b'<', b'>' | b'<', _)
        | (b'>', b'>', _)
        | (b'|', b'|', _) => (TokenKind::Operator, 2),
        (b'-' | b'+' | b'/' | b'%' | b'=' | b'<' | b'>' | b'|' | b'&' | b'~', ..) => {
            (TokenKind::Operator, 1)
        }
        (b';', ..) => (TokenKind::Semicolon, 1),
        (b',', ..) => (TokenKind::Comma, 1),
        (b'.', ..) => (TokenKind::Dot, 1),
        (b'(', ..) => (TokenKind::LeftParen, 1),
        (b')', ..) => (TokenKind::RightParen, 1),
        (b'*', ..) => (TokenKind::Star, 1),
        (b'!', ..) => (TokenKind::Bang, 1),
        (byte, ..) => return bytes.error(at, at + 1, Problem::Character(char::from(byte))),
    };
    Ok((kind, at + length))
}
