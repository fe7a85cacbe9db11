//! `DeobfuscationMapping`: the original names of methods, classes and fields, before R8 shortened them.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use traceloom_trace::{StringId, TraceBuilder};

use super::super::wire::{Field, Fields};
use super::paths::package;
use crate::profile::{NONE, Stacks, Symbol};

/// The package name for code in memory files.
const IN_MEMORY: &str = "memfd";

/// The frames of Java methods, by their names and packages.
pub(super) type JavaFrames = FxHashMap<(StringId, StringId), Vec<u32>>;

/// Finds the frames of Java methods. `guess` gives the package for frames whose mapping has none.
pub(super) fn java_frames(
    stacks: &Stacks,
    guess: &FxHashMap<u32, StringId>,
    out: &mut TraceBuilder,
) -> JavaFrames {
    let mut packages: FxHashMap<u32, StringId> = FxHashMap::default();
    for (row, mapping) in stacks.mappings.iter().enumerate() {
        let path = out.trace().strings.get(mapping.name).to_owned();
        let found = match package(&path) {
            None if path.starts_with("/memfd:") => Some(IN_MEMORY),
            found => found,
        };
        if let Some(found) = found {
            packages.insert(row as u32, out.intern(found.as_bytes()));
        }
    }
    let mut frames = JavaFrames::default();
    for (row, frame) in stacks.frames.iter().enumerate() {
        let is_java = out.trace().strings.get(frame.name).contains('.');
        let known = packages.get(&frame.mapping).or(guess.get(&(row as u32)));
        if let (true, Some(package)) = (is_java, known) {
            let key = (frame.name, *package);
            frames.entry(key).or_default().push(row as u32);
        }
    }
    frames
}

/// A method before R8. After R8, it corresponds to a range of lines in an obfuscated method.
#[derive(Clone, Copy, Debug)]
struct Method {
    name: StringId,
    /// The lines after R8.
    first: Option<u32>,
    last: Option<u32>,
    /// The line before R8.
    source: Option<u32>,
}

/// The contents of a packet.
#[derive(Debug, Default)]
pub(super) struct Renaming {
    pub package: StringId,
    /// Obfuscated and original names of classes.
    pub classes: Vec<(StringId, String)>,
    /// Obfuscated and original names of fields.
    pub fields: Vec<(StringId, StringId)>,
    /// Methods by obfuscated name, in the order of the packet.
    methods: Vec<(StringId, Vec<Method>)>,
}

impl Renaming {
    pub fn read(fields: Fields<'_>, out: &mut TraceBuilder) -> Self {
        let mut renaming = Self::default();
        let mut places = FxHashMap::default();
        for field in fields {
            match field.number {
                1 => renaming.package = out.intern_unless_empty(field.bytes()),
                3 => renaming.class(field.fields(), &mut places, out),
                _ => {}
            }
        }
        renaming
    }

    /// An `ObfuscatedClass`.
    fn class(
        &mut self,
        fields: Fields<'_>,
        places: &mut FxHashMap<StringId, usize>,
        out: &mut TraceBuilder,
    ) {
        let text = |number| {
            let field = fields.clone().filter(|field| field.number == number).last();
            String::from_utf8_lossy(field.map_or(b"", Field::bytes)).into_owned()
        };
        let class = (text(1), text(2));
        self.classes
            .push((out.intern(class.0.as_bytes()), class.1.clone()));
        for field in fields.clone() {
            match field.number {
                3 => {
                    let (new, old) = member(field.fields(), &class, out);
                    self.fields.push((new, old.name));
                }
                4 => {
                    let (new, old) = member(field.fields(), &class, out);
                    let place = *places.entry(new).or_insert(self.methods.len());
                    match self.methods.get_mut(place) {
                        Some((_, methods)) => methods.push(old),
                        None => self.methods.push((new, vec![old])),
                    }
                }
                _ => {}
            }
        }
    }

    /// Sets the original names of frames.
    pub fn rename_frames(&self, frames: &JavaFrames, stacks: &mut Stacks, out: &mut TraceBuilder) {
        if self.package == StringId::NULL {
            return;
        }
        let in_memory = out.intern(IN_MEMORY.as_bytes());
        for (new, methods) in &self.methods {
            for package in [self.package, in_memory] {
                for frame in frames.get(&(*new, package)).into_iter().flatten() {
                    rename(*frame, methods, stacks, out);
                }
            }
        }
    }
}

/// Reads an `ObfuscatedMember`: its obfuscated name and the original method or field. An original name without a class
/// belongs to `class`.
fn member(
    fields: Fields<'_>,
    class: &(String, String),
    out: &mut TraceBuilder,
) -> (StringId, Method) {
    let (mut new, mut old) = (String::new(), String::new());
    let [mut first, mut last, mut source] = [None; 3];
    for field in fields {
        match field.number {
            1 => new = String::from_utf8_lossy(field.bytes()).into_owned(),
            2 => old = String::from_utf8_lossy(field.bytes()).into_owned(),
            3 => first = Some(field.uint() as u32),
            4 => last = Some(field.uint() as u32),
            5 => source = Some(field.uint() as u32),
            _ => {}
        }
    }
    if !old.contains('.') {
        old = format!("{}.{old}", class.1);
    }
    let new = format!("{}.{new}", class.0);
    let method = Method {
        name: out.intern(old.as_bytes()),
        first,
        last,
        source,
    };
    (out.intern(new.as_bytes()), method)
}

/// The maximum number of methods with the same obfuscated name that are used.
const MOST_METHODS: usize = 4_096;

/// Renames a frame. Its line determines which methods were inlined there.
fn rename(row: u32, methods: &[Method], stacks: &mut Stacks, out: &mut TraceBuilder) {
    let line = line_of(row, stacks);
    let is_there = |method: &&Method| {
        line.is_some_and(|line| {
            method.first.is_none_or(|first| line >= first)
                && method.last.is_none_or(|last| line <= last)
        })
    };
    let methods = methods.get(..MOST_METHODS).unwrap_or(methods);
    let chain: Vec<&Method> = methods.iter().filter(is_there).collect();
    let Some(frame) = stacks.frames.get_mut(row as usize) else {
        return;
    };
    let Some(outermost) = chain.last() else {
        frame.deobfuscated = any_of(methods, out);
        return;
    };
    let set = stacks.symbols.len() as u32;
    frame.deobfuscated = outermost.name;
    frame.symbols = set;
    for (at, method) in chain.iter().enumerate() {
        let symbol = Symbol {
            set,
            name: method.name,
            file: StringId::NULL,
            line: method.source,
            inlined: Some(at + 1 < chain.len()),
        };
        stacks.add_symbol(symbol);
    }
}

/// The line of a frame, from its first symbol that has one.
fn line_of(row: u32, stacks: &Stacks) -> Option<u32> {
    let set = stacks.frames.get(row as usize)?.symbols;
    if set == NONE {
        return None;
    }
    let symbols = stacks.symbols.get(set as usize..)?.iter();
    let mut symbols = symbols.take_while(|symbol| symbol.set == set);
    symbols.find_map(|symbol| symbol.line)
}

/// The names of all candidate methods, joined.
fn any_of(methods: &[Method], out: &mut TraceBuilder) -> StringId {
    let strings = &out.trace().strings;
    let names: BTreeSet<&str> = methods
        .iter()
        .map(|method| strings.get(method.name))
        .collect();
    let names: Vec<&str> = names.into_iter().collect();
    let all = names.join(" | ");
    out.intern(all.as_bytes())
}
