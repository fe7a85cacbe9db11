//! The macros that a script can call.

mod call;
mod definition;
mod expand;
mod intrinsic;

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::error::{Error, Problem, quoted};
use super::map::Expanded;
use super::source::Fragment;
use super::statement::CreateMacro;
use definition::Macro;

/// Macros by name.
///
/// ```
/// use traceloom_query::dialect::{Macros, Script, StatementKind};
///
/// let script = "CREATE PERFETTO MACRO twice(x Expr) RETURNS Expr AS ($x + $x); SELECT twice!(dur) FROM slice";
/// let statements = Script::parse("example", script)?;
/// let mut macros = Macros::default();
/// if let StatementKind::CreateMacro(definition) = &statements[0].kind {
///     macros.define(definition)?;
/// }
/// let expanded = macros.expand(&statements[1].sql)?;
/// assert_eq!(expanded.sql(), "SELECT (dur + dur) FROM slice");
/// assert_eq!(expanded.map().locate(8).to_string(), "line 1, column 78 of example");
/// let plus = expanded.map().locate(12).to_string();
/// assert_eq!(plus, "line 1, column 57 of example, in macro twice!, called at line 1, column 71");
/// # Ok::<(), traceloom_query::dialect::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Macros {
    by_name: FxHashMap<String, Arc<Macro>>,
}

impl Macros {
    /// Adds a macro.
    ///
    /// # Errors
    /// If a macro of that name is built in, or exists and the definition does not have `OR REPLACE`.
    pub fn define(&mut self, definition: &CreateMacro) -> Result<(), Error> {
        let name = definition.name.text.clone();
        if intrinsic::Intrinsic::find(&name).is_some() {
            return Err(refused(definition, Problem::BuiltinMacro(quoted(&name))));
        }
        if self.contains(&name) && !definition.replace {
            return Err(refused(definition, Problem::DuplicateMacro(quoted(&name))));
        }
        self.by_name.insert(name, Arc::new(Macro::new(definition)));
        Ok(())
    }

    /// Removes a macro. Returns whether it was defined.
    pub fn remove(&mut self, name: &str) -> bool {
        self.by_name.remove(name).is_some()
    }

    /// Whether a macro of that name is defined. The built-in ones are not counted.
    pub fn contains(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// Expands every macro call in a statement, or in a part of one.
    ///
    /// # Errors
    /// If a macro is not defined, a call is malformed, macros call each other without end, or they expand to more than
    /// 4 MiB.
    pub fn expand(&self, sql: &Fragment) -> Result<Expanded, Error> {
        let expanded = expand::expand(&self.by_name, sql)?;
        Ok(Expanded::new(sql.clone(), expanded))
    }
}

fn refused(definition: &CreateMacro, problem: Problem) -> Error {
    Error::new(definition.body.at(definition.name.span), problem)
}
