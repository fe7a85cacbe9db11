//! The macros that are built in. They work on the texts of their arguments.

use std::ops::Range;

use super::call::{Call, List};
use crate::dialect::error::Problem;
use crate::dialect::map::Mapped;
use crate::dialect::source::Span;
use crate::dialect::tokens::{TokenError, tokens_of};

/// A built-in macro.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Intrinsic {
    /// `stringify!(text)`: the text as a string literal.
    Stringify,
    /// `token_apply!(m, (a, b), (x, y))`: `m!(a, x)`, then `m!(b, y)`, up to the end of the shorter list. The second
    /// list may be missing.
    Apply {
        /// The text between two calls.
        joiner: &'static str,
        /// Whether it also precedes the first.
        prefix: bool,
    },
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
        Some(Self::Apply { joiner, prefix })
    }

    /// What a call in `layer` stands for.
    pub fn expand(self, layer: &Mapped, call: &Call) -> Result<Mapped, TokenError> {
        match (self, call.arguments.as_slice()) {
            (Self::Stringify, [argument]) => Ok(stringify(layer, call, argument)),
            (Self::Apply { joiner, prefix }, [name, first]) => {
                let first = items(layer, first)?;
                let calls = first.into_iter().map(|item| (item, None));
                Ok(apply(layer, call, name, joiner, prefix, calls))
            }
            (Self::Apply { joiner, prefix }, [name, first, second]) => {
                let (first, second) = (items(layer, first)?, items(layer, second)?);
                let calls = first.into_iter().zip(second.into_iter().map(Some));
                Ok(apply(layer, call, name, joiner, prefix, calls))
            }
            _ => Err((call.span, self.wrong_count(call))),
        }
    }

    fn wrong_count(self, call: &Call) -> Problem {
        let expected = match self {
            Self::Stringify => "1 argument",
            Self::Apply { .. } => "2 or 3 arguments",
        };
        let (name, found) = (call.name.into(), call.arguments.len());
        Problem::ArgumentCount {
            name,
            expected: expected.into(),
            found,
        }
    }
}

/// The argument between quotes. Quotes within it are doubled.
fn stringify(layer: &Mapped, call: &Call, argument: &Range<usize>) -> Mapped {
    let mut out = Mapped::default();
    let quote = |out: &mut Mapped| generate(out, "'", layer, call);
    quote(&mut out);
    let text = layer.text.get(argument.clone()).unwrap_or_default();
    let mut start = argument.start;
    for (at, mark) in text.match_indices('\'') {
        let end = argument.start + at + mark.len();
        out.push_range(layer, start..end);
        quote(&mut out);
        start = end;
    }
    out.push_range(layer, start..argument.end);
    quote(&mut out);
    out
}

fn apply(
    layer: &Mapped,
    call: &Call,
    name: &Range<usize>,
    joiner: &str,
    prefix: bool,
    calls: impl Iterator<Item = (Range<usize>, Option<Range<usize>>)>,
) -> Mapped {
    let mut out = Mapped::default();
    for (index, (first, second)) in calls.enumerate() {
        if index > 0 || prefix {
            generate(&mut out, joiner, layer, call);
        }
        out.push_range(layer, name.clone());
        generate(&mut out, "!(", layer, call);
        out.push_range(layer, first);
        if let Some(second) = second {
            generate(&mut out, ", ", layer, call);
            out.push_range(layer, second);
        }
        generate(&mut out, ")", layer, call);
    }
    out
}

/// Appends text that nobody wrote. It comes from the place of the call.
fn generate(out: &mut Mapped, text: &str, layer: &Mapped, call: &Call) {
    if let Some(origin) = layer.origin(call.span.start) {
        out.push(text, origin.generating());
    }
}

/// The items of an argument such as `(a, b)`. A comma may follow the last.
fn items(layer: &Mapped, argument: &Range<usize>) -> Result<Vec<Range<usize>>, TokenError> {
    let Range { start, end } = *argument;
    let span = Span::new(start, end);
    let refused = || (span, Problem::List);
    let text = layer.text.get(start..end).unwrap_or_default();
    let tokens = tokens_of(text).map_err(|_| refused())?;
    let open = tokens.first().is_some_and(|token| token.text(text) == "(");
    let list = if open { List::read(&tokens, 0) } else { None };
    let mut list = list
        .filter(|list| list.next == tokens.len())
        .ok_or_else(refused)?;
    list.items.pop_if(|last| last.is_none());
    let items = list.items.into_iter();
    let items = items.map(|item| item.map(|item| start + item.start..start + item.end));
    items.collect::<Option<_>>().ok_or_else(refused)
}
