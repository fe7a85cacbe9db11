//! Reads the tokens of a statement one after the other.

use std::sync::Arc;

use crate::dialect::error::{Error, Problem, quoted};
use crate::dialect::source::{Fragment, Source, Span};
use crate::dialect::tokens::{Token, TokenKind, is_reserved};
use crate::dialect::types::Name;

/// A position among the tokens of a statement.
#[derive(Clone)]
pub(super) struct Cursor<'a> {
    source: &'a Arc<Source>,
    /// The tokens that are left, without spaces.
    tokens: &'a [Token],
    /// Offset of the end of the statement.
    end: usize,
}

impl<'a> Cursor<'a> {
    pub fn new(source: &'a Arc<Source>, tokens: &'a [Token], end: usize) -> Self {
        Self {
            source,
            tokens,
            end,
        }
    }

    /// The next token, without taking it.
    pub fn peek(&self) -> Option<Token> {
        self.tokens.first().copied()
    }

    fn peek_kind(&self, index: usize) -> Option<TokenKind> {
        self.tokens.get(index).map(|token| token.kind)
    }

    fn advance(&mut self) {
        self.tokens = self.tokens.get(1..).unwrap_or_default();
    }

    /// Whether these keywords are next.
    pub fn starts_with(&self, words: &[&str]) -> bool {
        let text = self.source.text();
        let next = self.tokens.get(..words.len()).unwrap_or_default();
        !next.is_empty()
            && next
                .iter()
                .zip(words)
                .all(|(token, word)| token.is_word(text, word))
    }

    /// Takes a keyword if it is next.
    pub fn accept_word(&mut self, word: &str) -> bool {
        let found = self.starts_with(&[word]);
        if found {
            self.advance();
        }
        found
    }

    /// Takes a token if it is next.
    pub fn accept(&mut self, kind: TokenKind) -> bool {
        let found = self.peek_kind(0) == Some(kind);
        if found {
            self.advance();
        }
        found
    }

    /// Takes a keyword.
    pub fn word(&mut self, word: &'static str) -> Result<(), Error> {
        if self.accept_word(word) {
            Ok(())
        } else {
            Err(self.expected(word))
        }
    }

    /// Takes a token.
    pub fn token(&mut self, kind: TokenKind, expected: &'static str) -> Result<(), Error> {
        if self.accept(kind) {
            Ok(())
        } else {
            Err(self.expected(expected))
        }
    }

    /// Takes a word even if it is a keyword: a part of a module's name may be one.
    pub fn any_word(&mut self) -> Option<&'a str> {
        let token = self.peek().filter(|token| token.kind == TokenKind::Word)?;
        self.advance();
        Some(self.text(token.span()))
    }

    /// Takes the name of a table, view, function, macro or index. As in SQLite, it may be a string.
    pub fn name(&mut self, expected: &'static str) -> Result<Name, Error> {
        if self.peek_kind(0) == Some(TokenKind::String) {
            return self.take_name(expected);
        }
        self.identifier(expected)
    }

    /// Takes the name of any other object. It may be quoted, but not as a string.
    pub fn identifier(&mut self, expected: &'static str) -> Result<Name, Error> {
        let token = self.peek().filter(|token| match token.kind {
            TokenKind::Word => !is_reserved(self.text(token.span())),
            kind => kind == TokenKind::QuotedName,
        });
        match token {
            Some(_) => self.take_name(expected),
            None => Err(self.expected(expected)),
        }
    }

    /// Takes a string.
    pub fn string(&mut self) -> Option<Name> {
        match self.peek_kind(0) {
            Some(TokenKind::String) => self.take_name("a string").ok(),
            _ => None,
        }
    }

    fn take_name(&mut self, expected: &'static str) -> Result<Name, Error> {
        let token = self.peek().ok_or_else(|| self.expected(expected))?;
        self.advance();
        let text = unquoted(self.text(token.span()));
        Ok(Name {
            text,
            span: token.span(),
        })
    }

    /// Takes everything that is left.
    pub fn rest(&mut self, expected: &'static str) -> Result<Fragment, Error> {
        let first = self.peek().ok_or_else(|| self.expected(expected))?;
        self.tokens = &[];
        Ok(self.fragment(Span::new(first.span().start, self.end)))
    }

    /// Takes everything up to the parenthesis that is the last token. `None` if the last token is another one.
    pub fn until_last_parenthesis(&mut self) -> Option<Fragment> {
        let (last, inside) = self.tokens.split_last()?;
        let (first, end) = (inside.first()?, inside.last()?);
        self.tokens = &[];
        let span = Span::new(first.span().start, end.span().end);
        (last.kind == TokenKind::RightParen).then(|| self.fragment(span))
    }

    /// Takes everything that is left, which must look like a query or like a macro call.
    pub fn query(&mut self) -> Result<Fragment, Error> {
        let starts = ["SELECT", "WITH", "VALUES"]
            .iter()
            .any(|word| self.starts_with(&[word]));
        if !starts && self.peek_kind(1) != Some(TokenKind::Bang) {
            return Err(self.expected("SELECT, WITH or VALUES"));
        }
        self.rest("a query")
    }

    /// Checks that nothing is left.
    pub fn finish(&self) -> Result<(), Error> {
        if self.tokens.is_empty() {
            Ok(())
        } else {
            Err(self.expected("the end of the statement"))
        }
    }

    /// Offset of the end of the statement.
    pub fn end(&self) -> usize {
        self.end
    }

    /// Text of a range of the source.
    pub fn text(&self, span: Span) -> &'a str {
        span.of(self.source.text())
    }

    /// A range of the source.
    pub fn fragment(&self, span: Span) -> Fragment {
        Fragment::new(self.source, span)
    }

    /// A problem at a range of the source.
    pub fn error(&self, span: Span, problem: Problem) -> Error {
        Error::new(self.fragment(span), problem)
    }

    /// The next token is not what was expected.
    pub fn expected(&self, expected: &'static str) -> Error {
        let end = Span::new(self.end, self.end);
        let span = self.peek().map_or(end, |token| token.span());
        let found = match self.text(span) {
            "" => "the end of the statement".into(),
            text => quoted(text),
        };
        self.error(span, Problem::Expected { expected, found })
    }
}

/// A name without its quotes.
fn unquoted(text: &str) -> String {
    let inside = |open: char, close: char| text.strip_prefix(open)?.strip_suffix(close);
    if let Some(name) = inside('[', ']') {
        return name.into();
    }
    for quote in ['"', '`', '\''] {
        if let Some(name) = inside(quote, quote) {
            let mark = quote.to_string();
            return name.replace(&mark.repeat(2), &mark);
        }
    }
    text.into()
}
