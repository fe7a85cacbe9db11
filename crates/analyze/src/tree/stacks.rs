//! The stacks of samples: which functions a callsite has, and who called it.

use std::ops::Range;

use rustc_hash::FxHashMap;
use traceloom_trace::{ArgValue, IdKind, StringId, Trace};

use super::function::Function;

/// The columns of the tables of stacks; `None` for a column that no row has.
struct Columns {
    parent: Option<StringId>,
    frame: Option<StringId>,
    symbols: Option<StringId>,
    name: Option<StringId>,
    original_name: Option<StringId>,
    mapping: Option<StringId>,
    address: Option<StringId>,
}

/// Finds the functions of callsites.
///
/// A callsite is a frame and the callsite that called it. A frame has one function, or several if some are inlined.
pub(super) struct Stacks<'a> {
    trace: &'a Trace,
    columns: Columns,
    functions: Vec<Function>,
    by_name: FxHashMap<String, u32>,
    /// The functions of all frames that were looked up. Those of a frame are adjacent, the outermost first.
    of_frames: Vec<u32>,
    /// The place of each frame's functions in `of_frames`. The key is the row of the frame's first
    /// symbol, or the frame's own row if it has another name.
    places: FxHashMap<u32, Range<usize>>,
}

impl<'a> Stacks<'a> {
    pub fn new(trace: &'a Trace) -> Self {
        let column = |name: &str| trace.strings.lookup(name);
        Self {
            trace,
            columns: Columns {
                parent: column("parent_id"),
                frame: column("frame_id"),
                symbols: column("symbol_set_id"),
                name: column("name"),
                original_name: column("deobfuscated_name"),
                mapping: column("mapping"),
                address: column("rel_pc"),
            },
            functions: Vec::new(),
            by_name: FxHashMap::default(),
            of_frames: Vec::new(),
            places: FxHashMap::default(),
        }
    }

    /// The callsite that called another one. Callers have smaller rows, so a walk upwards ends.
    pub fn caller(&self, callsite: u32) -> Option<u32> {
        let caller = self.record(callsite, self.columns.parent);
        caller.filter(|caller| *caller < callsite)
    }

    /// The functions of a callsite's frame, the outermost first.
    pub fn functions(&mut self, callsite: u32) -> &[u32] {
        let frame = self.record(callsite, self.columns.frame);
        let original = frame.and_then(|frame| self.text(frame, self.columns.original_name));
        let set = frame.and_then(|frame| self.record(frame, self.columns.symbols));
        let set = set.filter(|_| original.is_none());
        // No row has the number `u32::MAX`.
        let key = set.or(frame).unwrap_or(u32::MAX);
        if !self.places.contains_key(&key) {
            let begin = self.of_frames.len();
            match set {
                Some(set) => self.add_symbols(set),
                None => self.add_named(frame, original),
            }
            self.places.insert(key, begin..self.of_frames.len());
        }
        &self.of_frames[self.places[&key].clone()]
    }

    /// All functions, by number.
    pub fn into_functions(self) -> Vec<Function> {
        self.functions
    }

    /// Adds the function of a frame without symbols.
    fn add_named(&mut self, frame: Option<u32>, original: Option<&str>) {
        let name = match (original, frame) {
            (Some(original), _) => original.to_owned(),
            (None, Some(frame)) => self.name(frame),
            (None, None) => "unknown".to_owned(),
        };
        let function = self.function(name);
        self.of_frames.push(function);
    }

    /// Adds the functions of a set of symbols, in which the innermost is the first.
    fn add_symbols(&mut self, set: u32) {
        let begin = self.of_frames.len();
        // Frames, which come next, also name their set.
        let table = |row: u32| self.trace.records.rows().table.get(row as usize);
        let is_in_set = |row: &u32| {
            self.record(*row, self.columns.symbols) == Some(set) && table(*row) == table(set)
        };
        let rows = (set..).take_while(is_in_set);
        for row in rows.collect::<Vec<_>>() {
            let name = self.text(row, self.columns.name).unwrap_or("unknown");
            let function = self.function(name.to_owned());
            self.of_frames.push(function);
        }
        self.of_frames[begin..].reverse();
    }

    fn function(&mut self, name: String) -> u32 {
        let functions = &mut self.functions;
        *self.by_name.entry(name).or_insert_with_key(|name| {
            functions.push(Function::named(name.as_str()));
            functions.len() as u32 - 1
        })
    }

    /// The name of a frame without symbols. If it has none, its file and its address there: `libc.so +0x1f00`.
    fn name(&self, frame: u32) -> String {
        if let Some(name) = self.text(frame, self.columns.name) {
            return name.to_owned();
        }
        let mapping = self.record(frame, self.columns.mapping);
        let file = mapping.and_then(|mapping| self.text(mapping, self.columns.name));
        let file = file.and_then(|path| path.rsplit('/').next());
        let address = match self.cell(frame, self.columns.address) {
            Some(ArgValue::Int(address)) => address,
            _ => 0,
        };
        Function::at_address(file.unwrap_or("unknown"), address).name
    }

    fn cell(&self, row: u32, column: Option<StringId>) -> Option<ArgValue> {
        let is_row = (row as usize) < self.trace.records.len();
        column
            .filter(|_| is_row)
            .and_then(|column| self.trace.records.cell(row as usize, column))
    }

    fn record(&self, row: u32, column: Option<StringId>) -> Option<u32> {
        match self.cell(row, column) {
            Some(ArgValue::Row(IdKind::Record, row)) => Some(row),
            _ => None,
        }
    }

    /// A text that is not empty.
    fn text(&self, row: u32, column: Option<StringId>) -> Option<&'a str> {
        match self.cell(row, column) {
            Some(ArgValue::Text(text)) => Some(self.trace.strings.get(text)),
            _ => None,
        }
        .filter(|text| !text.is_empty())
    }
}
