//! Mappings, frames, symbols and callsites: all profiles of a trace share them.
//!
//! ```text
//! callsite ──► frame ──► mapping          a callsite is a frame and the callsite that called it
//!    ▲           └─────► symbols          from the innermost inlined function to the function itself
//!    └─ callsite (the caller)
//! ```
//! They are kept until the trace ends, because symbols and the names of obfuscated methods come last.

use rustc_hash::FxHashMap;
use traceloom_trace::{StringId, TraceBuilder};

/// No row.
pub(crate) const NONE: u32 = u32::MAX;

/// A file in the memory of a process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Mapping {
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
pub(crate) struct Frame {
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
pub(crate) struct Symbol {
    /// The first symbol of the same set.
    pub set: u32,
    pub name: StringId,
    pub file: StringId,
    pub line: Option<u32>,
    /// Whether it is inlined into the next one, if the source provides this.
    pub inlined: Option<bool>,
}

/// A frame and its caller.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Callsite {
    pub depth: u32,
    pub parent: u32,
    pub frame: u32,
}

/// A frame without a mapping: its name, file and line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Named {
    pub name: StringId,
    pub file: StringId,
    pub line: Option<u32>,
}

/// The memory of a row here and in the tables, bytes.
const OF_MAPPING: usize = 280;
const OF_FRAME: usize = 200;
const OF_SYMBOL: usize = 120;
const OF_CALLSITE: usize = 110;

/// All stacks of a trace.
#[derive(Debug, Default)]
pub(crate) struct Stacks {
    pub mappings: Vec<Mapping>,
    pub frames: Vec<Frame>,
    pub symbols: Vec<Symbol>,
    pub callsites: Vec<Callsite>,
    /// The memory left for rows, bytes.
    room: usize,
    /// Rows that were omitted because no memory was left.
    pub beyond: u64,
    known_mappings: FxHashMap<Mapping, u32>,
    known_frames: FxHashMap<(u32, u64, StringId), u32>,
    known_named: FxHashMap<(u32, Named), u32>,
    known_callsites: FxHashMap<(u32, u32), u32>,
}

impl Stacks {
    /// Creates empty tables with this much memory for rows, bytes.
    pub fn with_room(room: usize) -> Self {
        Self {
            room,
            ..Self::default()
        }
    }

    /// Adds memory for rows, bytes.
    pub fn add_room(&mut self, bytes: usize) {
        self.room += bytes;
    }

    /// Takes memory for a row. Returns whether there is enough.
    fn takes(&mut self, bytes: usize) -> bool {
        let is_enough = bytes <= self.room;
        if is_enough {
            self.room -= bytes;
        } else {
            self.beyond += 1;
        }
        is_enough
    }

    /// The row of a mapping; [`NONE`] if there is no memory for it.
    pub fn mapping(&mut self, mapping: Mapping) -> u32 {
        if let Some(known) = self.known_mappings.get(&mapping) {
            return *known;
        }
        let row = self.new_mapping(mapping);
        if row != NONE {
            self.known_mappings.insert(mapping, row);
        }
        row
    }

    /// Adds a mapping even if another process has an equal one. [`NONE`] if there is no memory for it.
    pub fn new_mapping(&mut self, mapping: Mapping) -> u32 {
        if !self.takes(OF_MAPPING) {
            return NONE;
        }
        push(&mut self.mappings, mapping)
    }

    /// The mapping for frames that belong to no file.
    pub fn no_file(&mut self, name: &str, out: &mut TraceBuilder) -> u32 {
        self.mapping(Mapping {
            name: out.intern_unless_empty(name.as_bytes()),
            end: u64::MAX,
            ..Mapping::default()
        })
    }

    /// The row of a frame at a place of a mapping. Only the first frame at this place sets the file and the line.
    pub fn frame(&mut self, mapping: u32, rel_pc: u64, named: Named) -> u32 {
        let key = (mapping, rel_pc, named.name);
        if let Some(known) = self.known_frames.get(&key) {
            return *known;
        }
        if mapping == NONE || !self.takes(OF_FRAME) {
            return NONE;
        }
        let has_symbol = named.file != StringId::NULL || named.line.is_some();
        let symbols = if has_symbol { self.symbol(named) } else { NONE };
        let frame = self.new_frame(mapping, rel_pc, named.name, symbols);
        self.known_frames.insert(key, frame);
        frame
    }

    /// The row of a frame that belongs to no file.
    pub fn named_frame(&mut self, mapping: u32, named: Named) -> u32 {
        if let Some(known) = self.known_named.get(&(mapping, named)) {
            return *known;
        }
        if mapping == NONE || !self.takes(OF_FRAME) {
            return NONE;
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
        self.add_symbol(symbol);
        symbol.set
    }

    /// Adds a symbol, if there is memory for it.
    pub fn add_symbol(&mut self, symbol: Symbol) {
        if self.takes(OF_SYMBOL) {
            self.symbols.push(symbol);
        }
    }

    /// The row of a frame that was called from `parent`, which is [`NONE`] for the outermost frame. If no memory is
    /// left, returns the caller's row.
    pub fn callsite(&mut self, parent: u32, frame: u32) -> u32 {
        if let Some(known) = self.known_callsites.get(&(parent, frame)) {
            return *known;
        }
        if frame == NONE || !self.takes(OF_CALLSITE) {
            return parent;
        }
        let caller = self.callsites.get(parent as usize);
        let callsite = Callsite {
            depth: caller.map_or(0, |caller| caller.depth + 1),
            parent,
            frame,
        };
        let row = push(&mut self.callsites, callsite);
        self.known_callsites.insert((parent, frame), row);
        row
    }
}

/// Adds a row.
pub(crate) fn push<T>(rows: &mut Vec<T>, row: T) -> u32 {
    rows.push(row);
    rows.len() as u32 - 1
}
