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

/// Whether a statement is `CREATE [TEMP] TRIGGER`, which contains semicolons. SQLite's `sqlite3_complete` checks the
/// same words.
fn is_trigger(text: &str, tokens: &[Token]) -> bool {
    let is = |token: &Token, words: &[&str]| words.iter().any(|word| token.is_word(text, word));
    let explain = tokens.first().is_some_and(|token| is(token, &["EXPLAIN"]));
    let mut tokens = tokens
        .get(usize::from(explain)..)
        .unwrap_or_default()
        .iter()
        .peekable();
    let marks = |token: &&Token| token.kind == TokenKind::Semicolon || is(token, MARKS);
    while explain && tokens.next_if(|token| !marks(token)).is_some() {}
    if !tokens.next().is_some_and(|token| is(token, &["CREATE"])) {
        return false;
    }
    while tokens
        .next_if(|token| is(token, &["TEMP", "TEMPORARY"]))
        .is_some()
    {}
    tokens.next().is_some_and(|token| is(token, &["TRIGGER"]))
}

/// The words that end the search for `CREATE` after `EXPLAIN`.
const MARKS: &[&str] = &["EXPLAIN", "CREATE", "TEMP", "TEMPORARY", "TRIGGER", "END"];

/// A trigger ends with `; END` and a semicolon. `END` after something else belongs to a `CASE`.
fn trigger_end(text: &str, tokens: &[Token]) -> usize {
    let semicolon = |index: usize| {
        let token = tokens.get(index);
        token.is_none_or(|token| token.kind == TokenKind::Semicolon)
    };
    let mut ends = tokens
        .iter()
        .enumerate()
        .filter(|(_, token)| token.is_word(text, "END"));
    let end = ends.find(|(index, _)| semicolon(index.wrapping_sub(1)) && semicolon(index + 1));
    end.map_or(tokens.len(), |(index, _)| index + 1)
}
