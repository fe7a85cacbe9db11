//! The page's modules as one script in which each is a function: for who works on the page, and
//! reads its modules from a folder.
//!
//! ```text
//! web/app/main.js                         const $$0=(()=>{
//!   import {decode} from "source/frame"     …
//!   decode(…)                        ──►    return {decode};
//! web/source/frame.js                     })();
//!   export function decode() {…}          const $$1=(()=>{
//!                                         const {decode}=$$0;
//!                                           decode(…)
//!                                         return {};
//!                                         })();
//! ```

use crate::bundle::{BundleError, Find, Written, joined};
use crate::module::{Export, Import, Module};

/// Joins `entry` and everything it imports into one script, as it is written.
///
/// # Errors
/// For a missing module or name, modules that import each other in a circle, and forms of import
/// and export that the page does not use; says where.
pub(crate) fn bundle(entry: &str, find: &Find<'_>) -> Result<String, BundleError> {
    joined(entry, find, closure)
}

fn closure(module: &Module<'_>, number: usize, done: &Written) -> Result<String, BundleError> {
    let imports = module.imports.iter();
    let head: String = imports
        .map(|import| statement(import, done[&import.from].number))
        .collect();
    let exports: Vec<_> = module.exports.iter().map(field).collect();
    let (body, exports) = (module.body(), exports.join(","));
    Ok(format!(
        "const $${number}=(()=>{{\n{head}{body}\nreturn {{{exports}}};\n}})();\n"
    ))
}

/// What stands for an import of the module of this number.
fn statement(import: &Import, number: usize) -> String {
    let field = |(theirs, ours): &(String, String)| {
        if theirs == ours {
            ours.clone()
        } else {
            format!("{theirs}:{ours}")
        }
    };
    let names: Vec<_> = import.names.iter().map(field).collect();
    match &import.whole {
        Some(name) => format!("const {name}=$${number};\n"),
        None if names.is_empty() => String::new(),
        None => format!("const {{{}}}=$${number};\n", names.join(",")),
    }
}

fn field(export: &Export) -> String {
    if export.name == export.local {
        export.name.clone()
    } else {
        format!("{}:{}", export.name, export.local)
    }
}

#[cfg(test)]
mod tests;
