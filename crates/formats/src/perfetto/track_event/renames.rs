//! Names that tools add to a recorded trace: a symbolizer names the functions at addresses, and a mapping of R8 has the
//! original names of Java classes.
//!
//! ```text
//! chrome_mojo_event_info { mojo_interface_method_iid: 1 }   liblib.so + 123  ─►  storage::mojom::File::Close
//! android_view_dump.activity.view { class_name: "abc" }     abc  ─►  com.example.View
//! ```
//! The packets apply to the whole trace, regardless of their position. They are read when a name is first needed.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use super::super::module_file::{build_id, mapped_file};
use super::super::survey::Survey;
use super::super::wire::{Field, Fields};
use super::names::{Names, interned};

/// The original names of classes, by their names in the app.
type Classes<'s> = FxHashMap<&'s [u8], &'s [u8]>;

/// The names, once needed.
#[derive(Debug, Default)]
pub(super) struct Renames<'s> {
    functions: Option<Functions<'s>>,
    classes: Option<Classes<'s>>,
}

impl<'s> Renames<'s> {
    /// The function at an interned address.
    pub fn function(&mut self, names: &Names<'s>, iid: u64) -> Option<&'s [u8]> {
        let functions = &mut self.functions;
        let functions = functions.get_or_insert_with(|| Functions::of(names.survey));
        functions.get(names, iid)
    }

    /// The original name of a class.
    pub fn class(&mut self, survey: &'s Survey<'s>, class: &'s [u8]) -> Option<&'s [u8]> {
        let classes = self.classes.get_or_insert_with(|| classes(survey));
        classes.get(class).copied()
    }
}

/// The functions at addresses of files.
#[derive(Debug, Default)]
struct Functions<'s> {
    /// The number of each file, by its path and build id.
    files: FxHashMap<(Vec<u8>, String), usize>,
    /// The outermost function, by file and address.
    functions: FxHashMap<(usize, u64), &'s [u8]>,
}

impl<'s> Functions<'s> {
    fn of(survey: &'s Survey<'s>) -> Self {
        let mut all = Self::default();
        for span in &survey.symbols {
            all.module(Fields::new(survey.source.get(*span)));
        }
        all
    }

    /// Adds a `ModuleSymbols`.
    fn module(&mut self, fields: Fields<'s>) {
        let last = |number| fields.clone().filter(|field| field.number == number).last();
        let [path, build] = [1, 2].map(|number| last(number).map_or(&b""[..], Field::bytes));
        let number = self.files.len();
        let key = (path.to_vec(), build_id(build));
        let file = *self.files.entry(key).or_insert(number);
        for symbols in fields.filter(|field| field.number == 3) {
            let fields = symbols.fields();
            let last = |number| fields.clone().filter(|field| field.number == number).last();
            let name = last(2).map(|line| line.fields().find(|field| field.number == 1));
            if let Some(name) = name {
                let address = last(1).map_or(0, Field::uint);
                let name = name.map_or(&b""[..], Field::bytes);
                self.functions.insert((file, address), name);
            }
        }
    }

    /// The function at an interned address.
    fn get(&self, names: &Names<'s>, iid: u64) -> Option<&'s [u8]> {
        let (mut mapping, mut address) = (0, 0);
        for field in names.message(interned::UNSYMBOLIZED_LOCATIONS, iid)? {
            match field.number {
                2 => mapping = field.uint(),
                3 => address = field.uint(),
                _ => {}
            }
        }
        let mapping = names.message(interned::MAPPINGS, mapping)?;
        let file = mapped_file(mapping, |field, iid| names.text(field, iid))?;
        let function = (*self.files.get(&file)?, address);
        self.functions.get(&function).copied()
    }
}

/// The classes of the first package that has any, as in Perfetto. An argument does not name the package of its class.
fn classes<'s>(survey: &'s Survey<'s>) -> Classes<'s> {
    let mut first = None;
    let mut classes = Classes::default();
    for span in &survey.renamings {
        let fields = Fields::new(survey.source.get(*span));
        let last = |number| fields.clone().filter(|field| field.number == number).last();
        let package = (
            last(1).map_or(&b""[..], Field::bytes),
            last(2).map(Field::int),
        );
        for class in fields.clone().filter(|field| field.number == 3) {
            if *first.get_or_insert(package) == package {
                add_class(class.fields(), &mut classes);
            }
        }
    }
    classes
}

/// Adds an `ObfuscatedClass`, unless it is known.
fn add_class<'s>(fields: Fields<'s>, classes: &mut Classes<'s>) {
    let last = |number| fields.clone().filter(|field| field.number == number).last();
    let [new, old] = [1, 2].map(|number| last(number).map_or(&b""[..], Field::bytes));
    if let Entry::Vacant(place) = classes.entry(new) {
        place.insert(old);
    }
}
