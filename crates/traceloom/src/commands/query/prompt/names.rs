//! The names that can be typed.

use std::collections::BTreeSet;

use traceloom_query::{ResultSet, Session, Value, table_names};

/// The names that can be typed, in alphabetical order.
#[derive(Default, Debug)]
pub(super) struct Names {
    pub tables: BTreeSet<String>,
    /// Columns of all tables.
    pub columns: BTreeSet<String>,
    pub functions: BTreeSet<String>,
    pub modules: BTreeSet<String>,
}

impl Names {
    /// The names that a session knows now: statements create tables and functions.
    pub fn of(session: &mut Session) -> Self {
        let modules = session.modules().map(str::to_owned).collect();
        let mut tables: BTreeSet<String> = table_names().into_iter().map(str::to_owned).collect();
        let created = "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')";
        tables.extend(texts(session, created, &[]));
        let columns = tables.iter().flat_map(|table| columns(session, table));
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
}

/// The names and the types of a table's columns.
pub(super) fn columns(session: &mut Session, table: &str) -> Vec<(String, String)> {
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
