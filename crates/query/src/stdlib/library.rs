//! The modules that a script can include.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::modules::MODULES;
use crate::dialect::Include;

/// Modules may include each other this deep. Each level needs stack.
const MOST_INCLUDES: usize = 64;

/// A module.
#[derive(Debug)]
struct Module {
    /// The name of its file, for messages.
    file: String,
    text: Cow<'static, str>,
    is_included: bool,
}

/// Modules by name.
#[derive(Debug)]
pub(crate) struct Library {
    modules: BTreeMap<String, Module>,
    depth: usize,
}

impl Default for Library {
    /// The standard library.
    fn default() -> Self {
        let module = |&(name, text): &(&str, &'static str)| {
            let module = Module {
                file: format!("module {name}"),
                text: Cow::Borrowed(text),
                is_included: false,
            };
            (name.to_owned(), module)
        };
        Self {
            modules: MODULES.iter().map(module).collect(),
            depth: 0,
        }
    }
}

impl Library {
    /// Adds a module, or replaces one.
    pub fn add(&mut self, name: &str, file: &str, text: &str) {
        let module = Module {
            file: file.to_owned(),
            text: Cow::Owned(text.to_owned()),
            is_included: false,
        };
        self.modules.insert(name.to_owned(), module);
    }

    /// The names of the modules that a statement includes, in order.
    pub fn named(&self, include: &Include) -> Vec<String> {
        let name = &include.module.text;
        let fits = |known: &&String| match include.prefix() {
            Some(prefix) => known.starts_with(prefix),
            None => *known == name,
        };
        self.modules.keys().filter(fits).cloned().collect()
    }

    /// The file and the text of a module that is not included yet. Now it is.
    pub fn begin(&mut self, name: &str) -> Option<(String, String)> {
        let module = self.modules.get_mut(name)?;
        let was_included = std::mem::replace(&mut module.is_included, true);
        (!was_included).then(|| (module.file.clone(), module.text.clone().into_owned()))
    }

    /// Takes back [`Self::begin`]: the module failed.
    pub fn forget(&mut self, name: &str) {
        if let Some(module) = self.modules.get_mut(name) {
            module.is_included = false;
        }
    }

    /// Begins a level of includes, unless there are too many. [`Self::leave`] ends it.
    pub fn enter(&mut self) -> bool {
        let is_allowed = self.depth < MOST_INCLUDES;
        self.depth += usize::from(is_allowed);
        is_allowed
    }

    /// Ends a level of includes.
    pub fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }
}
