//! Method names for the ids in traces of woven classes (`traceloom weave`).

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use rustc_hash::FxHashMap;
use traceloom_analyze::Function;
use traceloom_trace::{StringId, Trace, sort};
use traceloom_weave::{MappedMethod, MethodMap};

use super::Names;
use crate::print::{message, plain, thousands};

/// A method map and where it came from.
#[derive(Debug)]
pub struct MethodNames {
    map: MethodMap,
    path: PathBuf,
    /// Whether it was found next to the trace instead of being given by the user.
    is_found: bool,
}

impl MethodNames {
    /// Opens the given map, or else the one next to the trace, if there is one.
    ///
    /// # Errors
    /// If the given map cannot be read or is not a method map. A faulty map next to the trace is
    /// ignored.
    pub fn find(named: Option<&Path>, trace: Option<&Path>) -> Result<Option<Self>> {
        if let Some(path) = named {
            return Self::open(path, false).map(Some);
        }
        let beside = trace.and_then(map_next_to);
        Ok(beside.and_then(|path| Self::open(&path, true).ok()))
    }

    fn open(path: &Path, is_found: bool) -> Result<Self> {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read the method map {}", path.display()))?;
        let map = MethodMap::parse(&text).with_context(|| path.display().to_string())?;
        Ok(Self {
            map,
            path: path.to_owned(),
            is_found,
        })
    }

    /// Replaces ids that are the whole name of a slice or method by method names. If the classes
    /// were obfuscated before they were woven, an R8 mapping gives the original names. If the map
    /// was not given by the user, prints on standard error what it changed.
    pub fn rename(&self, trace: &mut Trace, original: Option<&Names<'_>>) {
        let mut seen = Seen::default();
        let slices = self.slice_names(trace, original, &mut seen);
        let methods = self.method_rows(trace, &mut seen);
        if self.is_another(&seen) {
            return;
        }
        for row in 0..trace.slices.len() {
            if trace.slices.is_instant(row) {
                continue;
            }
            let name = trace.slices.name.get_mut(row);
            if let Some(text) = slices.get(name) {
                *name = *text;
            }
        }
        for (row, method) in methods {
            let (class, name, signature) = names(method, original);
            *trace.methods.class.get_mut(row) = trace.strings.intern_unless_empty(&class);
            *trace.methods.name.get_mut(row) = trace.strings.intern_unless_empty(&name);
            *trace.methods.signature.get_mut(row) = trace.strings.intern_unless_empty(&signature);
        }
        self.report(&seen);
    }

    /// Like [`MethodNames::rename`], for the functions of a call tree.
    pub fn rename_functions(&self, functions: &mut [Function], original: Option<&Names<'_>>) {
        let mut seen = Seen::default();
        let mut found = Vec::new();
        for (at, function) in functions.iter().enumerate() {
            let id = id(&function.name).filter(|_| function.class.is_empty());
            let method = id.and_then(|id| seen.look_up(&self.map, id));
            found.extend(method.map(|method| (at, method)));
        }
        if self.is_another(&seen) {
            return;
        }
        for (at, method) in found {
            let (class, name, signature) = names(method, original);
            functions[at] = Function::method(0, &class, &name, &signature);
        }
        self.report(&seen);
    }

    /// Whether the map next to the trace belongs to another trace. If so, prints that on standard
    /// error.
    fn is_another(&self, seen: &Seen) -> bool {
        let is_another = self.is_found && seen.known * 2 < seen.ids;
        if is_another {
            message!(
                "{} next to the trace has only {} of its {} ids and is ignored; use --method-map to apply it anyway",
                plain(&self.path.display().to_string()),
                thousands(seen.known),
                thousands(seen.ids),
            );
        }
        is_another
    }

    fn report(&self, seen: &Seen) {
        if seen.ids == 0 {
            return;
        }
        let path = self.path.display().to_string();
        let path = plain(&path);
        let (known, ids) = (thousands(seen.known), thousands(seen.ids));
        if seen.known < seen.ids {
            message!("{path} has names for {known} of {ids} ids");
        } else if self.is_found {
            message!("names of {known} methods are from {path}");
        }
    }

    /// The slice names that are ids, each with its new name.
    fn slice_names(
        &self,
        trace: &mut Trace,
        original: Option<&Names<'_>>,
        seen: &mut Seen,
    ) -> FxHashMap<StringId, StringId> {
        let mut names: FxHashMap<StringId, Option<u32>> = FxHashMap::default();
        for row in trace.slices.spans() {
            let name = trace.slices.name.get(row);
            names
                .entry(name)
                .or_insert_with(|| id(trace.strings.get(name)));
        }
        let ids = names.into_iter().filter_map(|(name, id)| Some((name, id?)));
        let mut ids: Vec<_> = ids.collect();
        // The order of new strings must not depend on a hash.
        sort::by_key(&mut ids, |(_, id)| *id);
        let known = ids
            .into_iter()
            .filter_map(|(name, id)| Some((name, seen.look_up(&self.map, id)?)));
        let known: Vec<_> = known.collect();
        let mut full_name = |method: &MappedMethod| {
            let (class, name, _) = self::names(method, original);
            trace.strings.intern(&format!("{class}.{name}"))
        };
        known
            .into_iter()
            .map(|(name, method)| (name, full_name(method)))
            .collect()
    }

    /// The methods that have no class and an id for a name.
    fn method_rows(&self, trace: &Trace, seen: &mut Seen) -> Vec<(usize, &MappedMethod)> {
        let mut found = Vec::new();
        for row in 0..trace.methods.len() {
            let method = trace.methods.row(row);
            if !trace.strings.get(method.class).is_empty() {
                continue;
            }
            let Some(id) = id(trace.strings.get(method.name)) else {
                continue;
            };
            found.extend(seen.look_up(&self.map, id).map(|method| (row, method)));
        }
        found
    }
}

/// The number of ids in a trace, and how many of them the map contains.
#[derive(Default)]
struct Seen {
    ids: u64,
    known: u64,
}

impl Seen {
    fn look_up<'m>(&mut self, map: &'m MethodMap, id: u32) -> Option<&'m MappedMethod> {
        let method = map.get(id);
        self.ids += 1;
        self.known += u64::from(method.is_some());
        method
    }
}

/// Class, name and descriptor; the original ones if they are in the mapping.
fn names(method: &MappedMethod, original: Option<&Names<'_>>) -> (String, String, String) {
    let found =
        original.and_then(|names| names.method(&method.class, &method.name, &method.descriptor, 0));
    match found {
        Some(found) => (found.class, found.name, found.signature),
        None => (
            method.class.clone(),
            method.name.clone(),
            method.descriptor.clone(),
        ),
    }
}

/// Parses a name that is an id: decimal digits without a leading zero, as weaving writes them.
fn id(name: &str) -> Option<u32> {
    let is_number = name.bytes().all(|byte| byte.is_ascii_digit()) && !name.starts_with('0');
    is_number.then(|| name.parse().ok()).flatten()
}

/// The method map next to a trace: `app.trace.methods.txt` or `app.methods.txt` for `app.trace`, or
/// else `methods.txt` in the same folder.
fn map_next_to(trace: &Path) -> Option<PathBuf> {
    let with = |name: &std::ffi::OsStr| {
        let mut name = name.to_owned();
        name.push(".methods.txt");
        trace.with_file_name(name)
    };
    let own = [trace.file_name().map(with), trace.file_stem().map(with)];
    let candidates = own.into_iter().flatten();
    let mut candidates = candidates.chain([trace.with_file_name("methods.txt")]);
    candidates.find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_digits_alone() {
        assert_eq!(id("17"), Some(17));
        for name in ["", "0", "017", "1a", "-1", "99999999999"] {
            assert_eq!(id(name), None, "{name}");
        }
    }
}
