//! Tests of the dialect.

mod expansion;
mod hostile;
mod locations;
mod peers;
mod perfetto;
mod prototypes;
mod statements;
mod tokens;

use super::{Error, Macros, Script, Statement, StatementKind};

/// The statements of a valid script.
fn parse(text: &str) -> Vec<Statement> {
    Script::parse("q.sql", text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The only statement of a script.
fn one(text: &str) -> StatementKind {
    let mut statements = parse(text);
    assert_eq!(statements.len(), 1, "{text}");
    statements.remove(0).kind
}

/// The message about an invalid script.
fn refused(text: &str) -> String {
    let statements = Script::parse("q.sql", text);
    statements.expect_err(text).to_string()
}

/// Runs the macro definitions of a script and expands its last statement.
fn expand(text: &str) -> Result<super::Expanded, Error> {
    let statements = Script::parse("q.sql", text)?;
    let mut macros = Macros::default();
    for statement in &statements {
        if let StatementKind::CreateMacro(definition) = &statement.kind {
            macros.define(definition)?;
        }
    }
    macros.expand(&statements.last().expect("a statement").sql)
}

/// The SQL of the last statement without macros.
fn expanded(text: &str) -> String {
    let result = expand(text);
    result
        .unwrap_or_else(|error| panic!("{text}: {error}"))
        .sql()
        .to_owned()
}

/// The message about a failed expansion.
fn not_expanded(text: &str) -> String {
    expand(text).expect_err(text).to_string()
}
