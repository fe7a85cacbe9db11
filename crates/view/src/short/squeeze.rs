//! A script with the same meaning in fewer bytes: no comments, no blanks, no marks that nothing
//! needs.

use super::code::{Brace, Code};
use super::constants::constants;
use super::edit::{Edit, pass};
use super::operators::binds_more;
use crate::tokens::{Kind, Open};

/// The script in as few bytes as this knows to write it.
pub(crate) fn squeezed(script: &str) -> Result<String, Open> {
    let mut script = pass(script, &|_| {})?;
    for step in [parentheses, parentheses, words, calls, arrows, constants] {
        script = pass(&script, &step)?;
    }
    loop {
        let next = pass(&script, &braces)?;
        if next == script {
            break;
        }
        script = next;
    }
    script = pass(&script, &declarations)?;
    pass(&script, &ends)
}

/// `(a).b` → `a.b`, `= (a + b);` → `=a+b;`
fn parentheses(edit: &mut Edit<'_>) {
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

/// `true` → `!0`, `"a"` in double quotes, `0.5` → `.5`, `1000` → `1e3`, `0x10` → `16`.
fn words(edit: &mut Edit<'_>) {
    for at in 0..edit.texts.len() {
        let code = &edit.code;
        let text = code.text(at);
        let is_value = code.before(at) != "."
            && !matches!(code.text(at + 1), "." | "[" | "(")
            && !is_key(code, at);
        match text {
            "true" if is_value => edit.set(at, "!0"),
            "false" if is_value => edit.set(at, "!1"),
            "undefined" if is_value => edit.set(at, "void 0"),
            _ if code.tokens[at].kind == Kind::Word
                && text.starts_with(|first: char| first.is_ascii_digit())
                && is_value =>
            {
                let short = number(text);
                edit.texts[at] = short.into();
            }
            _ => {}
        }
    }
}

fn is_key(code: &Code<'_>, at: usize) -> bool {
    code.text(at + 1) == ":"
        && code.brace_of(at) == Some(Brace::Object)
        && matches!(code.before(at), "{" | ",")
}

fn number(text: &str) -> String {
    if let Some(fraction) = text
        .strip_prefix('0')
        .filter(|rest| rest.len() > 1 && rest.starts_with('.'))
    {
        return fraction.to_owned();
    }
    if let Some(Ok(value)) = text
        .strip_prefix("0x")
        .map(|digits| u32::from_str_radix(digits, 16))
    {
        return value.to_string();
    }
    let text = text.replace('_', "");
    let digits = text.trim_end_matches('0');
    let zeros = text.len() - digits.len();
    match zeros > 2 && !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        true => format!("{digits}e{zeros}"),
        false => text,
    }
}

/// `new Set()` → `new Set`
fn calls(edit: &mut Edit<'_>) {
    for open in 2..edit.texts.len() {
        let code = &edit.code;
        let is_new = code.before(open - 1) == "new" && code.is_name(open - 1);
        let is_end = matches!(code.text(open + 2), "," | ";" | ")" | "]" | "}");
        if is_new && code.text(open) == "(" && code.closes[open] == open + 1 && is_end {
            edit.set(open, "");
            edit.set(open + 1, "");
        }
    }
}

/// `(a)=>` → `a=>`
fn arrows(edit: &mut Edit<'_>) {
    for open in 0..edit.texts.len() {
        let code = &edit.code;
        if code.text(open) == "("
            && code.closes[open] == open + 2
            && code.is_arrow(open + 3)
            && code.is_name(open + 1)
        {
            edit.set(open, "");
            edit.set(open + 2, "");
        }
    }
}

/// `if(a){b;}` → `if(a)b;`, of the innermost blocks.
fn braces(edit: &mut Edit<'_>) {
    let mut inner = 0;
    for close in 0..edit.texts.len() {
        let code = &edit.code;
        let open = code.opens[close];
        if code.text(close) != "}"
            || open < inner
            || open >= code.tokens.len()
            || !is_single(code, open)
        {
            continue;
        }
        inner = close;
        let last = close - 1;
        let is_ended = matches!(code.text(last), ";")
            || (code.text(last) == "}" && code.ends_statement(code.opens[last]));
        edit.set(open, "");
        edit.set(close, if is_ended { "" } else { ";" });
    }
}

/// The block that opens here is what an `if`, `else` or loop does, and one statement.
fn is_single(code: &Code<'_>, open: usize) -> bool {
    let close = code.closes[open];
    let head = match code.before(open) {
        "else" => true,
        ")" => {
            code.is_condition(code.opens[open - 1])
                && !matches!(code.before(code.opens[open - 1]), "switch" | "catch")
        }
        _ => false,
    };
    let first = code.text(open + 1);
    let is_declared = matches!(
        first,
        "const" | "let" | "class" | "function" | "async" | "}"
    );
    let is_one = || code.statement_end(open + 1) == close;
    let takes_else = || code.text(close + 1) == "else" && is_open_if(code, open + 1);
    code.brace_at(open) == Some(Brace::Block) && head && !is_declared && is_one() && !takes_else()
}

/// An `else` behind the statement would become part of it.
fn is_open_if(code: &Code<'_>, at: usize) -> bool {
    match code.text(at) {
        "if" => {
            let end = code.statement_end(code.closes[at + 1] + 1);
            code.text(end) != "else" || is_open_if(code, end + 1)
        }
        "for" | "while" => {
            let head = at + 1 + usize::from(code.text(at + 1) == "await");
            is_open_if(code, code.closes[head] + 1)
        }
        _ => false,
    }
}

/// `const a=1;let b=2;` → `let a=1,b=2;`. To what the types say is right, both mean the same.
fn declarations(edit: &mut Edit<'_>) {
    for at in 0..edit.texts.len() {
        let code = &edit.code;
        if !code.is_declaration(at) {
            if code.text(at) == "const" && code.is_keyword(at) {
                edit.set(at, "let");
            }
            continue;
        }
        let end = code.statement_end(at);
        let is_joined = code.is_declaration(end) && code.before(end) == ";";
        if !edit.texts[at].is_empty() {
            edit.set(at, "let");
        }
        if is_joined {
            edit.set(end - 1, ",");
            edit.set(end, "");
        }
    }
}

/// No `;` before `}`, no comma before a closing bracket.
fn ends(edit: &mut Edit<'_>) {
    for at in 1..edit.texts.len() {
        let code = &edit.code;
        let next = code.text(at + 1);
        let needless = match code.text(at) {
            ";" => {
                next == "}"
                    && !(code.before(at) == ")" && code.is_condition(code.opens[at - 1]))
                    && code.before(at) != "else"
            }
            "," => matches!(next, "}" | "]" | ")") && !matches!(code.before(at), "," | "["),
            _ => false,
        };
        if needless {
            edit.set(at, "");
        }
    }
}

#[cfg(test)]
mod tests;
