//! A script with the same meaning in fewer bytes: no comments, no blanks, no marks that nothing
//! needs.

use super::code::{Brace, Code};
use super::constants::constants;
use super::edit::{Edit, pass};
use super::parentheses::parentheses;
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

/// A property's name: in an object, and no value behind a colon.
fn is_key(code: &Code<'_>, at: usize) -> bool {
    code.brace_of(at) == Some(Brace::Object) && matches!(code.before(at), "{" | ",")
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
    if zeros > 2 && !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        format!("{digits}e{zeros}")
    } else {
        text
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
