//! Completes names while SQL is typed: at the prompt, and on the page.

use std::collections::BTreeSet;

use rusqlite::types::Value;

use crate::export::names as table_names;
use crate::run::ResultSet;
use crate::session::Session;

/// The kind of object that a name refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameKind {
    /// A column of any table.
    Column,
    /// A table or view.
    Table,
    /// A function.
    Function,
    /// A module, for `INCLUDE PERFETTO MODULE`.
    Module,
}

/// The names that can be typed, in alphabetical order.
#[derive(Clone, Default, Debug)]
pub struct Names {
    /// Tables and views.
    pub tables: BTreeSet<String>,
    /// Columns of all tables.
    pub columns: BTreeSet<String>,
    /// Functions.
    pub functions: BTreeSet<String>,
    /// Modules.
    pub modules: BTreeSet<String>,
}

impl Names {
    /// The names that exist in a session now. Statements can add tables and functions.
    pub fn of(session: &mut Session) -> Self {
        let modules = session.modules().map(str::to_owned).collect();
        let mut tables: BTreeSet<String> = table_names().into_iter().map(str::to_owned).collect();
        let created = "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')";
        tables.extend(texts(session, created, &[]));
        let columns = tables.iter().flat_map(|table| columns_of(session, table));
        Self {
            columns: columns.map(|(name, _)| name).collect(),
            functions: texts(
                session,
                "SELECT DISTINCT name FROM pragma_function_list",
                &[],
            )
            .collect(),
            tables,
            modules,
        }
    }

    /// The names that complete `typed`, the text before the cursor: the byte at which the name begins, and the names.
    pub fn complete(&self, typed: &str) -> (usize, Vec<(NameKind, &str)>) {
        let is_module = typed
            .trim_end_matches(|c| is_part(c) || c == '.')
            .to_ascii_lowercase()
            .trim_end()
            .ends_with("module");
        let word = |c: char| is_part(c) || (is_module && c == '.');
        let start = typed.trim_end_matches(word).len();
        let (before, begun) = typed.split_at(start);
        // A list of all names would be useless.
        if begun.is_empty() && !is_module && !before.ends_with('.') {
            return (start, Vec::new());
        }
        (start, self.fitting(before, begun))
    }

    /// The names that begin with `start`, after the text `before`.
    fn fitting(&self, before: &str, start: &str) -> Vec<(NameKind, &str)> {
        let last = before.split_whitespace().next_back().unwrap_or_default();
        let columns = (NameKind::Column, &self.columns);
        let tables = (NameKind::Table, &self.tables);
        let lists = match last.to_ascii_lowercase().as_str() {
            "module" => vec![(NameKind::Module, &self.modules)],
            "from" | "join" | ".schema" => vec![tables],
            _ if before.ends_with('.') => vec![columns],
            _ => vec![columns, tables, (NameKind::Function, &self.functions)],
        };
        let mut names = Vec::new();
        for (kind, list) in lists {
            let fits = list.iter().filter(|name| begins(name, start));
            names.extend(fits.map(|name| (kind, name.as_str())));
        }
        names
    }
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn begins(name: &str, start: &str) -> bool {
    let head = name.as_bytes().get(..start.len());
    head.is_some_and(|head| head.eq_ignore_ascii_case(start.as_bytes()))
}

/// The names and the types of a table's columns.
pub fn columns_of(session: &mut Session, table: &str) -> Vec<(String, String)> {
    let sql = "SELECT name, type FROM pragma_table_xinfo(:name)";
    let name = [("name".to_owned(), Value::Text(table.to_owned()))];
    let mut found = texts(session, sql, &name);
    let mut columns = Vec::new();
    while let (Some(name), Some(kind)) = (found.next(), found.next()) {
        columns.push((name, kind));
    }
    columns
}

/// All values of a result, row by row. Empty if the query fails, for example because it was stopped.
fn texts(
    session: &mut Session,
    sql: &str,
    params: &[(String, Value)],
) -> impl Iterator<Item = String> + use<> {
    let mut result = ResultSet::default();
    if session.run("names", sql, params, &mut result).is_err() {
        result.rows.clear();
    }
    result.rows.into_iter().flatten().map(|value| match value {
        Value::Text(text) => text,
        _ => String::new(),
    })
}
