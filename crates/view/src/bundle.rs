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
use crate::rename::{Names, Renamed, Variables};

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
/// indentation, and gives variables short names.
///
/// # Errors
/// For a missing module or name, modules that import each other in a circle, and forms of import
/// and export that the page does not use; says where.
pub fn bundle(entry: &str, find: &Find<'_>, strip: bool) -> Result<String, BundleError> {
    let mut order = Order {
        find,
        modules: Vec::new(),
        path: Vec::new(),
    };
    let nowhere = BundleError {
        module: entry.to_owned(),
        line: 1,
        problem: "no such module".to_owned(),
    };
    order.add(entry, nowhere)?;
    let modules = order.modules.iter();
    let modules = modules.map(|(name, source)| Module::parse(name, source));
    let modules = modules.collect::<Result<Vec<_>, _>>()?;
    let variables = modules.iter().map(|module| match strip {
        true => module.variables(),
        false => Variables::default(),
    });
    let variables: Vec<Variables> = variables.collect();
    let common = Names::common(variables.iter());
    let mut joined = Joined::default();
    for (module, variables) in modules.iter().zip(&variables) {
        let names = &Names::of(variables, &common);
        joined.add(module, strip, Renamed { variables, names })?;
    }
    Ok(joined.script)
}

/// Modules in the order in which they must run.
struct Order<'a> {
    find: &'a Find<'a>,
    /// Names and sources, each after all that it imports.
    modules: Vec<(String, String)>,
    /// The modules on the way from the entry to here.
    path: Vec<String>,
}

impl Order<'_> {
    /// Adds a module after all that it imports. `missing` is the error if there is none.
    fn add(&mut self, name: &str, missing: BundleError) -> Result<(), BundleError> {
        if self.modules.iter().any(|(known, _)| known == name) {
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
        self.modules.push((name.to_owned(), source));
        Ok(())
    }
}

/// The script as far as it is joined.
#[derive(Default)]
struct Joined {
    /// What each module that is in the script exports, and its number.
    done: BTreeMap<String, Done>,
    script: String,
}

struct Done {
    number: usize,
    exports: Vec<String>,
}

impl Joined {
    fn add(
        &mut self,
        module: &Module<'_>,
        strip: bool,
        renamed: Renamed<'_>,
    ) -> Result<(), BundleError> {
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
            head += &import.statement(from.number, renamed);
        }
        self.script += &head;
        self.script += &module.body(strip, renamed);
        let exports = module.exports.iter().map(|export| export.field(renamed));
        let exports: Vec<_> = exports.collect();
        self.script += &format!("\nreturn {{{}}};\n}})();\n", exports.join(","));
        let exports = module.exports.iter().map(|export| export.name.clone());
        let exports = exports.collect();
        self.done
            .insert(module.name.to_owned(), Done { number, exports });
        Ok(())
    }
}

#[cfg(test)]
#[path = "bundle/tests.rs"]
mod tests;
