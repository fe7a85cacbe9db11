//! Expands macro calls.
//!
//! A call is replaced by the body of its macro, in which `$name` is replaced by the text of the argument. The result is
//! a *layer*: text that is searched for calls again. So arguments are expanded after they were inserted, and a macro's
//! name may be an argument itself.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::call::Call;
use super::definition::Macro;
use super::intrinsic::Intrinsic;
use crate::dialect::error::{Error, Problem, quoted};
use crate::dialect::location::Location;
use crate::dialect::map::{Frame, Mapped, Origin};
use crate::dialect::source::{Fragment, Span};
use crate::dialect::tokens::{Token, TokenError, TokenKind, is_name, tokens_of};

/// The maximum nesting depth of calls.
const MAX_DEPTH: usize = 64;
/// The maximum total size of all layers, bytes.
const MAX_BYTES: usize = 4 << 20;
/// The number of bytes that each call adds to the total, because its place is stored.
const CALL_BYTES: usize = 32;

/// The text without macro calls.
pub(super) fn expand(
    macros: &FxHashMap<String, Arc<Macro>>,
    whole: &Fragment,
) -> Result<Mapped, Error> {
    let mut expander = Expander {
        macros,
        whole,
        bytes: 0,
    };
    let mut out = Mapped::default();
    expander.layer(&Mapped::written(whole), 0, &mut out)?;
    Ok(out)
}

/// The row number in Perfetto's tables. It is replaced by SQLite's row number, which counts from 1.
const AUTO_ID: &str = "_auto_id";

struct Expander<'a> {
    macros: &'a FxHashMap<String, Arc<Macro>>,
    /// What is expanded.
    whole: &'a Fragment,
    /// The size of the text generated so far, bytes.
    bytes: usize,
}

impl Expander<'_> {
    /// Appends a layer to `out` and replaces its calls.
    fn layer(&mut self, layer: &Mapped, depth: usize, out: &mut Mapped) -> Result<(), Error> {
        let whole = self.whole;
        let place = |error| located(whole, layer, error);
        let tokens = tokens_of(&layer.text).map_err(place)?;
        let (mut index, mut copied) = (0, 0);
        while let Some(token) = tokens.get(index) {
            let Some(call) = Call::find(&layer.text, &tokens, index).map_err(place)? else {
                if token.text(&layer.text).eq_ignore_ascii_case(AUTO_ID) {
                    append(out, layer, Span::new(copied, token.span().start));
                    if let Some(origin) = layer.origin(token.span().start) {
                        append_written(out, "rowid", origin.generating());
                    }
                    copied = token.span().end;
                }
                if let Some(span) = no_arguments(&layer.text, &tokens[..], index) {
                    append(out, layer, Span::new(copied, span.start));
                    copied = span.end;
                }
                index += 1;
                continue;
            };
            append(out, layer, Span::new(copied, token.span().start));
            let body = self.body(layer, &call, depth).map_err(place)?;
            self.layer(&body, depth + 1, out)?;
            (index, copied) = (call.next, call.end);
        }
        append(out, layer, Span::new(copied, layer.text.len()));
        Ok(())
    }

    /// The layer that replaces a call.
    fn body(&mut self, layer: &Mapped, call: &Call, depth: usize) -> Result<Mapped, TokenError> {
        if depth == MAX_DEPTH {
            return Err((call.span, Problem::Depth(MAX_DEPTH)));
        }
        let limit = MAX_BYTES.saturating_sub(self.bytes);
        let body = match Intrinsic::find(call.name) {
            Some(intrinsic) => intrinsic.expand(layer, call, limit)?,
            None => self.defined(layer, call, limit)?,
        };
        self.bytes += body.cost() + CALL_BYTES;
        if body.is_full() || self.bytes > MAX_BYTES {
            return Err((call.span, Problem::Size(MAX_BYTES)));
        }
        Ok(body)
    }

    fn defined(&self, layer: &Mapped, call: &Call, limit: usize) -> Result<Mapped, TokenError> {
        let name = || quoted(call.name);
        let found = self.macros.get(call.name);
        let found = found.ok_or_else(|| (call.span, Problem::UnknownMacro(name())))?;
        let count = call.arguments.len();
        if count != found.arguments {
            return Err((call.span, wrong_count(found, count)));
        }
        let Some(origin) = layer.origin(call.span.start) else {
            return Ok(Mapped::default());
        };
        if calls_itself(&origin, call.name) {
            return Err((call.span, Problem::Recursion(name())));
        }
        let mut body = Mapped::limited(limit);
        substitute(found, layer, call, origin, &mut body);
        Ok(body)
    }
}

/// The empty parentheses of `FROM name()`, if they begin at this token. They are removed: a function that returns a
/// table means the same without them. SQLite allows them only after functions, but people also write them after tables.
fn no_arguments(text: &str, tokens: &[Token], index: usize) -> Option<Span> {
    let open = tokens.get(index)?;
    if open.kind != TokenKind::LeftParen {
        return None;
    }
    let is_token = |token: &&Token| !token.is_space();
    let from = tokens[..index].iter().rev().filter(is_token).nth(1)?;
    let close = tokens[index + 1..].iter().find(is_token)?;
    let is_source = from.is_word(text, "FROM") || from.is_word(text, "JOIN");
    let is_empty = close.kind == TokenKind::RightParen;
    (is_source && is_empty).then(|| Span::new(open.span().start, close.span().end))
}

/// Appends the body of a macro, with the call's arguments inserted.
fn substitute(found: &Macro, layer: &Mapped, call: &Call, origin: Origin, out: &mut Mapped) {
    let frame = Arc::new(Frame {
        name: Arc::clone(&found.name),
        call: origin,
    });
    let body = Origin {
        frame: Some(frame),
        ..Origin::of(&found.body)
    };
    let text = found.body.text();
    let mut copied = 0;
    for reference in &found.references {
        let before = Span::new(copied, reference.span.start);
        append_written(out, before.of(text), body.clone().advanced(copied));
        let argument = call.arguments.get(reference.argument);
        append(out, layer, argument.copied().unwrap_or_default());
        copied = reference.span.end;
    }
    let rest = Span::new(copied, text.len());
    append_written(out, rest.of(text), body.advanced(copied));
}

/// Whether a call was written in the body of the macro that it calls, or in the body of a macro called from there.
fn calls_itself(call: &Origin, name: &str) -> bool {
    let mut frame = call.frame.as_ref();
    while let Some(around) = frame {
        if &*around.name == name {
            return true;
        }
        frame = around.call.frame.as_ref();
    }
    false
}

fn wrong_count(found: &Macro, count: usize) -> Problem {
    let expected = match found.arguments {
        0 => "no arguments".into(),
        1 => "1 argument".into(),
        more => format!("{more} arguments"),
    };
    Problem::ArgumentCount {
        name: quoted(&found.name),
        expected,
        found: count,
    }
}

fn located(whole: &Fragment, layer: &Mapped, (span, problem): TokenError) -> Error {
    let origin = layer.origin(span.start);
    let location = origin.map(|origin| origin.location(span.end - span.start));
    let location = location.unwrap_or_else(|| Location::new(whole.clone()));
    Error::at(location, problem)
}

/// Appends a range of a layer. A space separates its first token from the last token of `out` if necessary: the
/// argument `-1` in `-$x` must not create a comment.
fn append(out: &mut Mapped, layer: &Mapped, range: Span) {
    if needs_space(out, range.of(&layer.text))
        && let Some(origin) = layer.origin(range.start)
    {
        out.push(" ", origin.generating());
    }
    out.push_range(layer, range);
}

/// Like [`append`], for text from one origin.
fn append_written(out: &mut Mapped, text: &str, origin: Origin) {
    if needs_space(out, text) {
        out.push(" ", origin.clone().generating());
    }
    out.push(text, origin);
}

fn needs_space(out: &Mapped, text: &str) -> bool {
    let (last, first) = (out.text.as_bytes().last(), text.as_bytes().first());
    last.zip(first)
        .is_some_and(|(last, first)| merge(*last, *first))
}

/// Whether two characters could be read as parts of one token.
fn merge(last: u8, first: u8) -> bool {
    let quotes = [b'\'', b'"', b'`'];
    match (last, first) {
        (b'-', b'-' | b'>')
        | (b'/', b'*')
        | (b'<', b'<' | b'>' | b'=')
        | (b'>', b'>' | b'=')
        | (b'=' | b'!', b'=')
        | (b'|', b'|')
        | (b':', b':') => true,
        (last, b'.') => last.is_ascii_digit(),
        (b'.' | b'?', first) => first.is_ascii_digit(),
        (b'x' | b'X', b'\'') => true,
        (b'@' | b'#' | b':' | b'$', first) => is_name(first),
        (last, first) if quotes.contains(&last) => last == first,
        (last, first) => is_name(last) && is_name(first),
    }
}
