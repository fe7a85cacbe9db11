//! Changing settings so that each can be put back: the old value is written down before the new
//! one is set, here and with the guardian.

use crate::guardian::Guardian;
use crate::undo::{Undo, enabled_events};
use crate::{Error, Instance, Properties, Tracefs, tree};

/// Settings that were changed, with what they were.
pub struct Settings<'a> {
    tree: Instance<'a>,
    properties: &'a dyn Properties,
    guardian: Option<Guardian>,
    undo: Vec<Undo>,
}

impl<'a> Settings<'a> {
    /// Nothing is changed yet but what `undo` says of an earlier run.
    pub fn new(
        tree: Instance<'a>,
        properties: &'a dyn Properties,
        mut guardian: Option<Guardian>,
        undo: Vec<Undo>,
    ) -> Self {
        for entry in &undo {
            tell(&mut guardian, entry);
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

    /// Writes a file down, so that it will be put back after all that is changed later.
    pub fn keep(&mut self, file: &str) -> Result<(), Error> {
        let value = plain_value(&tree::read(&self.tree, file)?);
        let file = self.tree.inside(file);
        self.record(Undo::File { file, value });
        Ok(())
    }

    /// Sets a file of one value.
    pub fn set(&mut self, file: &str, value: &str) -> Result<(), Error> {
        self.keep(file)?;
        tree::write(&self.tree, file, value)
    }

    /// Sets the size of each CPU's buffer, KB.
    pub fn set_buffer_size(&mut self, kb: &str) -> Result<(), Error> {
        const FILE: &str = "buffer_size_kb";
        if tree::read(&self.tree, FILE)? == "X" {
            // The CPUs have different sizes.
            for cpu in self.tree.list("per_cpu") {
                self.keep(&format!("per_cpu/{cpu}/{FILE}"))?;
            }
            return tree::write(&self.tree, FILE, kb);
        }
        self.set(FILE, kb)
    }

    /// Writes down which events are on.
    pub fn keep_events(&mut self) -> Result<Vec<String>, Error> {
        let path = self.tree.path("set_event");
        let enabled = enabled_events(&self.tree).map_err(Error::file("reading", &path))?;
        self.record(Undo::Events(enabled.clone()));
        Ok(enabled)
    }

    /// Replaces the lines of a file of function names.
    pub fn set_lines(&mut self, file: &str, lines: &[&str]) -> Result<(), Error> {
        let text = tree::read(&self.tree, file)?;
        // `#### all functions enabled ####` is what the kernel says of an empty list.
        let old = text.lines().filter(|line| !line.starts_with('#'));
        self.record(Undo::Lines {
            file: self.tree.inside(file),
            lines: old.map(str::to_owned).collect(),
        });
        tree::truncate(&self.tree, file)?;
        let path = self.tree.path(file);
        for line in lines {
            let appended = self.tree.append(file, line);
            appended.map_err(Error::file("writing to", &path))?;
        }
        Ok(())
    }

    /// Sets a property.
    pub fn set_property(&mut self, name: &str, value: &str) -> Result<(), Error> {
        let entry = |value| Undo::Property {
            name: name.to_owned(),
            value,
        };
        // Asking is a process of its own.
        if !self.is_known(&entry(String::new())) {
            self.record(entry(self.properties.get(name).unwrap_or_default()));
        }
        let name = name.to_owned();
        let set = self.properties.set(&name, value);
        set.map_err(|source| Error::Property { name, source })
    }

    /// Makes the trace instance, which goes when all is put back. Nothing to do for the top one.
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
        let made = self.tree.whole().make_folder(&Instance::folder(&name));
        made.map_err(Error::file("making", &self.tree.path("")))
    }

    fn record(&mut self, entry: Undo) {
        if !self.is_known(&entry) {
            tell(&mut self.guardian, &entry);
            self.undo.push(entry);
        }
    }

    fn is_known(&self, entry: &Undo) -> bool {
        self.undo.iter().any(|known| known.same_target(entry))
    }

    /// What was changed so far.
    pub fn undo(&self) -> &[Undo] {
        &self.undo
    }

    /// There is nothing to put back any more, and nothing to guard.
    pub fn forget(&mut self) {
        self.undo.clear();
        if let Some(guardian) = self.guardian.take() {
            guardian.dismiss();
        }
    }
}

fn tell(guardian: &mut Option<Guardian>, entry: &Undo) {
    if let Some(guardian) = guardian {
        guardian.tell(entry);
    }
}

/// The value that has to be written to get what a file shows: of `local [boot] mono` the choice,
/// of `7 (expanded: 1408)` the size that the buffer takes when it is used first, of `1*` the digit.
fn plain_value(text: &str) -> String {
    let between = |open: &str, close: char| Some(text.split_once(open)?.1.split_once(close)?.0);
    if let Some(size) = between("(expanded: ", ')') {
        return size.to_owned();
    }
    if let Some(choice) = between("[", ']') {
        return choice.to_owned();
    }
    text.trim_end_matches('*').to_owned()
}

#[cfg(test)]
mod tests {
    use super::plain_value;

    #[test]
    fn what_files_show_is_not_what_they_take() {
        assert_eq!(plain_value("7 (expanded: 1408)"), "1408");
        assert_eq!(plain_value("[local] global counter"), "local");
        assert_eq!(plain_value("local global [x86-tsc]"), "x86-tsc");
        assert_eq!(plain_value("0*"), "0");
        assert_eq!(plain_value("nop"), "nop");
    }
}
