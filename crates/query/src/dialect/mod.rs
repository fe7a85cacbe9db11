//! The PerfettoSQL dialect: SQLite's SQL with macros, modules and a few statements of its own.
//!
//! This module only deals with text. [`Script::parse`] splits a script into statements and recognises those that SQLite
//! does not have. [`Macros::expand`] replaces macro calls. The result is SQL for SQLite. Its [`SourceMap`] maps each
//! byte to the place where it was written, so that an error of SQLite can be reported at its place in the script.
//!
//! ```
//! use traceloom_query::dialect::{Script, StatementKind};
//!
//! let script = "INCLUDE PERFETTO MODULE android.startup.*;\n\
//!               CREATE PERFETTO TABLE long_slices(ts TIMESTAMP, dur DURATION) AS\n\
//!               SELECT ts, dur FROM slice WHERE dur > 1e9;\n\
//!               SELECT count(*) FROM long_slices;";
//! let statements = Script::parse("example", script)?;
//! assert_eq!(statements.len(), 3);
//! let StatementKind::CreateTable(table) = &statements[1].kind else { panic!() };
//! assert_eq!(table.name.text, "long_slices");
//! assert_eq!(table.select.text(), "SELECT ts, dur FROM slice WHERE dur > 1e9");
//!
//! let error = Script::parse("example", "SELECT 'open").unwrap_err();
//! assert_eq!(error.to_string(), "line 1, column 8 of example: this string is not closed: ' is missing");
//! # Ok::<(), traceloom_query::dialect::Error>(())
//! ```

mod error;
mod location;
mod macros;
mod map;
mod parse;
mod prototype;
mod source;
mod statement;
#[cfg(test)]
mod tests;
mod tokens;
mod types;

pub use error::{Error, Problem};
pub use location::{Location, Via};
pub use macros::Macros;
pub use map::{Expanded, SourceMap};
pub use parse::Script;
pub use prototype::Prototype;
pub use source::{Fragment, Source, Span};
pub use statement::{
    CreateFlamegraph, CreateFunction, CreateIndex, CreateMacro, CreateRelation, CreateSpanJoin,
    CreateWindow, Drop, FunctionBody, Include, Object, Returns, SpanJoin, SpanTable, Statement,
    StatementKind,
};
pub(crate) use tokens::tokens_of;
pub use tokens::{Token, TokenKind, tokenize};
pub use types::{Column, MacroArgument, MacroType, Name, Storage, Type};
