//! The tables and views that an export writes.

use super::error::ExportError;
use crate::schema::{Affinity, TABLES, VIEWS, View};

/// A table or view of the schema.
#[derive(Debug)]
pub(super) struct Relation {
    pub name: &'static str,
    /// The name and the type of each column.
    pub columns: Vec<(&'static str, Affinity)>,
    /// The declaration, if it is a view.
    pub view: Option<&'static View>,
    /// Whether the column `id` is the number of the row.
    pub has_row_numbers: bool,
}

/// The names of all tables and views, in the order of the reference.
pub fn names() -> Vec<&'static str> {
    all().map(|relation| relation.name).collect()
}

/// All tables, then all views. A view uses only what stands before it.
pub(super) fn all() -> impl Iterator<Item = Relation> {
    let tables = TABLES.iter().map(|table| Relation {
        name: table.name,
        columns: table
            .columns
            .iter()
            .map(|column| (column.name, column.kind.affinity()))
            .collect(),
        view: None,
        has_row_numbers: table
            .columns
            .iter()
            .any(|column| column.name == "id" && column.is_row_number()),
    });
    let views = VIEWS.iter().map(|view| Relation {
        name: view.name,
        columns: view.columns().collect(),
        view: Some(view),
        has_row_numbers: false,
    });
    tables.chain(views)
}

/// The table or view of a name.
pub(super) fn named(name: &str) -> Result<Relation, ExportError> {
    let found = all().find(|relation| relation.name == name);
    found.ok_or_else(|| ExportError::NoTable {
        name: name.to_owned(),
    })
}

impl Relation {
    /// The names of the columns in quotes, between commas.
    pub fn list(&self) -> String {
        let quoted = self.columns.iter().map(|(name, _)| format!("\"{name}\""));
        quoted.collect::<Vec<_>>().join(", ")
    }

    /// The query for all rows, with the columns that `SELECT *` leaves out.
    pub fn select(&self) -> String {
        format!("SELECT {} FROM \"{}\"", self.list(), self.name)
    }

    /// `CREATE TABLE` for a table of SQLite with the same columns.
    pub fn create_table(&self) -> String {
        let column = |(name, affinity): &(&str, Affinity)| {
            // SQLite uses such a column as its row number, so lookups by id are fast.
            if *name == "id" && self.has_row_numbers {
                return "\"id\" INTEGER PRIMARY KEY".to_owned();
            }
            format!("\"{name}\" {}", affinity.sql())
        };
        let columns: Vec<String> = self.columns.iter().map(column).collect();
        format!("CREATE TABLE \"{}\" ({})", self.name, columns.join(", "))
    }
}
