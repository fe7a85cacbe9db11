//! Support for the line editor: where a statement ends, and which names begin with the typed text.

use rustyline::completion::Completer;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Context, Helper};
use traceloom_query::Names;
use traceloom_query::dialect::{Source, TokenKind, tokenize};

use super::commands::{COMMANDS, is_command};

/// The helper of the line editor.
pub(super) struct Typed {
    names: Names,
}

impl Typed {
    pub fn new(names: Names) -> Self {
        Self { names }
    }
}

impl Completer for Typed {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        place: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        let typed = line.get(..place).unwrap_or_default();
        if is_command(typed) && !typed.contains(' ') {
            let names = COMMANDS.iter().filter(|name| name.starts_with(typed));
            return Ok((0, names.map(|&name| name.to_owned()).collect()));
        }
        let (start, names) = self.names.complete(typed);
        let mut names: Vec<String> = names.iter().map(|(_, name)| (*name).to_owned()).collect();
        names.dedup();
        Ok((start, names))
    }
}

impl Validator for Typed {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        Ok(if is_complete(context.input()) {
            ValidationResult::Valid(None)
        } else {
            ValidationResult::Incomplete
        })
    }
}

/// Whether a text is a command, or ends with a semicolon that is not part of a string or comment.
fn is_complete(text: &str) -> bool {
    if text.trim().is_empty() || is_command(text) {
        return true;
    }
    // A string or comment that is not closed continues in the next line.
    let Ok(tokens) = tokenize(&Source::new("input", text)) else {
        return false;
    };
    let last = tokens.iter().rev().find(|token| !token.is_space());
    last.is_some_and(|token| token.kind == TokenKind::Semicolon)
}

impl Helper for Typed {}
impl Highlighter for Typed {}
impl Hinter for Typed {
    type Hint = String;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_ends_with_a_semicolon_outside_of_strings() {
        for text in [
            "SELECT 1;",
            "SELECT ';';",
            "SELECT 1; -- done",
            ".help",
            "",
            "  \n",
            "a; b ; ",
        ] {
            assert!(is_complete(text), "{text:?}");
        }
        for text in [
            "SELECT 1",
            "SELECT ';",
            "SELECT 1 -- ;",
            "SELECT 1 /* ;",
            "a; b",
            "SELECT \"x;",
        ] {
            assert!(!is_complete(text), "{text:?}");
        }
    }
}
