//! Checks that everything a manifest refers to exists and identifies one machine.

use super::{File, Manifest};

impl Manifest {
    /// # Errors
    /// The first reference that is not valid.
    pub(super) fn check(&self) -> Result<(), String> {
        if let Some(line) = &self.trace_time {
            self.target("trace_time", line.file.as_deref(), line.machine.as_deref())?;
        }
        for file in &self.files {
            let Some(relation) = &file.clocks else {
                continue;
            };
            one_machine("clocks", file, relation.machine.as_deref())?;
            let machine = relation.to_machine.as_deref();
            self.target("clocks.sync_to", Some(&relation.to_file), machine)?;
        }
        Ok(())
    }

    fn target(&self, of: &str, path: Option<&str>, machine: Option<&str>) -> Result<(), String> {
        match (path, machine) {
            (None, None) => Ok(()),
            (None, Some(machine)) => Err(format!(
                "{of} has the machine {machine:?} without a file; the same name can be in several"
            )),
            (Some(path), machine) => {
                let file = self.file(path);
                let file = file.ok_or_else(|| {
                    format!("{of} refers to the file {path:?}, which files does not have")
                })?;
                one_machine(of, file, machine)
            }
        }
    }
}

/// Checks that a file and a name identify one machine.
fn one_machine(of: &str, file: &File, machine: Option<&str>) -> Result<(), String> {
    let path = &file.path;
    match machine {
        None if file.machines.is_empty() => Ok(()),
        None => Err(format!(
            "{of} refers to the file {path:?}, which has several machines; name one of them"
        )),
        Some(machine) if file.names().any(|name| name == machine) => Ok(()),
        Some(machine) => Err(format!(
            "{of} refers to the machine {machine:?}, which files does not give to {path:?}"
        )),
    }
}
