//! SQLite's tokens, and `!`, which PerfettoSQL adds.

mod scan;
mod token;
mod words;

use std::sync::Arc;

use super::error::{Error, Problem};
use super::source::{Fragment, Source, Span};

pub(super) use scan::is_name;
pub(crate) use token::TokenError;
pub use token::{Token, TokenKind};
pub(super) use words::is_reserved;

/// Splits a source into tokens. Together they cover the whole text, without gaps.
///
/// The rules are those of SQLite, with two exceptions: `!` alone is a token, and a comment that is not closed is an
/// error. SQLite would ignore the rest of the text.
///
/// # Errors
/// If a string, quoted name or comment is not closed, or something is not a token.
pub fn tokenize(source: &Arc<Source>) -> Result<Vec<Token>, Error> {
    let place = |(span, problem)| Error::new(Fragment::new(source, span), problem);
    tokens_of(source.text()).map_err(place)
}

/// Splits a text into tokens.
pub(crate) fn tokens_of(text: &str) -> Result<Vec<Token>, TokenError> {
    check(text)?;
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let (kind, end) = scan::token(text, at)?;
        tokens.push(Token {
            kind,
            start: at as u32,
            end: end as u32,
        });
        at = end;
    }
    Ok(tokens)
}

/// Rejects texts with NUL characters, and texts whose offsets do not fit into a token.
fn check(text: &str) -> Result<(), TokenError> {
    if u32::try_from(text.len()).is_err() {
        return Err((Span::default(), Problem::TooLong));
    }
    match text.find('\0') {
        Some(at) => Err((Span::new(at, at + 1), Problem::Nul)),
        None => Ok(()),
    }
}
