//! The modules that a script can include.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::types::ValueRef;

use super::modules::modules;
use super::objects;
use crate::dialect::Include;
use crate::operators::{Cells, Meter, Operator};

/// The maximum depth of nested includes. Each level needs stack.
const MOST_INCLUDES: usize = 64;

/// A module.
#[derive(Debug)]
struct Module {
    /// The name of its file, for messages.
    file: String,
    text: Cow<'static, str>,
    is_included: bool,
    /// The number of its statements that have run. A failed statement can run again, because the objects of the
    /// statements before it already exist.
    done: usize,
}

/// A module that is running.
pub(crate) struct Begun {
    /// The name of its file, for messages.
    pub file: String,
    pub text: String,
    /// The number of its statements that ran before.
    pub done: usize,
}

/// The texts of all modules by name, which a query can read while the library is in use.
type Texts = Arc<Mutex<BTreeMap<String, Cow<'static, str>>>>;

/// Modules by name.
#[derive(Debug)]
pub(crate) struct Library {
    modules: BTreeMap<String, Module>,
    texts: Texts,
    depth: usize,
}

impl Default for Library {
    /// The standard library.
    fn default() -> Self {
        let module = |(name, text): (&str, &'static str)| {
            let module = Module {
                file: format!("module {name}"),
                text: Cow::Borrowed(text),
                is_included: false,
                done: 0,
            };
            (name.to_owned(), module)
        };
        let text = |(name, text): (&str, &'static str)| (name.to_owned(), Cow::Borrowed(text));
        Self {
            modules: modules().map(module).collect(),
            texts: Arc::new(Mutex::new(modules().map(text).collect())),
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
            done: 0,
        };
        let mut texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        texts.insert(name.to_owned(), module.text.clone());
        drop(texts);
        self.modules.insert(name.to_owned(), module);
    }

    /// The operator that lists what modules define.
    pub fn objects(&self) -> Operator {
        let texts = self.texts.clone();
        let run = move |_: &[ValueRef<'_>], meter: &mut Meter| {
            let texts = texts.lock().unwrap_or_else(PoisonError::into_inner);
            let mut cells = Cells::new();
            for (name, text) in texts.iter() {
                // The cells contain the text a few times at most.
                meter.grow(8 * text.len())?;
                cells.extend(objects::rows(name, text));
            }
            Ok(cells)
        };
        Operator::built_in("__intrinsic_stdlib_objects", objects::COLUMNS, (0, 0), run)
    }

    /// The first module that defines a table, view, function or macro of this name.
    pub fn definer(&self, name: &str) -> Option<&str> {
        let defines = |module: &Module| objects::defines(&module.file, &module.text, name);
        let mut modules = self.modules.iter();
        modules.find_map(|(module, it)| defines(it).then_some(module.as_str()))
    }

    /// The names of all modules, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.modules.keys().map(String::as_str)
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

    /// Marks a module as included and returns it; `None` if it is already included or does not exist.
    pub fn begin(&mut self, name: &str) -> Option<Begun> {
        let module = self.modules.get_mut(name)?;
        let was_included = std::mem::replace(&mut module.is_included, true);
        (!was_included).then(|| Begun {
            file: module.file.clone(),
            text: module.text.clone().into_owned(),
            done: module.done,
        })
    }

    /// Reverts [`Self::begin`]: the module failed after `done` statements.
    pub fn stop(&mut self, name: &str, done: usize) {
        if let Some(module) = self.modules.get_mut(name) {
            (module.is_included, module.done) = (false, done);
        }
    }

    /// Enters a level of includes, unless there are too many. [`Self::leave`] leaves it.
    pub fn enter(&mut self) -> bool {
        let is_allowed = self.depth < MOST_INCLUDES;
        self.depth += usize::from(is_allowed);
        is_allowed
    }

    /// Leaves a level of includes.
    pub fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }
}
