//! Finds the ends of statements.

use crate::dialect::tokens::{Token, TokenKind};

/// The tokens of each statement, without semicolons. Empty statements are left out. `tokens` contains no spaces.
pub(super) fn split<'a>(text: &str, tokens: &'a [Token]) -> Vec<&'a [Token]> {
    let mut statements = Vec::new();
    let mut rest = tokens;
    while !rest.is_empty() {
        let end = if is_trigger(text, rest) {
            trigger_end(text, rest)
        } else {
            next_end(rest)
        };
        let (statement, following) = rest.split_at(end);
        rest = following.get(1..).unwrap_or_default();
        if !statement.is_empty() {
            statements.push(statement);
        }
    }
    statements
}

fn next_end(tokens: &[Token]) -> usize {
    let end = tokens
        .iter()
        .position(|token| token.kind == TokenKind::Semicolon);
    end.unwrap_or(tokens.len())
}

/// Whether a statement is `CREATE [TEMP] TRIGGER`, which contains semicolons.
fn is_trigger(text: &str, tokens: &[Token]) -> bool {
    let mut words = tokens
        .iter()
        .map(|token| token.text(text).to_ascii_uppercase());
    let mut word = words.next();
    if word.as_deref() == Some("EXPLAIN") {
        word = words.next();
        if word.as_deref() == Some("QUERY") {
            word = words.nth(1);
        }
    }
    if word.as_deref() != Some("CREATE") {
        return false;
    }
    let word = words.next();
    match word.as_deref() {
        Some("TEMP" | "TEMPORARY") => words.next().as_deref() == Some("TRIGGER"),
        word => word == Some("TRIGGER"),
    }
}

/// A trigger ends with `; END`. `END` after something else belongs to a `CASE`.
fn trigger_end(text: &str, tokens: &[Token]) -> usize {
    let ends = tokens.windows(2).position(|pair| {
        matches!(pair, [semicolon, end]
            if semicolon.kind == TokenKind::Semicolon && end.is_word(text, "END"))
    });
    let Some(end) = ends else { return tokens.len() };
    let after = tokens.get(end + 2..).unwrap_or_default();
    end + 2 + next_end(after)
}
