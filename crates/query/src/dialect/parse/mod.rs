//! Splits scripts into statements, and recognises those of PerfettoSQL.

mod create;
mod cursor;
mod flamegraph;
mod lists;
mod other;
mod span_join;
mod split;

use std::sync::Arc;

use super::error::Error;
use super::map::Expanded;
use super::source::{Fragment, Source, Span};
use super::statement::{Statement, StatementKind};
use super::tokens::{Token, tokenize};
use cursor::Cursor;

/// Scripts: statements separated by semicolons.
#[derive(Debug)]
pub struct Script;

impl Script {
    /// The statements of a script. `name` is shown in messages. SQLite's own statements are not checked, and macros are
    /// not expanded.
    ///
    /// # Errors
    ///
    /// If something is not a token, or a PerfettoSQL statement is malformed.
    pub fn parse(name: &str, text: &str) -> Result<Vec<Statement>, Error> {
        Self::parse_source(&Source::new(name, text))
    }

    /// The statements of a source, such as an included module.
    ///
    /// # Errors
    /// As [`Self::parse`].
    pub fn parse_source(source: &Arc<Source>) -> Result<Vec<Statement>, Error> {
        let mut tokens = tokenize(source)?;
        tokens.retain(|token| !token.is_space());
        let statements = split::split(source.text(), &tokens).into_iter();
        statements.map(|tokens| statement(source, tokens)).collect()
    }

    /// The PerfettoSQL statement that a statement's macros expand to; `None` if they do not expand to one.
    ///
    /// # Errors
    /// As [`Self::parse`].
    pub fn parse_expanded(
        written: &Fragment,
        expanded: &Expanded,
    ) -> Result<Option<Statement>, Error> {
        let text = expanded.sql();
        if text == written.text() {
            return Ok(None);
        }
        let name = written.text().split('!').next().unwrap_or_default();
        let name = format!("the expansion of {}!", name.trim_end());
        let source = Source::included(name, text, written.clone());
        let mut statements = Self::parse_source(&source)?.into_iter();
        match (statements.next(), statements.next()) {
            (Some(only), None) if only.kind != StatementKind::Sqlite => Ok(Some(only)),
            _ => Ok(None),
        }
    }
}

fn statement(source: &Arc<Source>, tokens: &[Token]) -> Result<Statement, Error> {
    let start = tokens.first().map_or(0, |token| token.span().start);
    let end = tokens.last().map_or(start, |token| token.span().end);
    let sql = Fragment::new(source, Span::new(start, end));
    let kind = kind(&mut Cursor::new(source, tokens, end))?;
    Ok(Statement { sql, kind })
}

fn kind(cursor: &mut Cursor) -> Result<StatementKind, Error> {
    if cursor.starts_with(&["CREATE", "PERFETTO"])
        || cursor.starts_with(&["CREATE", "OR", "REPLACE", "PERFETTO"])
    {
        return create::create(cursor);
    }
    if cursor.starts_with(&["DROP", "PERFETTO"]) {
        return other::drop(cursor);
    }
    if cursor.starts_with(&["INCLUDE", "PERFETTO"]) {
        return other::include(cursor);
    }
    if let Some(span_join) = span_join::span_join(cursor)? {
        return Ok(span_join);
    }
    let other = flamegraph::flamegraph(cursor)
        .or_else(|| flamegraph::window(cursor))
        .or_else(|| other::import(cursor));
    Ok(other.unwrap_or(StatementKind::Sqlite))
}
