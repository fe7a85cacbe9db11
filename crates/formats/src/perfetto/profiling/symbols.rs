//! `ModuleSymbols`: the functions and lines at addresses of a mapping, added by a symbolizer.

use rustc_hash::FxHashMap;
use traceloom_trace::{StringId, TraceBuilder};

use super::super::module_file::build_id;
use super::super::wire::{Field, Fields};
use crate::profile::{Mapping, Stacks, Symbol, name_frames};
use crate::symbolizer::{CodePlaces, Symbolizer};

/// The frames by path, build id and address.
#[derive(Debug, Default)]
pub(super) struct Places {
    frames: FxHashMap<(StringId, StringId, u64), Vec<u32>>,
}

impl Places {
    pub fn new(stacks: &Stacks) -> Self {
        let mut places = Self::default();
        for (row, frame) in stacks.frames.iter().enumerate() {
            let Some(mapping) = stacks.mappings.get(frame.mapping as usize) else {
                continue;
            };
            let key = (mapping.name, mapping.build_id, frame.rel_pc);
            places.frames.entry(key).or_default().push(row as u32);
        }
        places
    }

    /// Adds the symbols of a packet to frames. Returns the number of addresses that have lines but no frame.
    pub fn symbolize(
        &self,
        fields: Fields<'_>,
        stacks: &mut Stacks,
        out: &mut TraceBuilder,
    ) -> u64 {
        let (mut path, mut build) = (StringId::NULL, StringId::NULL);
        for field in fields.clone() {
            match field.number {
                1 => path = out.intern(field.bytes()),
                2 => build = out.intern_unless_empty(build_id(field.bytes()).as_bytes()),
                _ => {}
            }
        }
        let mut unknown = 0;
        for symbols in fields.filter(|field| field.number == 3) {
            let fields = symbols.fields();
            let address = fields.clone().filter(|field| field.number == 1).last();
            let key = (path, build, address.map_or(0, Field::uint));
            match self.frames.get(&key) {
                Some(frames) => add(fields, frames, stacks, out),
                None => unknown += u64::from(fields.into_iter().any(|field| field.number == 2)),
            }
        }
        unknown
    }
}

/// Asks for the functions that still have no name.
pub(super) fn ask(
    symbolizer: Option<&dyn Symbolizer>,
    stacks: &mut Stacks,
    out: &mut TraceBuilder,
) {
    if let Some(symbolizer) = symbolizer {
        name_frames(stacks, symbolizer, code, out);
    }
}

/// The build id of a mapping, and what the places of its frames are. `None` if it maps no file.
fn code(mapping: &Mapping, path: &str) -> Option<(StringId, CodePlaces)> {
    let load_bias = mapping.load_bias;
    let is_file = path.starts_with('/') && !path.starts_with("//");
    is_file.then_some((mapping.build_id, CodePlaces::BiasedAddresses { load_bias }))
}

/// Adds the lines of an address, the innermost inlined function first.
fn add(fields: Fields<'_>, frames: &[u32], stacks: &mut Stacks, out: &mut TraceBuilder) {
    let set = stacks.symbols.len() as u32;
    for line in fields.filter(|field| field.number == 2) {
        stacks.add_symbol(line_symbol(set, line.fields(), out));
    }
    if stacks.symbols.len() as u32 == set {
        return;
    }
    for frame in frames {
        if let Some(frame) = stacks.frames.get_mut(*frame as usize) {
            frame.symbols = set;
        }
    }
}

/// A `Line`.
fn line_symbol(set: u32, fields: Fields<'_>, out: &mut TraceBuilder) -> Symbol {
    let mut symbol = Symbol {
        set,
        name: StringId::NULL,
        file: StringId::NULL,
        line: None,
        inlined: None,
    };
    for field in fields {
        match field.number {
            1 => symbol.name = out.intern(field.bytes()),
            2 => symbol.file = out.intern_unless_empty(field.bytes()),
            3 => symbol.line = Some(field.uint() as u32),
            _ => {}
        }
    }
    if symbol.file == StringId::NULL {
        symbol.line = None;
    }
    symbol
}
