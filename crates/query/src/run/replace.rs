//! `CREATE PERFETTO TABLE` and `VIEW`, which may replace an existing object. That object stays until the new one is
//! complete.

use rusqlite::Connection;
use rusqlite::config::DbConfig::SQLITE_DBCONFIG_LEGACY_ALTER_TABLE;

use super::catalog::Catalog;
use super::create::{checked, word};
use super::drop_table;
use super::execute::{Bound, at, execute};
use super::output::Discard;
use super::report::{identifier, is_in_schema, place, quoted, refused, run_for};
use crate::dialect::{CreateRelation, Expanded, Object};
use crate::error::QueryError;
use crate::schema::{VIEWS, View};
use crate::sqlite::nesting;

/// `CREATE PERFETTO TABLE`.
pub(super) fn table(
    connection: &Connection,
    catalog: &mut Catalog,
    it: &CreateRelation,
    params: &mut Bound<'_>,
) -> Result<(), QueryError> {
    let select = checked(connection, catalog, it)?;
    replacing(connection, catalog, it, Object::Table, |old| {
        let Some(old) = old else {
            return create_table(connection, &quoted(&it.name), &select, params);
        };
        // The rows may come from the object that is replaced.
        let new = identifier(&format!("new {}", it.name.text));
        create_table(connection, &new, &select, params)?;
        run_for(connection, &it.select, &it.name, old)?;
        rename(connection, it, &new)
    })
}

/// `CREATE PERFETTO VIEW`.
pub(super) fn view(
    connection: &Connection,
    catalog: &mut Catalog,
    it: &CreateRelation,
) -> Result<(), QueryError> {
    let select = checked(connection, catalog, it)?;
    let name = quoted(&it.name);
    replacing(connection, catalog, it, Object::View, |old| {
        if let Some(old) = old {
            run_for(connection, &it.select, &it.name, old)?;
        }
        let sql = select.wrap(&format!("CREATE VIEW {name} AS "), "");
        execute(connection, &sql, &mut Bound::new(&[]), &mut Discard)?;
        // A view that reads the object that it replaces would read itself.
        let read = nesting::prepare(connection, &format!("SELECT * FROM {name}"));
        read.map(drop)
            .map_err(|error| at(place(&it.select, &it.name), error))
    })
}

fn create_table(
    connection: &Connection,
    name: &str,
    select: &Expanded,
    params: &mut Bound<'_>,
) -> Result<(), QueryError> {
    let sql = select.wrap(&format!("CREATE TABLE {name} AS "), "");
    execute(connection, &sql, params, &mut Discard).map(drop)
}

/// Renames the table `new` to the name in the statement. Views that use this name now read the new table.
fn rename(connection: &Connection, it: &CreateRelation, new: &str) -> Result<(), QueryError> {
    // By default, SQLite does not rename a table while any view refers to something that is missing.
    let legacy = |is_on| connection.set_db_config(SQLITE_DBCONFIG_LEGACY_ALTER_TABLE, is_on);
    let was_on = legacy(true).is_ok();
    let sql = format!("ALTER TABLE {new} RENAME TO {}", quoted(&it.name));
    let done = run_for(connection, &it.select, &it.name, &sql);
    if was_on {
        legacy(false)?;
    }
    done
}

/// Makes a table or view. `make` gets the statement that drops the replaced object, if there is one.
fn replacing(
    connection: &Connection,
    catalog: &mut Catalog,
    it: &CreateRelation,
    object: Object,
    make: impl FnOnce(Option<&str>) -> Result<(), QueryError>,
) -> Result<(), QueryError> {
    let name = it.name.text.to_ascii_lowercase();
    let is_virtual = catalog.virtual_tables.contains(&name);
    if is_virtual && !it.replace {
        let message = format!("there is already a table {}", it.name.text);
        return Err(refused(&it.select, &it.name, message));
    }
    let built_in = built_in(catalog, it);
    let kind = match built_in {
        Some(_) => Some("VIEW"),
        None if it.replace && is_in_schema(connection, &name)? => Some(word(object)),
        None => None,
    };
    let old = kind.map(|kind| format!("DROP {kind} {}", quoted(&it.name)));
    whole(connection, || make(old.as_deref()))?;
    catalog
        .replaced_views
        .extend(built_in.map(|view| view.name));
    if is_virtual {
        drop_table::drop(connection, catalog, place(&it.select, &it.name), &name)?;
    }
    Ok(())
}

/// The built-in view of the name, unless it has already been replaced. Perfetto defines some of these views in modules,
/// so a script or module of the user may define them, too.
fn built_in(catalog: &Catalog, it: &CreateRelation) -> Option<&'static View> {
    let is_name = |view: &&View| view.name.eq_ignore_ascii_case(&it.name.text);
    let view = VIEWS.iter().find(is_name)?;
    (!catalog.replaced_views.contains(view.name)).then_some(view)
}

/// Makes changes that are undone if one of them fails.
fn whole(
    connection: &Connection,
    change: impl FnOnce() -> Result<(), QueryError>,
) -> Result<(), QueryError> {
    connection.execute_batch("SAVEPOINT whole")?;
    let done = change();
    if done.is_err() {
        // After some errors, such as a lack of memory, SQLite has already undone everything.
        let _ = connection.execute_batch("ROLLBACK TO whole; RELEASE whole");
        return done;
    }
    Ok(connection.execute_batch("RELEASE whole")?)
}
