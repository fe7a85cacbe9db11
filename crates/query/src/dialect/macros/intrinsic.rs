//! The macros that are built in. They work on the texts of their arguments.

use super::call::{Call, List};
use crate::dialect::error::Problem;
use crate::dialect::map::Mapped;
use crate::dialect::source::Span;
use crate::dialect::tokens::{TokenError, TokenKind, tokens_of};

/// A built-in macro.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Intrinsic {
    /// `stringify!(text)`: the text as a string literal.
    Stringify,
    /// `token_apply!(m, (a, b), (x, y))`: `m!(a, x)`, then `m!(b, y)`, up to the end of the shorter list. The second
    /// list may be missing.
    Apply(Join),
}

/// How the calls of `token_apply!` are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Join {
    /// The text between two calls.
    joiner: &'static str,
    /// Whether it also precedes the first.
    prefix: bool,
}

impl Intrinsic {
    /// The built-in macro of that name.
    pub fn find(name: &str) -> Option<Self> {
        let (joiner, prefix) = match name.strip_prefix("__intrinsic_")? {
            "stringify" | "stringify_ignore_table" => return Some(Self::Stringify),
            "token_apply" => (", ", false),
            "token_apply_prefix" => (", ", true),
            "token_apply_and" => (" AND ", false),
            "token_apply_and_prefix" => (" AND ", true),
            _ => return None,
        };
        Some(Self::Apply(Join { joiner, prefix }))
    }

    /// The text that replaces a call in `layer`, of at most `limit` bytes.
    pub fn expand(self, layer: &Mapped, call: &Call, limit: usize) -> Result<Mapped, TokenError> {
        match (self, call.arguments.as_slice()) {
            (Self::Stringify, [argument]) => Ok(stringify(layer, call, *argument, limit)),
            (Self::Apply(join), [name, first]) => {
                let calls = items(layer, *first)?.into_iter().map(|item| vec![item]);
                Ok(join.apply(layer, call, limit, *name, calls))
            }
            (Self::Apply(join), [name, first, second]) => {
                let (first, second) = (items(layer, *first)?, items(layer, *second)?);
                let calls = first.into_iter().zip(second);
                Ok(join.apply(
                    layer,
                    call,
                    limit,
                    *name,
                    calls.map(|(first, second)| vec![first, second]),
                ))
            }
            _ => Err((call.span, self.wrong_count(call))),
        }
    }

    fn wrong_count(self, call: &Call) -> Problem {
        let expected = match self {
            Self::Stringify => "1 argument",
            Self::Apply(_) => "2 or 3 arguments",
        };
        let (name, found) = (call.name.into(), call.arguments.len());
        Problem::ArgumentCount {
            name,
            expected: expected.into(),
            found,
        }
    }
}

impl Join {
    /// Calls the macro `name` once for each list of arguments.
    fn apply(
        self,
        layer: &Mapped,
        call: &Call,
        limit: usize,
        name: Span,
        calls: impl Iterator<Item = Vec<Span>>,
    ) -> Mapped {
        let mut out = Mapped::limited(limit);
        for (index, arguments) in calls.enumerate() {
            if index > 0 || self.prefix {
                generate(&mut out, self.joiner, layer, call);
            }
            out.push_range(layer, name);
            for (index, argument) in arguments.into_iter().enumerate() {
                let before = if index == 0 { "!(" } else { ", " };
                generate(&mut out, before, layer, call);
                out.push_range(layer, argument);
            }
            generate(&mut out, ")", layer, call);
        }
        out
    }
}

/// The argument between quotes. Quotes within it are doubled, unless it is the inside of a literal.
fn stringify(layer: &Mapped, call: &Call, argument: Span, limit: usize) -> Mapped {
    let mut out = Mapped::limited(limit);
    let quote = |out: &mut Mapped| generate(out, "'", layer, call);
    quote(&mut out);
    let mut start = argument.start;
    let text = argument.of(&layer.text);
    let is_plain = !is_inside_of_literal(text);
    for (at, mark) in text.match_indices('\'').filter(|_| is_plain) {
        let end = argument.start + at + mark.len();
        out.push_range(layer, Span::new(start, end));
        quote(&mut out);
        start = end;
    }
    out.push_range(layer, Span::new(start, argument.end));
    quote(&mut out);
    out
}

/// Whether all quotes are doubled, and some follow a name. No SQL literal can begin there, as in `it''s`.
fn is_inside_of_literal(text: &str) -> bool {
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut quotes = text.match_indices("''");
    let follows_name = quotes.any(|(at, _)| text[..at].ends_with(is_name));
    follows_name && !text.replace("''", "").contains('\'')
}

/// Appends generated text. Its origin is the place of the call.
fn generate(out: &mut Mapped, text: &str, layer: &Mapped, call: &Call) {
    if let Some(origin) = layer.origin(call.span.start) {
        out.push(text, origin.generating());
    }
}

/// The items of an argument such as `(a, b)`. A comma may follow the last.
fn items(layer: &Mapped, argument: Span) -> Result<Vec<Span>, TokenError> {
    let refused = || (argument, Problem::List);
    let text = argument.of(&layer.text);
    let tokens = tokens_of(text).map_err(|_| refused())?;
    let open = tokens
        .first()
        .is_some_and(|token| token.kind == TokenKind::LeftParen);
    let list = if open { List::read(&tokens, 0) } else { None };
    let mut list = list
        .filter(|list| list.next == tokens.len())
        .ok_or_else(refused)?;
    list.items.pop_if(|last| last.is_none());
    let from = argument.start;
    let moved = |item: Span| Span::new(from + item.start, from + item.end);
    let items = list.items.into_iter().map(|item| item.map(moved));
    items.collect::<Option<_>>().ok_or_else(refused)
}
