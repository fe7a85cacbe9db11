//! The tables and views that an export writes.

use std::io;

use rusqlite::types::ValueRef;

use super::error::ExportError;
use crate::run::Output;
use crate::schema::{Affinity, RECORD_TABLES, TABLES, Table, VIEWS, View};
use crate::session::Session;

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
    /// Whether its rows are records, which few traces have.
    is_of_records: bool,
}

/// The names of all tables and views, except tables of records for internal use.
pub fn names() -> Vec<&'static str> {
    let is_internal =
        |relation: &Relation| relation.is_of_records && relation.name.starts_with('_');
    let public = all().filter(|relation| !is_internal(relation));
    public.map(|relation| relation.name).collect()
}

/// The tables and views of a full export. Tables of records are included only if they have rows.
///
/// # Errors
/// If a query breaks a limit of the session.
pub fn exported(session: &mut Session) -> Result<Vec<&'static str>, ExportError> {
    let relations = exported_relations(session)?;
    Ok(relations.iter().map(|relation| relation.name).collect())
}

pub(super) fn exported_relations(session: &mut Session) -> Result<Vec<Relation>, ExportError> {
    let mut relations = Vec::new();
    for relation in all() {
        if !relation.is_of_records || has_rows(session, relation.name)? {
            relations.push(relation);
        }
    }
    Ok(relations)
}

fn has_rows(session: &mut Session, table: &str) -> Result<bool, ExportError> {
    let mut found = AnyRow(false);
    let sql = format!("SELECT 1 FROM \"{table}\" LIMIT 1");
    session.run(table, &sql, &[], &mut found)?;
    Ok(found.0)
}

/// Whether a result has a row.
struct AnyRow(bool);

impl Output for AnyRow {
    fn columns(&mut self, _: &[String]) -> io::Result<()> {
        Ok(())
    }

    fn row(&mut self, _: &[ValueRef<'_>]) -> io::Result<()> {
        self.0 = true;
        Ok(())
    }
}

/// All tables, then all views. A view reads only tables and views that come before it.
fn all() -> impl Iterator<Item = Relation> {
    let tables = TABLES.iter().map(|table| of_table(table.name, table));
    let records = RECORD_TABLES.iter().map(|records| {
        // Names that begin with an underscore are internal.
        let mut names = records.names.iter().copied();
        let public = names.find(|name| !name.starts_with('_'));
        Relation {
            is_of_records: true,
            ..of_table(public.unwrap_or(records.table.name), &records.table)
        }
    });
    let views = VIEWS.iter().map(|view| Relation {
        name: view.name,
        columns: view.columns().collect(),
        view: Some(view),
        has_row_numbers: false,
        is_of_records: false,
    });
    tables.chain(records).chain(views)
}

fn of_table(name: &'static str, table: &Table) -> Relation {
    let columns = table.columns.iter();
    Relation {
        name,
        columns: columns
            .clone()
            .map(|column| (column.name, column.kind.affinity()))
            .collect(),
        view: None,
        has_row_numbers: columns
            .clone()
            .any(|column| column.name == "id" && column.is_row_number()),
        is_of_records: false,
    }
}

/// The table or view of a name.
pub(super) fn named(name: &str) -> Result<Relation, ExportError> {
    let found = all().find(|relation| relation.name == name);
    found.ok_or_else(|| ExportError::NoTable {
        name: name.to_owned(),
    })
}

impl Relation {
    /// The quoted names of the columns, separated by commas.
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
