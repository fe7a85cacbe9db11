//! Changes settings so that they can be restored: each old value is recorded, here and by the
//! guardian, before the new value is set.

use crate::guardian::Guardian;
use crate::undo_log::{Undo, enabled_events};
use crate::{Error, Instance, Properties, Tracefs, tracefs};

/// The changed settings and their old values.
pub struct Settings<'a> {
    tree: Instance<'a>,
    properties: &'a dyn Properties,
    guardian: Option<Guardian>,
    undo: Vec<Undo>,
}

impl<'a> Settings<'a> {
    /// No changed settings, except those in `undo` from an earlier process.
    pub fn new(
        tree: Instance<'a>,
        properties: &'a dyn Properties,
        mut guardian: Option<Guardian>,
        undo: Vec<Undo>,
    ) -> Self {
        for entry in &undo {
            send(&mut guardian, entry);
        }
        Self {
            tree,
            properties,
            guardian,
            undo,
        }
    }

    /// The tree whose settings these are.
    pub fn tree(&self) -> &Instance<'a> {
        &self.tree
    }

    /// Records the value of a file, which is restored after all settings that are changed later.
    pub fn save(&mut self, file: &str) -> Result<(), Error> {
        let value = plain_value(&tracefs::read(&self.tree, file)?);
        let file = self.tree.name_in_root(file);
        self.record(Undo::File { file, value });
        Ok(())
    }

    /// Sets a file that has a single value.
    pub fn set(&mut self, file: &str, value: &str) -> Result<(), Error> {
        self.save(file)?;
        tracefs::write(&self.tree, file, value)
    }

    /// Sets the size of each CPU's buffer, KB.
    pub fn set_buffer_size(&mut self, kb: &str) -> Result<(), Error> {
        const FILE: &str = "buffer_size_kb";
        if tracefs::read(&self.tree, FILE)? == "X" {
            // The buffers of the CPUs have different sizes.
            for cpu in self.tree.list("per_cpu") {
                self.save(&format!("per_cpu/{cpu}/{FILE}"))?;
            }
            return tracefs::write(&self.tree, FILE, kb);
        }
        self.set(FILE, kb)
    }

    /// Records and returns the enabled events, as `system:event`.
    pub fn save_events(&mut self) -> Result<Vec<String>, Error> {
        let path = self.tree.path("set_event");
        let enabled = enabled_events(&self.tree).map_err(Error::file("reading", &path))?;
        self.record(Undo::Events(enabled.clone()));
        Ok(enabled)
    }

    /// Replaces the lines of a file of function names.
    pub fn set_lines(&mut self, file: &str, lines: &[&str]) -> Result<(), Error> {
        let text = tracefs::read(&self.tree, file)?;
        // For an empty list the kernel prints `#### all functions enabled ####`.
        let old = text.lines().filter(|line| !line.starts_with('#'));
        self.record(Undo::Lines {
            file: self.tree.name_in_root(file),
            lines: old.map(str::to_owned).collect(),
        });
        tracefs::truncate(&self.tree, file)?;
        let path = self.tree.path(file);
        for line in lines {
            let appended = self.tree.append(file, line);
            appended.map_err(Error::file("writing to", &path))?;
        }
        Ok(())
    }

    /// Sets the filter of an event.
    pub fn set_filter(&mut self, file: &str, filter: &str) -> Result<(), Error> {
        let old = tracefs::read(&self.tree, file)?;
        // The kernel shows `none` for no filter, and a 0 removes it.
        let value = if old == "none" { "0" } else { &old };
        self.record(Undo::File {
            file: self.tree.name_in_root(file),
            value: value.to_owned(),
        });
        self.tree.write(file, filter).map_err(|error| {
            // After a failure, the file has the message.
            let said = self.tree.read(file).unwrap_or_default();
            let reason = said
                .lines()
                .last()
                .map_or("", |line| line.trim_start_matches([' ', '^']));
            let reason = if reason.is_empty() {
                crate::error::reason(&error)
            } else {
                reason.to_owned()
            };
            Error::Filter {
                filter: filter.to_owned(),
                reason,
            }
        })
    }

    /// Adds a trigger to an event.
    pub fn add_trigger(&mut self, file: &str, trigger: &str) -> Result<(), Error> {
        self.record(Undo::File {
            file: self.tree.name_in_root(file),
            value: format!("!{trigger}"),
        });
        tracefs::write(&self.tree, file, trigger)
    }

    /// Sets a property.
    pub fn set_property(&mut self, name: &str, value: &str) -> Result<(), Error> {
        let entry = |value| Undo::Property {
            name: name.to_owned(),
            value,
        };
        // Reading a property starts a process.
        if !self.is_recorded(&entry(String::new())) {
            self.record(entry(self.properties.get(name).unwrap_or_default()));
        }
        let name = name.to_owned();
        let set = self.properties.set(&name, value);
        set.map_err(|source| Error::Property { name, source })
    }

    /// Creates the trace instance, which is removed when settings are restored. Does nothing for the
    /// top-level tree.
    pub fn make_instance(&mut self) -> Result<(), Error> {
        let Some(name) = self.tree.name().map(str::to_owned) else {
            return Ok(());
        };
        let ours = Undo::Instance(name.clone());
        if self.tree.exists("") {
            return if self.undo.contains(&ours) {
                Ok(())
            } else {
                Err(Error::InstanceExists(name))
            };
        }
        self.record(ours);
        let made = self.tree.root().make_folder(&Instance::folder(&name));
        made.map_err(Error::file("making", &self.tree.path("")))
    }

    /// Records how to reverse the change that the caller makes next.
    pub fn record(&mut self, entry: Undo) {
        if !self.is_recorded(&entry) {
            send(&mut self.guardian, &entry);
            self.undo.push(entry);
        }
    }

    fn is_recorded(&self, entry: &Undo) -> bool {
        self.undo.iter().any(|recorded| recorded.same_target(entry))
    }

    /// How to reverse the changes so far.
    pub fn undo(&self) -> &[Undo] {
        &self.undo
    }

    /// Forgets all changes and ends the guardian.
    pub fn forget(&mut self) {
        self.undo.clear();
        if let Some(guardian) = self.guardian.take() {
            guardian.dismiss();
        }
    }
}

fn send(guardian: &mut Option<Guardian>, entry: &Undo) {
    if let Some(guardian) = guardian {
        guardian.send(entry);
    }
}

/// The value to write to restore what a file shows: the selected value of `local [boot] mono`, the
/// size of `7 (expanded: 1408)` that the buffer has once it is used, and the digit of `1*`.
fn plain_value(text: &str) -> String {
    let expanded = text.split_once("(expanded: ");
    let size = expanded.and_then(|(_, rest)| rest.split_once(')'));
    let size = size.map(|(size, _)| size);
    let value = size.or_else(|| tracefs::selected(text));
    value.unwrap_or(text.trim_end_matches('*')).to_owned()
}

#[cfg(test)]
mod tests {
    use super::plain_value;

    #[test]
    fn shown_values_are_converted_to_writable_ones() {
        assert_eq!(plain_value("7 (expanded: 1408)"), "1408");
        assert_eq!(plain_value("[local] global counter"), "local");
        assert_eq!(plain_value("local global [x86-tsc]"), "x86-tsc");
        assert_eq!(plain_value("0*"), "0");
        assert_eq!(plain_value("nop"), "nop");
    }
}
