//! The commands of the prompt. They begin with a dot.

use std::fmt::Write;

use anyhow::{Result, bail};
use traceloom_query::{Names, Session, columns_of};

use crate::print::stream;

pub(super) const COMMANDS: &[&str] =
    &[".help", ".modules", ".quit", ".schema", ".tables", ".timer"];

const HELP: &str = "\
SELECT …;            a statement ends with a semicolon and may have several lines
.tables              lists the tables and views
.schema [TABLE]      lists the columns, of one table or of all
.modules             lists the modules for INCLUDE PERFETTO MODULE
.timer on|off        shows how long each statement takes
.quit                ends; so does Ctrl-D
Tab completes names, Ctrl-R searches the history, Ctrl-C stops a query. docs/sql.md describes the tables.";

/// The settings of the prompt.
#[derive(Default, Debug)]
pub(super) struct Settings {
    /// Whether the time of each statement is shown.
    pub is_timed: bool,
}

/// The arguments that a command takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Next {
    Ask,
    Quit,
}

/// Whether a text is a command.
pub(super) fn is_command(text: &str) -> bool {
    text.trim_start().starts_with('.')
}

/// Runs a command.
///
/// # Errors
/// If there is no such command, or its arguments are wrong.
pub(super) fn run(session: &mut Session, settings: &mut Settings, text: &str) -> Result<Next> {
    let text = text.trim().trim_end_matches(';');
    let words: Vec<&str> = text.split_whitespace().collect();
    match words.as_slice() {
        [".quit" | ".exit"] => return Ok(Next::Quit),
        [".help"] => print(HELP)?,
        [".tables"] => list(Names::of(session).tables)?,
        [".modules"] => list(session.modules())?,
        [".schema"] => schemas(session)?,
        [".schema", table] => print(&schema(session, table)?)?,
        [".timer", "on"] => settings.is_timed = true,
        [".timer", "off"] => settings.is_timed = false,
        _ => bail!("there is no command {text}; .help lists the commands"),
    }
    Ok(Next::Ask)
}

fn list(names: impl IntoIterator<Item: AsRef<str>>) -> Result<()> {
    let names: Vec<_> = names
        .into_iter()
        .map(|name| name.as_ref().to_owned())
        .collect();
    print(&names.join("\n"))
}

fn schemas(session: &mut Session) -> Result<()> {
    let tables = Names::of(session).tables;
    let texts: Result<Vec<String>> = tables.iter().map(|table| schema(session, table)).collect();
    print(&texts?.join("\n"))
}

/// A table's name, and a line for each column.
fn schema(session: &mut Session, table: &str) -> Result<String> {
    let columns = columns_of(session, table);
    if columns.is_empty() {
        bail!("there is no table {table}; .tables lists the tables");
    }
    let mut text = table.to_owned();
    for (name, kind) in columns {
        // Writing to a String cannot fail.
        _ = write!(text, "\n  {name} {}", kind.to_lowercase());
    }
    Ok(text.replace(" \n", "\n").trim_end().to_owned())
}

fn print(text: &str) -> Result<()> {
    stream(|out| Ok(writeln!(out, "{text}")?))
}
