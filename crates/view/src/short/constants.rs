//! Constants that are numbers or texts: in place where they are used, and then not declared.

use super::code::{Code, Use};
use super::edit::Edit;
use super::rename::Variables;
use crate::tokens::Kind;

/// `const A=5,b=f(A);` → `const b=f(5);`
pub(super) fn constants(edit: &mut Edit<'_>) {
    let variables = edit.code.variables();
    for at in 0..edit.texts.len() {
        if edit.code.is_declaration(at) && edit.code.text(at) == "const" {
            statement(edit, &variables, at);
        }
    }
}

fn statement(edit: &mut Edit<'_>, variables: &Variables, start: usize) {
    let mut kept = 0;
    let mut name = start + 1;
    loop {
        let end = edit.code.expression_end(name);
        match places(&edit.code, variables, name, end) {
            Some(places) => put(edit, variables, name, &places),
            None => kept += 1,
        }
        // A comma belongs to what follows it.
        let is_gone = edit.texts[name].is_empty();
        if edit.code.text(name - 1) == "," && (is_gone || kept < 2) {
            edit.set(name - 1, "");
        }
        name = end + 1;
        if edit.code.text(end) != "," {
            if kept == 0 {
                edit.set(start, "");
                edit.set(end, "");
            }
            return;
        }
    }
}

/// Where the constant is used that is declared from `name` to `end`, if its value shall stand there.
fn places(code: &Code<'_>, variables: &Variables, name: usize, end: usize) -> Option<Vec<usize>> {
    let is_literal =
        end == name + 3 && code.text(name + 1) == "=" && matches!(code.text(end), "," | ";");
    let constant = variables.of[name].filter(|_| is_literal)?;
    let uses =
        (0..variables.of.len()).filter(|&at| variables.of[at] == Some(constant) && at != name);
    let uses: Vec<usize> = uses.collect();
    let value = code.text(name + 2);
    let is_short = match code.tokens[name + 2].kind {
        Kind::Word => {
            value.starts_with(|first: char| first.is_ascii_digit())
                && (value.len() < 6 || uses.len() < 2)
        }
        Kind::Text => value.starts_with('"') && uses.len() < 2,
        _ => false,
    };
    // A number's point would be that of a property.
    let is_operand = |&at: &usize| !matches!(code.text(at + 1), "." | "[" | "(");
    (is_short && uses.iter().all(is_operand)).then_some(uses)
}

fn put(edit: &mut Edit<'_>, variables: &Variables, name: usize, places: &[usize]) {
    let value = edit.code.text(name + 2);
    for &at in places {
        edit.texts[at] = match variables.uses[at] {
            Use::Both => format!("{}:{value}", edit.code.text(at)).into(),
            _ => value.into(),
        };
    }
    for at in name..name + 3 {
        edit.set(at, "");
    }
}
