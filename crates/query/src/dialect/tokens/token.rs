//! Tokens.

use crate::dialect::error::Problem;
use crate::dialect::source::Span;

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

/// A token and its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// The kind.
    pub kind: TokenKind,
    // 32 bits, because a script may consist of millions of tokens.
    pub(super) start: u32,
    pub(super) end: u32,
}

impl Token {
    /// The bytes it covers.
    pub fn span(&self) -> Span {
        Span::new(self.start as usize, self.end as usize)
    }

    /// Whether it only separates other tokens.
    pub fn is_space(&self) -> bool {
        matches!(self.kind, TokenKind::Space | TokenKind::Comment)
    }

    /// Its text, if `text` is the text that it was read from.
    pub fn text<'a>(&self, text: &'a str) -> &'a str {
        self.span().of(text)
    }

    /// Whether it is this keyword; case does not matter.
    pub fn is_word(&self, text: &str, word: &str) -> bool {
        self.kind == TokenKind::Word && self.text(text).eq_ignore_ascii_case(word)
    }
}

/// A piece of text that cannot be a token, and the problem.
pub(crate) type TokenError = (Span, Problem);
