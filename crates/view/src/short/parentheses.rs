//! Parentheses that mean nothing.

use super::code::Code;
use super::edit::Edit;
use super::operators::binds_more;
use crate::tokens::Kind;

/// `(a).b` → `a.b`, `= (a + b);` → `=a+b;`
pub(super) fn parentheses(edit: &mut Edit<'_>) {
    for open in 0..edit.texts.len() {
        let code = &edit.code;
        if code.text(open) != "("
            || !is_group(code, open)
            || !(is_chain(code, open) || is_whole(code, open) || is_operand(code, open))
        {
            continue;
        }
        let close = code.closes[open];
        edit.set(open, "");
        edit.set(close, "");
    }
}

/// A value may begin here that is no operand of what stands before.
fn is_group(code: &Code<'_>, open: usize) -> bool {
    let close = code.closes[open];
    let begins = matches!(
        code.text(open + 1),
        "{" | "function" | "class" | "async" | "let" | ")"
    );
    // Of two, the inner ones go first.
    let is_double = code.text(open + 1) == "(" && code.closes[open + 1] + 1 == close;
    close < code.tokens.len()
        && !is_double
        && !begins
        && !code.is_arrow(close + 1)
        && !is_call(code, open)
}

/// The bracket is that of a call or of parameters, or of `if (…)`.
fn is_call(code: &Code<'_>, open: usize) -> bool {
    let before = code.before(open);
    let operators = [
        "return",
        "case",
        "of",
        "in",
        "typeof",
        "throw",
        "await",
        "void",
        "delete",
        "instanceof",
        "else",
        "do",
    ];
    match open.checked_sub(1).map(|at| code.tokens[at].kind) {
        None => false,
        Some(Kind::Word) => {
            !operators.contains(&before) || (open > 1 && code.before(open - 1) == ".")
        }
        Some(Kind::Text) => !before.ends_with("${"),
        _ => matches!(before, ")" | "]" | "}") || (before == "." && !is_spread(code, open)),
    }
}

/// A chain of names, calls and indices is an operand wherever it stands in parentheses.
fn is_chain(code: &Code<'_>, open: usize) -> bool {
    let close = code.closes[open];
    if code.tokens[open + 1].kind != Kind::Word && code.text(open + 1) != "[" {
        return false;
    }
    let first = code.text(open + 1);
    if first.starts_with(|first: char| first.is_ascii_digit())
        || matches!(
            first,
            "new" | "await" | "typeof" | "yield" | "void" | "delete"
        )
    {
        return false;
    }
    let mut at = open + 1;
    while at < close {
        let is_link = match code.tokens[at].kind {
            Kind::Word => at == open + 1 || code.before(at) == ".",
            Kind::Mark => match code.text(at) {
                // Without the parentheses more would be left out with it.
                "." => code.before(at) != "?",
                "(" | "[" => true,
                _ => false,
            },
            _ => false,
        };
        if !is_link {
            return false;
        }
        at = if code.closes[at] < code.tokens.len() {
            code.closes[at] + 1
        } else {
            at + 1
        };
    }
    true
}

/// Before and behind stand marks that bind less than any operator but a comma.
fn is_whole(code: &Code<'_>, open: usize) -> bool {
    let close = code.closes[open];
    let next = code.text(close + 1);
    let ends = match code.before(open) {
        "?" => next == ":",
        _ => matches!(next, ";" | ")" | "]" | ",") || next.starts_with('}'),
    };
    let mut inside = (open + 1..close).filter(|&at| code.parents[at] == Some(open));
    ends && is_after_delimiter(code, open) && inside.all(|at| !matches!(code.text(at), "," | "in"))
}

fn is_after_delimiter(code: &Code<'_>, open: usize) -> bool {
    let (before, first) = (code.before(open), open.saturating_sub(2));
    let is_assigned = || !matches!(code.text(first), "=" | "!" | "<" | ">");
    match before {
        "(" | "[" | "," | ":" | "return" => true,
        "?" => code.text(first) != "?",
        "=" => is_assigned(),
        ">" => code.is_arrow(first),
        "." => is_spread(code, open),
        _ => before.ends_with("${"),
    }
}

/// `...` stands before this.
fn is_spread(code: &Code<'_>, at: usize) -> bool {
    at > 2 && (at - 3..at).all(|at| code.text(at) == ".")
}

/// An operand that binds more than the operators beside it.
fn is_operand(code: &Code<'_>, open: usize) -> bool {
    binds_more(code, open, is_after_delimiter(code, open))
}
