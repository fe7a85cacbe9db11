//! Interned callstacks.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;
use traceloom_trace::{StringId, TraceBuilder};

use super::super::module_file::{build_id, joined};
use super::super::sequence::State;
use super::super::survey::Survey;
use super::super::wire::{Field, Fields};
use crate::profile::{Mapping, NONE, Named, Stacks};

/// Fields of `InternedData`.
pub(super) mod field {
    pub const FUNCTION_NAMES: u32 = 5;
    pub const FRAMES: u32 = 6;
    pub const CALLSTACKS: u32 = 7;
    pub const BUILD_IDS: u32 = 16;
    pub const MAPPING_PATHS: u32 = 17;
    pub const SOURCE_PATHS: u32 = 18;
    pub const MAPPINGS: u32 = 19;
    pub const TASK_CONTEXTS: u32 = 48;
    pub const EXECUTION_CONTEXTS: u32 = 49;
    pub const COUNTER_DESCRIPTORS: u32 = 50;
    pub const ASYNC_CONTEXTS: u32 = 51;
}

/// Interned messages, and the rows of the messages that were already read.
pub(super) struct Interned<'s> {
    survey: &'s Survey<'s>,
    callstacks: FxHashMap<(u32, u64), Option<u32>>,
    frames: FxHashMap<(u32, u64), Option<u32>>,
    mappings: FxHashMap<(u32, u64), Option<u32>>,
    /// The number of references to missing messages.
    pub missing: u64,
}

impl<'s> Interned<'s> {
    pub fn new(survey: &'s Survey<'s>) -> Self {
        Self {
            survey,
            callstacks: FxHashMap::default(),
            frames: FxHashMap::default(),
            mappings: FxHashMap::default(),
            missing: 0,
        }
    }

    /// The fields of an interned message.
    pub fn message(&mut self, state: &State, of: u32, iid: u64) -> Option<Fields<'s>> {
        let span = self.survey.sequences.interned(state, of, iid);
        self.missing += u64::from(span.is_none());
        Some(Fields::new(self.survey.source.get(span?)))
    }

    /// The text of an interned string; empty for the iid 0.
    fn text(&mut self, state: &State, of: u32, iid: u64) -> Option<&'s [u8]> {
        if iid == 0 {
            return Some(b"");
        }
        let text = self
            .message(state, of, iid)?
            .find(|field| field.number == 2);
        Some(text.map_or(b"", Field::bytes))
    }

    /// The callsite of a callstack.
    pub fn callstack(
        &mut self,
        state: &State,
        iid: u64,
        stacks: &mut Stacks,
        out: &mut TraceBuilder,
    ) -> Option<u32> {
        let key = (state.generation, iid);
        if let Some(known) = self.callstacks.get(&key) {
            return *known;
        }
        let callsite = self.new_callstack(state, iid, stacks, out);
        self.callstacks.insert(key, callsite);
        callsite
    }

    fn new_callstack(
        &mut self,
        state: &State,
        iid: u64,
        stacks: &mut Stacks,
        out: &mut TraceBuilder,
    ) -> Option<u32> {
        let message = self.message(state, field::CALLSTACKS, iid)?;
        let mut callsite = NONE;
        let frames = message.filter(|field| field.number == 2);
        for frame in frames.flat_map(Field::numbers) {
            let frame = self.frame(state, frame, stacks, out)?;
            callsite = stacks.callsite(callsite, frame);
        }
        (callsite != NONE).then_some(callsite)
    }

    fn frame(
        &mut self,
        state: &State,
        iid: u64,
        stacks: &mut Stacks,
        out: &mut TraceBuilder,
    ) -> Option<u32> {
        let key = (state.generation, iid);
        if let Some(known) = self.frames.get(&key) {
            return *known;
        }
        let frame = self.new_frame(state, iid, stacks, out);
        self.frames.insert(key, frame);
        frame
    }

    fn new_frame(
        &mut self,
        state: &State,
        iid: u64,
        stacks: &mut Stacks,
        out: &mut TraceBuilder,
    ) -> Option<u32> {
        let frame = FrameFields::read(self.message(state, field::FRAMES, iid)?);
        let name = self.text(state, field::FUNCTION_NAMES, frame.name)?;
        let file = self.text(state, field::SOURCE_PATHS, frame.file)?;
        let named = Named {
            // A frame without a function has no name. An empty name is one.
            name: match frame.name {
                0 => StringId::NULL,
                _ => out.intern(name),
            },
            file: out.intern_unless_empty(file),
            line: frame.line,
        };
        let row = if frame.mapping == 0 {
            let mapping = stacks.no_file("", out);
            stacks.named_frame(mapping, named)
        } else {
            let mapping = self.mapping(state, frame.mapping, stacks, out)?;
            stacks.frame(mapping, frame.rel_pc, named)
        };
        let kind = out.intern_unless_empty(frame.kind);
        if let (true, Some(row)) = (kind != StringId::NULL, stacks.frames.get_mut(row as usize)) {
            row.kind = kind;
        }
        Some(row)
    }

    fn mapping(
        &mut self,
        state: &State,
        iid: u64,
        stacks: &mut Stacks,
        out: &mut TraceBuilder,
    ) -> Option<u32> {
        let known = match self.mappings.entry((state.generation, iid)) {
            Entry::Occupied(known) => return *known.get(),
            Entry::Vacant(_) => self.new_mapping(state, iid, stacks, out),
        };
        self.mappings.insert((state.generation, iid), known);
        known
    }

    fn new_mapping(
        &mut self,
        state: &State,
        iid: u64,
        stacks: &mut Stacks,
        out: &mut TraceBuilder,
    ) -> Option<u32> {
        let (mut mapping, build, paths) =
            read_mapping(self.message(state, field::MAPPINGS, iid)?);
        let build = self.text(state, field::BUILD_IDS, build)?;
        let mut parts = Vec::with_capacity(paths.len());
        for path in paths {
            let Some(part) = self.text(state, field::MAPPING_PATHS, path) else {
                break;
            };
            parts.push(part);
        }
        mapping.build_id = out.intern_unless_empty(build_id(build).as_bytes());
        mapping.name = out.intern(&joined(&parts));
        Some(stacks.mapping(mapping))
    }
}

/// The fields of a `Frame`.
#[derive(Debug, Default)]
pub(super) struct FrameFields<'a> {
    pub name: u64,
    pub mapping: u64,
    pub rel_pc: u64,
    file: u64,
    line: Option<u32>,
    kind: &'a [u8],
}

impl<'a> FrameFields<'a> {
    pub fn read(fields: Fields<'a>) -> Self {
        let mut frame = Self::default();
        for field in fields {
            match field.number {
                2 => frame.name = field.uint(),
                3 => frame.mapping = field.uint(),
                4 => frame.rel_pc = field.uint(),
                5 => frame.file = field.uint(),
                6 => frame.line = Some(field.uint() as u32),
                7 => frame.kind = kind(field.uint()),
                8 => frame.kind = field.bytes(),
                _ => {}
            }
        }
        frame
    }
}

/// `Frame.Kind`.
fn kind(kind: u64) -> &'static [u8] {
    match kind {
        1 => b"native",
        2 => b"kernel",
        3 => b"interpreted",
        4 => b"jit",
        5 => b"gc",
        6 => b"runtime",
        _ => b"",
    }
}

/// Reads a `Mapping`: its numbers, and the iids of the build id and of the parts of the path.
pub(super) fn read_mapping(fields: Fields<'_>) -> (Mapping, u64, Vec<u64>) {
    let (mut mapping, mut build, mut paths) = (Mapping::default(), 0, Vec::new());
    for field in fields {
        match field.number {
            2 => build = field.uint(),
            3 => mapping.start_offset = field.uint(),
            4 => mapping.start = field.uint(),
            5 => mapping.end = field.uint(),
            6 => mapping.load_bias = field.uint(),
            7 => paths.extend(field.numbers()),
            8 => mapping.exact_offset = field.uint(),
            _ => {}
        }
    }
    (mapping, build, paths)
}
