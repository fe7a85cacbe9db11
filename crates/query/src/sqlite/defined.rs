//! The functions that scripts have defined. SQLite cannot list them, because it does not distinguish them from the
//! functions of this crate.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::{Connection, Error};
use rustc_hash::FxHashMap;

use super::call::{self, Function};
use super::delegate;
use super::memo::Memo;
use super::table_call::{self, TableFunction};

/// The functions that exist under one name.
#[derive(Debug, Default)]
struct Forms {
    /// By the number of arguments, because SQLite has a separate function for each number; -1 means any number.
    counts: BTreeMap<i32, Form>,
    is_table: bool,
}

/// A function that returns a value.
#[derive(Debug, Default)]
struct Form {
    definition: String,
    results: Memo,
}

/// The functions that the scripts of a session have defined.
#[derive(Clone, Debug)]
pub(crate) struct Defined {
    forms: Arc<Mutex<FxHashMap<String, Forms>>>,
    /// The names of the trace's tables in lowercase. A function that returns a table would replace a table of the same
    /// name.
    tables: Arc<BTreeSet<String>>,
}

impl Defined {
    /// No functions yet. `tables` are the tables of the trace.
    pub fn new(tables: impl Iterator<Item = String>) -> Self {
        Self {
            forms: Arc::default(),
            tables: Arc::new(tables.collect()),
        }
    }

    /// Defines a function that returns a value.
    ///
    /// # Errors
    ///
    /// If a function with the same number of arguments exists and is not replaced, or SQLite rejects the definition.
    pub fn scalar(
        &self,
        connection: &Connection,
        function: Function,
        replace: bool,
    ) -> rusqlite::Result<()> {
        let name = function.name.clone();
        let count = i32::try_from(function.arguments.len()).unwrap_or(i32::MAX);
        let definition = definition(&function);
        self.check(&name, replace, |forms| forms.counts.contains_key(&count))?;
        let results = call::define(connection, function)?;
        self.add(&name, |forms| {
            let form = Form {
                definition,
                results,
            };
            forms.counts.insert(count, form);
        });
        Ok(())
    }

    /// Whether exactly this function is defined.
    pub fn has(&self, function: &Function) -> bool {
        let count = i32::try_from(function.arguments.len()).unwrap_or(i32::MAX);
        let known = self.lock();
        let forms = known.get(&function.name.to_ascii_lowercase());
        let known = forms.and_then(|forms| forms.counts.get(&count));
        known.is_some_and(|known| known.definition == definition(function))
    }

    /// Caches the results of a function of one argument from now on. Returns whether there is such a function.
    pub fn memoize(&self, name: &str) -> bool {
        let known = self.lock();
        let forms = known.get(&name.to_ascii_lowercase());
        let form = forms.and_then(|forms| forms.counts.get(&1));
        if let Some(form) = form {
            form.results.turn_on();
        }
        form.is_some()
    }

    /// Defines a function that returns a table.
    ///
    /// # Errors
    ///
    /// If the function exists and is not replaced, the trace has a table of this name, or SQLite rejects the
    /// definition.
    pub fn table(
        &self,
        connection: &Connection,
        function: TableFunction,
        replace: bool,
    ) -> rusqlite::Result<()> {
        let name = function.name.clone();
        if self.tables.contains(&name.to_ascii_lowercase()) {
            let message = format!("there is already a table {name}");
            return Err(Error::UserFunctionError(message.into()));
        }
        self.check(&name, replace, |forms| forms.is_table)?;
        table_call::define(connection, function)?;
        self.add(&name, |forms| forms.is_table = true);
        Ok(())
    }

    /// Defines a function that calls `target` with its `count` arguments; -1 means any number.
    ///
    /// # Errors
    ///
    /// If the target does not exist, the function exists and is not replaced, or SQLite rejects the definition.
    pub fn delegate(
        &self,
        connection: &Connection,
        (name, count): (&str, i32),
        target: &str,
        replace: bool,
    ) -> rusqlite::Result<()> {
        self.check(name, replace, |forms| forms.counts.contains_key(&count))?;
        delegate::define(connection, (name, count), target)?;
        self.add(name, |forms| {
            forms.counts.insert(count, Form::default());
        });
        Ok(())
    }

    /// Removes all functions of a name. Returns whether there was one.
    ///
    /// # Errors
    ///
    /// If SQLite rejects the removal.
    pub fn remove(&self, connection: &Connection, name: &str) -> rusqlite::Result<bool> {
        let Some(forms) = self.lock().remove(&name.to_ascii_lowercase()) else {
            return Ok(false);
        };
        for count in forms.counts.into_keys() {
            connection.remove_function(name, count)?;
        }
        if forms.is_table {
            table_call::remove(connection, name)?;
        }
        Ok(true)
    }

    fn check(
        &self,
        name: &str,
        replace: bool,
        exists: impl FnOnce(&Forms) -> bool,
    ) -> rusqlite::Result<()> {
        let known = self.lock();
        let exists = known.get(&name.to_ascii_lowercase()).is_some_and(exists);
        if replace || !exists {
            return Ok(());
        }
        let message = format!("function {name} already exists; CREATE OR REPLACE replaces it");
        Err(Error::UserFunctionError(message.into()))
    }

    fn add(&self, name: &str, add: impl FnOnce(&mut Forms)) {
        add(self.lock().entry(name.to_ascii_lowercase()).or_default());
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, FxHashMap<String, Forms>> {
        // The map is always consistent.
        self.forms.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The arguments and the `SELECT` of a function.
fn definition(function: &Function) -> String {
    format!("{}: {}", function.arguments.join(", "), function.sql)
}
