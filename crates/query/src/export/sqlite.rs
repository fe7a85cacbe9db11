//! All tables in a file of SQLite.

use std::io;
use std::path::Path;

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, OpenFlags, Statement};

use super::error::ExportError;
use super::relation::{Relation, exported_relations};
use crate::run::Output;
use crate::schema::View;
use crate::session::Session;

/// Writes all tables and views into the file at `path`, which must exist and be empty. Tables without rows are also
/// written, except tables of records, which few traces have. A view stays a view if SQLite can run it by itself;
/// otherwise it becomes a table. `most` limits the bytes of all values; the file needs about as much.
///
/// An unfinished file is not usable. The caller renames a finished file and removes an unfinished one.
///
/// # Errors
/// If the file cannot be written or becomes too long, or if a query breaks a limit of the session.
pub fn write_sqlite(session: &mut Session, path: &Path, most: u64) -> Result<(), ExportError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let file = Connection::open_with_flags(path, flags)?;
    set(&file)?;
    file.execute_batch("BEGIN")?;
    let mut left = most;
    for relation in exported_relations(session)? {
        let is_view = match relation.view {
            Some(view) => create_view(&file, &relation, view)?,
            None => false,
        };
        if !is_view {
            copy(session, &file, &relation, &mut left)?;
        }
    }
    Ok(file.execute_batch("COMMIT")?)
}

/// Settings for a file that nobody else has open, and that is deleted if it is not finished.
fn set(file: &Connection) -> rusqlite::Result<()> {
    file.pragma_update(None, "journal_mode", "OFF")?;
    file.pragma_update(None, "synchronous", "OFF")?;
    file.pragma_update(None, "locking_mode", "EXCLUSIVE")
}

/// Creates a view with the same columns as in the session. It lists them by name, because `*` would also select the
/// hidden columns of the tables it reads. Returns `false`, and creates nothing, if the view calls functions that SQLite
/// does not have.
fn create_view(file: &Connection, relation: &Relation, view: &View) -> rusqlite::Result<bool> {
    let (name, columns) = (relation.name, relation.list());
    if file.prepare(view.select).is_err() {
        return Ok(false);
    }
    let sql = format!(
        "CREATE VIEW \"{name}\" AS SELECT {columns} FROM ({})",
        view.select
    );
    file.execute_batch(&sql)?;
    Ok(true)
}

/// Creates a table, and copies the rows. `left` is the number of bytes that may still be written.
fn copy(
    session: &mut Session,
    file: &Connection,
    relation: &Relation,
    left: &mut u64,
) -> Result<(), ExportError> {
    file.execute_batch(&relation.create_table())?;
    let places = vec!["?"; relation.columns.len()].join(", ");
    let insert = format!("INSERT INTO \"{}\" VALUES ({places})", relation.name);
    let statement = file.prepare(&insert)?;
    let mut insert = Insert { statement, left };
    session.run(relation.name, &relation.select(), &[], &mut insert)?;
    Ok(())
}

/// Inserts the rows that it receives.
struct Insert<'f> {
    statement: Statement<'f>,
    left: &'f mut u64,
}

impl Output for Insert<'_> {
    fn columns(&mut self, _: &[String]) -> io::Result<()> {
        Ok(())
    }

    fn row(&mut self, values: &[ValueRef<'_>]) -> io::Result<()> {
        let bytes: u64 = values.iter().map(size_of).sum();
        let left = self.left.checked_sub(bytes);
        *self.left = left.ok_or(io::ErrorKind::FileTooLarge)?;
        for (column, value) in values.iter().enumerate() {
            let value = ToSqlOutput::Borrowed(*value);
            let bound = self.statement.raw_bind_parameter(column + 1, value);
            bound.map_err(io::Error::other)?;
        }
        self.statement.raw_execute().map_err(io::Error::other)?;
        Ok(())
    }
}

fn size_of(value: &ValueRef<'_>) -> u64 {
    match value {
        ValueRef::Null => 1,
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes.len() as u64,
        _ => 8,
    }
}
