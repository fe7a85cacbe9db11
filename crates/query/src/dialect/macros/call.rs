//! Finds macro calls.

use crate::dialect::error::{Problem, quoted};
use crate::dialect::source::Span;
use crate::dialect::tokens::{Token, TokenError, TokenKind};

/// `name!(argument, …)`.
pub(super) struct Call<'a> {
    pub name: &'a str,
    /// The name.
    pub span: Span,
    /// The arguments, without surrounding spaces and comments, as byte ranges.
    pub arguments: Vec<Span>,
    /// Index of the token after the call.
    pub next: usize,
    /// Offset of the end of the call.
    pub end: usize,
}

impl<'a> Call<'a> {
    /// The call whose name is the token at `index`, if it is one.
    pub fn find(text: &'a str, tokens: &[Token], index: usize) -> Result<Option<Self>, TokenError> {
        let Some(name) = tokens.get(index) else {
            return Ok(None);
        };
        if name.kind == TokenKind::Bang {
            return Err((name.span(), Problem::Bang));
        }
        if name.kind != TokenKind::Word {
            return Ok(None);
        }
        let mut next = index + 1;
        while tokens.get(next).is_some_and(Token::is_space) {
            next += 1;
        }
        match tokens.get(next) {
            Some(bang) if bang.kind == TokenKind::Bang => {
                Self::read(text, tokens, *name, next + 1, bang.span()).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Reads the arguments. `open` is the index after `!`.
    fn read(
        text: &'a str,
        tokens: &[Token],
        name: Token,
        open: usize,
        bang: Span,
    ) -> Result<Self, TokenError> {
        if tokens
            .get(open)
            .is_none_or(|token| token.kind != TokenKind::LeftParen)
        {
            return Err((bang, Problem::Bang));
        }
        let span = name.span();
        let name = name.text(text);
        let unclosed = || (span, Problem::UnclosedCall(quoted(name)));
        let list = List::read(tokens, open).ok_or_else(unclosed)?;
        let arguments = list.arguments();
        Ok(Self {
            name,
            span,
            arguments,
            next: list.next,
            end: list.end,
        })
    }
}

/// A list in parentheses.
pub(super) struct List {
    /// The items, without surrounding spaces and comments, as byte ranges; `None` for an empty item.
    pub items: Vec<Option<Span>>,
    /// Index of the token after it.
    pub next: usize,
    /// Offset of its end.
    pub end: usize,
}

impl List {
    /// The list whose opening parenthesis is the token at `open`; `None` if it is not closed.
    pub fn read(tokens: &[Token], open: usize) -> Option<Self> {
        let mut list = Self {
            items: Vec::new(),
            next: open,
            end: 0,
        };
        let mut depth = 0_usize;
        let mut item = None;
        for token in tokens.get(open..)? {
            list.next += 1;
            match token.kind {
                TokenKind::LeftParen => depth += 1,
                TokenKind::RightParen => depth -= 1,
                _ => {}
            }
            if depth == 0 || (depth == 1 && token.kind == TokenKind::Comma) {
                list.items.push(item.take());
            } else if list.next > open + 1 && !token.is_space() {
                item.get_or_insert(token.span()).end = token.span().end;
            }
            if depth == 0 {
                list.end = token.span().end;
                return Some(list);
            }
        }
        None
    }

    /// The items as arguments of a call. An empty one is an argument too, except if it is the only one.
    fn arguments(&self) -> Vec<Span> {
        if let [None] = self.items.as_slice() {
            return Vec::new();
        }
        let items = self.items.iter();
        items.map(|item| item.unwrap_or_default()).collect()
    }
}
