//! What binds how much: whether parentheses mean anything between operators.

use super::code::Code;
use crate::tokens::Kind;

/// Binary operators with what they bind, of those that need no parentheses among each other. (`??`
/// beside `||` and a sign before `**` do: such parentheses stay.)
const BINARY: [(&str, u8); 21] = [
    (">>>", 9),
    ("===", 7),
    ("!==", 7),
    ("||", 2),
    ("&&", 3),
    ("==", 7),
    ("!=", 7),
    ("<=", 8),
    (">=", 8),
    ("<<", 9),
    (">>", 9),
    ("|", 4),
    ("^", 5),
    ("&", 6),
    ("<", 8),
    (">", 8),
    ("+", 10),
    ("-", 10),
    ("*", 11),
    ("/", 11),
    ("%", 11),
];
/// Binds as a sign does.
const UNARY: u8 = 14;

/// What is in the parentheses binds more than the operators beside them.
pub(super) fn binds_more(code: &Code<'_>, open: usize, after_delimiter: bool) -> bool {
    let close = code.closes[open];
    let left = if after_delimiter {
        Some(0)
    } else {
        left(code, open)
    };
    let right = match code.text(close + 1) {
        ";" | ")" | "]" | "," | "}" | ":" => Some(0),
        "?" if !matches!(code.text(close + 2), "." | "?") => Some(1),
        _ => binary(code, close + 1).map(|(binds, _)| binds),
    };
    let inside = lowest(code, open);
    let binds =
        |outer: (u8, u8)| inside.is_some_and(|inside| inside > outer.0 && inside >= outer.1);
    left.zip(right).is_some_and(binds)
}

/// The operator that begins at `at`, behind a value: what it binds, and its last token.
fn binary(code: &Code<'_>, at: usize) -> Option<(u8, usize)> {
    if code.text(at) == "instanceof" {
        return Some((8, at));
    }
    let end = (at..code.tokens.len()).find(|&at| !is_sign(code, at) || !is_joined(code, at));
    let end = end.map_or(at, |end| end + usize::from(is_sign(code, end)));
    let run = code
        .source
        .get(code.tokens.get(at)?.start..code.tokens[end.max(at + 1) - 1].end)?;
    let is_other = ["**", "++", "--", "=>"]
        .iter()
        .any(|other| run.starts_with(other));
    let (sign, binds) = BINARY
        .iter()
        .find(|(sign, _)| !is_other && run.starts_with(sign))?;
    let is_assigned = run[sign.len()..].starts_with('=');
    (!is_assigned).then_some((*binds, at + sign.len() - 1))
}

fn is_sign(code: &Code<'_>, at: usize) -> bool {
    let text = code.text(at).as_bytes();
    code.tokens
        .get(at)
        .is_some_and(|token| token.kind == Kind::Mark)
        && b"!%&*+-/<=>?^|~".contains(&text[0])
}

/// Nothing stands between this token and the next.
fn is_joined(code: &Code<'_>, at: usize) -> bool {
    code.tokens
        .get(at + 1)
        .is_some_and(|next| code.tokens[at].end == next.start)
}

/// What the operator binds that ends before `open`, if it is one with two operands.
fn left(code: &Code<'_>, open: usize) -> Option<u8> {
    let mut first = open;
    while first > 0 && is_sign(code, first - 1) && (first == open || is_joined(code, first - 1)) {
        first -= 1;
    }
    let value = first.checked_sub(1).filter(|_| first < open)?;
    let is_value = match code.tokens[value].kind {
        Kind::Word => code.is_name(value),
        Kind::Text => !code.text(value).ends_with("${"),
        _ => matches!(code.text(value), ")" | "]") && !code.is_condition(code.opens[value]),
    };
    let (binds, last) = binary(code, first).filter(|_| is_value)?;
    (last + 1 == open).then_some(binds)
}

/// The least that an operator binds in the parentheses; nothing where they hold more than such.
fn lowest(code: &Code<'_>, open: usize) -> Option<u8> {
    let (mut at, close) = (open + 1, code.closes[open]);
    let (mut lowest, mut after_value) = (UNARY, false);
    while at < close {
        let text = code.text(at);
        match code.tokens[at].kind {
            Kind::Word if matches!(text, "in" | "async" | "function" | "class" | "yield") => {
                return None;
            }
            Kind::Word if text == "instanceof" => (lowest, after_value) = (lowest.min(8), false),
            Kind::Word => {
                after_value = !matches!(text, "typeof" | "void" | "delete" | "await" | "new")
            }
            Kind::Mark if matches!(text, "(" | "[" | "{") => after_value = true,
            Kind::Mark if after_value && text == "." => at += 1,
            Kind::Mark if after_value && text == "?" && code.text(at + 1) == "." => at += 1,
            Kind::Mark if after_value => {
                let (binds, last) = binary(code, at)?;
                (lowest, after_value, at) = (lowest.min(binds), false, last);
            }
            Kind::Mark if !matches!(text, "!" | "-" | "+" | "~") => return None,
            Kind::Mark => {}
            _ => after_value = true,
        }
        // Brackets, and templates piece by piece.
        while code.closes[at] < code.tokens.len() {
            at = code.closes[at];
        }
        at += 1;
    }
    after_value.then_some(lowest)
}
