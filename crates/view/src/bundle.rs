//! Joins the page's modules into one script.
//!
//! ```text
//! web/app/main.js                         const $0=(()=>{        each module a function scope,
//!   import {decode} from "source/frame"     …                    what it imports before it
//!   decode(…)                        ──►    return {decode};
//! web/source/frame.js                     })();
//!   export function decode() {…}          const $1=(()=>{
//!                                         const {decode}=$0;
//!                                           decode(…)
//!                                         return {};
//!                                         })();
//! ```
//! A report must open from the disk, where modules cannot import each other, and one script has
//! one hash for the Content-Security-Policy.

use std::collections::BTreeMap;

use thiserror::Error;

use crate::module::Module;

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

/// Joins `entry` and everything it imports into one script. `strip` leaves out comments and
/// indentation. (`build/main.rs` does that, and goes on with `rename.rs`.)
///
/// # Errors
/// For a missing module or name, modules that import each other in a circle, and forms of import
/// and export that the page does not use; says where.
pub fn bundle(entry: &str, find: &Find<'_>, strip: bool) -> Result<String, BundleError> {
    let mut bundle = Bundle {
        find,
        strip,
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
    strip: bool,
    /// What each module that is in the script exports.
    done: BTreeMap<String, Done>,
    /// The modules on the way from the entry to here.
    path: Vec<String>,
    script: String,
}

struct Done {
    number: usize,
    exports: Vec<String>,
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
        self.write(name, &module)
    }

    fn write(&mut self, name: &str, module: &Module<'_>) -> Result<(), BundleError> {
        let number = self.done.len();
        let mut head = format!("const $${number}=(()=>{{\n");
        for import in &module.imports {
            let from = &self.done[&import.from];
            for (theirs, _) in &import.names {
                if !from.exports.contains(theirs) {
                    let problem = format!("{:?} does not export {theirs}", import.from);
                    return Err(module.error(import.at, problem));
                }
            }
            head += &import.statement(from.number);
        }
        self.script += &head;
        self.script += &module.body(self.strip);
        let exports: Vec<_> = module.exports.iter().map(|export| export.field()).collect();
        self.script += &format!("\nreturn {{{}}};\n}})();\n", exports.join(","));
        let exports = module.exports.iter().map(|export| export.name.clone());
        let exports = exports.collect();
        self.done.insert(name.to_owned(), Done { number, exports });
        Ok(())
    }
}

// Named, as `build/main.rs` has this module from another folder.
#[cfg(test)]
#[path = "bundle/tests.rs"]
mod tests;
