//! Mappings, frames, symbols and callsites: all profiles of a trace share them.
//!
//! ```text
//! callsite ──► frame ──► mapping          a callsite is a frame and the callsite that called it
//!    ▲           └─────► symbols          from the innermost inlined function to the function itself
//!    └─ callsite (the caller)
//! ```
//! They are kept until the trace ends: symbols and the names of obfuscated methods come last.

use rustc_hash::FxHashMap;
use traceloom_trace::{StringId, TraceBuilder};

/// No row.
pub(super) const NONE: u32 = u32::MAX;

/// A file in the memory of a process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Mapping {
    pub build_id: StringId,
    pub name: StringId,
    pub exact_offset: u64,
    pub start_offset: u64,
    pub start: u64,
    pub end: u64,
    pub load_bias: u64,
}

/// A place in the code.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub name: StringId,
    pub mapping: u32,
    pub rel_pc: u64,
    /// The first of its symbols.
    pub symbols: u32,
    pub deobfuscated: StringId,
    pub kind: StringId,
}

/// A line of source code.
#[derive(Clone, Copy, Debug)]
pub(super) struct Symbol {
    /// The first symbol of the same set.
    pub set: u32,
    pub name: StringId,
    pub file: StringId,
    pub line: Option<u32>,
    /// Whether it is inlined into the next one; not every source tells.
    pub inlined: Option<bool>,
}

/// A frame and its caller.
#[derive(Clone, Copy, Debug)]
pub(super) struct Callsite {
    pub depth: u32,
    pub parent: u32,
    pub frame: u32,
}

/// A frame without a mapping: its name, file and line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Named {
    pub name: StringId,
    pub file: StringId,
    pub line: Option<u32>,
}

/// All stacks of a trace.
#[derive(Debug, Default)]
pub(super) struct Stacks {
    pub mappings: Vec<Mapping>,
    pub frames: Vec<Frame>,
    pub symbols: Vec<Symbol>,
    pub callsites: Vec<Callsite>,
    known_mappings: FxHashMap<Mapping, u32>,
    known_frames: FxHashMap<(u32, u64, StringId), u32>,
    known_named: FxHashMap<(u32, Named), u32>,
    known_callsites: FxHashMap<(u32, u32), u32>,
}

impl Stacks {
    /// The row of a mapping.
    pub fn mapping(&mut self, mapping: Mapping) -> u32 {
        let mappings = &mut self.mappings;
        let known = self.known_mappings.entry(mapping);
        *known.or_insert_with(|| push(mappings, mapping))
    }

    /// The mapping of frames that are in no file.
    pub fn no_file(&mut self, name: &str, out: &mut TraceBuilder) -> u32 {
        self.mapping(Mapping {
            name: out.intern_unless_empty(name.as_bytes()),
            end: u64::MAX,
            ..Mapping::default()
        })
    }

    /// The row of a frame at a place of a mapping. Only the first one with this place gets the file and the line.
    pub fn frame(&mut self, mapping: u32, rel_pc: u64, named: Named) -> u32 {
        let key = (mapping, rel_pc, named.name);
        if let Some(known) = self.known_frames.get(&key) {
            return *known;
        }
        let has_symbol = named.file != StringId::NULL || named.line.is_some();
        let symbols = if has_symbol { self.symbol(named) } else { NONE };
        let frame = self.new_frame(mapping, rel_pc, named.name, symbols);
        self.known_frames.insert(key, frame);
        frame
    }

    /// The row of a frame that is in no file.
    pub fn named_frame(&mut self, mapping: u32, named: Named) -> u32 {
        if let Some(known) = self.known_named.get(&(mapping, named)) {
            return *known;
        }
        let symbols = self.symbol(named);
        let frame = self.new_frame(mapping, 0, named.name, symbols);
        self.known_named.insert((mapping, named), frame);
        frame
    }

    fn new_frame(&mut self, mapping: u32, rel_pc: u64, name: StringId, symbols: u32) -> u32 {
        let frame = Frame {
            name,
            mapping,
            rel_pc,
            symbols,
            deobfuscated: StringId::NULL,
            kind: StringId::NULL,
        };
        push(&mut self.frames, frame)
    }

    fn symbol(&mut self, named: Named) -> u32 {
        let symbol = Symbol {
            set: self.symbols.len() as u32,
            name: named.name,
            file: named.file,
            line: named.line,
            inlined: None,
        };
        push(&mut self.symbols, symbol)
    }

    /// The row of a frame that was called from `parent`, which is [`NONE`] for the outermost frame.
    pub fn callsite(&mut self, parent: u32, frame: u32) -> u32 {
        let depth = match self.callsites.get(parent as usize) {
            Some(parent) => parent.depth + 1,
            None => 0,
        };
        let callsites = &mut self.callsites;
        let known = self.known_callsites.entry((parent, frame));
        *known.or_insert_with(|| {
            push(
                callsites,
                Callsite {
                    depth,
                    parent,
                    frame,
                },
            )
        })
    }

    /// The number of all rows.
    pub fn len(&self) -> usize {
        self.mappings.len() + self.frames.len() + self.symbols.len() + self.callsites.len()
    }
}

/// Adds a row.
pub(super) fn push<T>(rows: &mut Vec<T>, row: T) -> u32 {
    rows.push(row);
    rows.len() as u32 - 1
}
