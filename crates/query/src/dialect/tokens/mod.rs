//! SQLite's tokens, and `!`, which PerfettoSQL adds.

mod scan;
mod words;

use std::sync::Arc;

use super::error::{Error, Problem};
use super::source::{Fragment, Source, Span};

pub(super) use scan::is_name;
pub(super) use words::is_reserved;

/// The kinds of token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// White space.
    Space,
    /// `-- …` up to the end of the line, or `/* … */`.
    Comment,
    /// A name without quotes, or a keyword.
    Word,
    /// `"x"`, `[x]` or `` `x` ``.
    QuotedName,
    /// `'x'`.
    String,
    /// `x'00ff'`.
    Blob,
    /// `12`, `0x1f`, `1_000`.
    Integer,
    /// `1.5`, `.5`, `1e9`.
    Float,
    /// `?`, `?1`, `:x`, `@x`, `#x`, `$x`, `$x::y`, `$x(y)`.
    Variable,
    /// `;`.
    Semicolon,
    /// `,`.
    Comma,
    /// `.`.
    Dot,
    /// `(`.
    LeftParen,
    /// `)`.
    RightParen,
    /// `*`.
    Star,
    /// `!` alone, which is part of a macro call.
    Bang,
    /// Any other operator.
    Operator,
}

/// A token and where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// The bytes it covers.
    pub span: Span,
}

impl Token {
    /// Whether it separates other tokens and means nothing itself.
    pub fn is_space(&self) -> bool {
        matches!(self.kind, TokenKind::Space | TokenKind::Comment)
    }

    /// Its text, if `text` is what it was read from.
    pub fn text<'a>(&self, text: &'a str) -> &'a str {
        text.get(self.span.start..self.span.end).unwrap_or_default()
    }

    /// Whether it is this keyword; case does not matter.
    pub fn is_word(&self, text: &str, word: &str) -> bool {
        self.kind == TokenKind::Word && self.text(text).eq_ignore_ascii_case(word)
    }
}

/// What cannot be a token, and where it is.
pub(super) type TokenError = (Span, Problem);

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
pub(super) fn tokens_of(text: &str) -> Result<Vec<Token>, TokenError> {
    if let Some(at) = text.find('\0') {
        return Err((Span::new(at, at + 1), Problem::Nul));
    }
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let (kind, end) = scan::token(text, at)?;
        tokens.push(Token {
            kind,
            span: Span::new(at, end),
        });
        at = end;
    }
    Ok(tokens)
}
