//! A module's part of a script that is one scope.

use std::collections::HashMap;

use super::code::{Code, Use};
use crate::bundle::{BundleError, Written};
use crate::module::Module;

/// The module with other names for what it declares outside of all functions (`name$3` in the
/// third) and for what it imports.
pub(super) fn flat(
    module: &Module<'_>,
    number: usize,
    done: &Written,
) -> Result<String, BundleError> {
    let body = module.body();
    let open = |(what, _)| module.error(0, format!("{what} that does not end"));
    let code = Code::new(&body).map_err(open)?;
    let variables = code.variables();
    let imported = imported(module, done)?;
    let name = |at: usize| {
        let text = code.text(at);
        match variables.of[at] {
            Some(variable) if variables.declared[variable].1 == code.whole() => {
                Some(own(text, number))
            }
            None if variables.uses[at] != Use::Other => imported.get(text).cloned(),
            _ => None,
        }
    };
    let unclear = |&at: &usize| variables.uses[at] == Use::Unclear && name(at).is_some();
    if let Some(at) = (0..variables.of.len()).find(unclear) {
        let problem = format!("what {:?} means is unclear", code.text(at));
        return Err(module.error(0, problem));
    }
    Ok(code.with_names(&variables.uses, name) + "\n")
}

/// What a module's outer name is called in the script: no module has a `$` in a name.
fn own(name: &str, number: usize) -> String {
    format!("{name}${number}")
}

/// What the names that a module imports are called in the script.
fn imported(module: &Module<'_>, done: &Written) -> Result<HashMap<String, String>, BundleError> {
    let mut names = HashMap::new();
    for import in &module.imports {
        if import.whole.is_some() {
            return Err(module.error(import.at, "import * is not joined".to_owned()));
        }
        let from = &done[&import.from];
        for (theirs, ours) in &import.names {
            let export = from.exports.iter().find(|export| export.name == *theirs);
            let local = export.map_or(theirs, |export| &export.local);
            names.insert(ours.clone(), own(local, from.number));
        }
    }
    Ok(names)
}
