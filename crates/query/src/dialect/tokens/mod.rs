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
    // 32 bits, because a script may consist of millions of tokens.
    start: u32,
    end: u32,
}

impl Token {
    /// The bytes it covers.
    pub fn span(&self) -> Span {
        Span::new(self.start as usize, self.end as usize)
    }

    /// Whether it separates other tokens and means nothing itself.
    pub fn is_space(&self) -> bool {
        matches!(self.kind, TokenKind::Space | TokenKind::Comment)
    }

    /// Its text, if `text` is what it was read from.
    pub fn text<'a>(&self, text: &'a str) -> &'a str {
        self.span().of(text)
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

/// Refuses texts with NUL characters, and those whose offsets do not fit into a token.
fn check(text: &str) -> Result<(), TokenError> {
    if u32::try_from(text.len()).is_err() {
        return Err((Span::default(), Problem::TooLong));
    }
    match text.find('\0') {
        Some(at) => Err((Span::new(at, at + 1), Problem::Nul)),
        None => Ok(()),
    }
}
