//! Joins the page's modules into one script, each behind those that it imports.
//!
//! A report must open from the disk, where modules cannot import each other, and one script has
//! one hash for the Content-Security-Policy. How a module is written there is another's matter:
//! `closures.rs` keeps it as it is, `short/` makes it short.

use std::collections::BTreeMap;

use thiserror::Error;

use crate::module::{Export, Module};

/// Why modules cannot be joined.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("web/{module}.js:{line}: {problem}")]
pub struct BundleError {
    /// The module's bare name.
    pub module: String,
    /// The line in its file, from 1.
    pub line: usize,
    /// What is wrong there.
    pub problem: String,
}

/// The source of a module by its bare name, if there is such a module.
pub type Find<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// Modules in the script, by their bare names.
pub(crate) type Written = BTreeMap<String, Done>;

/// Writes the module of this number behind those that are written.
pub(crate) type Write = fn(&Module<'_>, usize, &Written) -> Result<String, BundleError>;

/// A module in the script.
pub(crate) struct Done {
    pub number: usize,
    pub exports: Vec<Export>,
}

/// Joins `entry` and everything it imports into one script.
///
/// # Errors
/// For a missing module or name, modules that import each other in a circle, and forms of import
/// and export that the page does not use; says where.
pub(crate) fn joined(entry: &str, find: &Find<'_>, write: Write) -> Result<String, BundleError> {
    let mut bundle = Bundle {
        find,
        write,
        done: BTreeMap::new(),
        path: Vec::new(),
        script: String::new(),
    };
    let nowhere = BundleError {
        module: entry.to_owned(),
        line: 1,
        problem: "no such module".to_owned(),
    };
    bundle.add(entry, nowhere)?;
    Ok(bundle.script)
}

struct Bundle<'a> {
    find: &'a Find<'a>,
    write: Write,
    done: Written,
    /// The modules on the way from the entry to here.
    path: Vec<String>,
    script: String,
}

impl Bundle<'_> {
    /// Adds a module after all that it imports. `missing` is the error if there is none.
    fn add(&mut self, name: &str, missing: BundleError) -> Result<(), BundleError> {
        if self.done.contains_key(name) {
            return Ok(());
        }
        if let Some(start) = self.path.iter().position(|on_path| on_path == name) {
            let circle = self.path[start..].join(" → ");
            let problem = format!("modules import each other in a circle: {circle} → {name}");
            return Err(BundleError { problem, ..missing });
        }
        let source = (self.find)(name).ok_or(missing)?;
        let module = Module::parse(name, &source)?;
        self.path.push(name.to_owned());
        for import in &module.imports {
            let problem = format!("there is no module {:?}", import.from);
            self.add(&import.from, module.error(import.at, problem))?;
        }
        self.path.pop();
        self.write(name, module)
    }

    fn write(&mut self, name: &str, module: Module<'_>) -> Result<(), BundleError> {
        for import in &module.imports {
            let from = &self.done[&import.from];
            for (theirs, _) in &import.names {
                if !from.exports.iter().any(|export| export.name == *theirs) {
                    let problem = format!("{:?} does not export {theirs}", import.from);
                    return Err(module.error(import.at, problem));
                }
            }
        }
        let number = self.done.len();
        self.script += &(self.write)(&module, number, &self.done)?;
        let exports = module.exports;
        self.done.insert(name.to_owned(), Done { number, exports });
        Ok(())
    }
}
