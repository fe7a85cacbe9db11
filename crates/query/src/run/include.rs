//! `INCLUDE PERFETTO MODULE`.

use rusqlite::Connection;

use super::catalog::Catalog;
use super::create::refused;
use super::execute::Bound;
use super::output::Discard;
use crate::dialect::{Fragment, Include, Script, Source};
use crate::error::QueryError;

/// Runs the modules that a name stands for, those that are not included yet. The prelude is always there.
pub(super) fn include(
    connection: &Connection,
    catalog: &mut Catalog,
    statement: &Fragment,
    it: &Include,
) -> Result<(), QueryError> {
    let name = &it.module.text;
    let modules = catalog.library.named(it);
    if modules.is_empty() && name != "prelude" && !name.starts_with("prelude.") {
        let message = format!("there is no module {name}; docs/sql.md lists the modules");
        return Err(refused(statement, &it.module, message));
    }
    for module in modules {
        run(connection, catalog, statement, it, &module)?;
    }
    Ok(())
}

/// Runs a module, once. A module that includes itself through others finds itself included.
fn run(
    connection: &Connection,
    catalog: &mut Catalog,
    statement: &Fragment,
    it: &Include,
    module: &str,
) -> Result<(), QueryError> {
    let Some((file, text)) = catalog.library.begin(module) else {
        return Ok(());
    };
    if !catalog.library.enter() {
        let message = "modules include each other too deeply".to_owned();
        return Err(refused(statement, &it.module, message));
    }
    let source = Source::included(file, text, statement.clone());
    let done = statements(connection, catalog, &source);
    catalog.library.leave();
    if done.is_err() {
        catalog.library.forget(module);
    }
    done
}

fn statements(
    connection: &Connection,
    catalog: &mut Catalog,
    source: &std::sync::Arc<Source>,
) -> Result<(), QueryError> {
    for statement in Script::parse_source(source)? {
        let mut params = Bound::new(&[]);
        super::step(connection, catalog, &statement, &mut params, &mut Discard)?;
    }
    Ok(())
}
