//! The table of stack frames that samples and events refer to.
//!
//! ```text
//! "stackFrames": {"1": {"name": "main", "category": "app"}, "2": {"name": "draw", "parent": 1}}
//! ```
//! A frame may come before its caller. Writers: Hermes, Dart, Go's trace viewer, converters of perf data.

use std::borrow::Cow;

use rustc_hash::FxHashMap;
use traceloom_trace::{Place, RepairKind, TraceBuilder};

use crate::json::{Fields, Value, int};
use crate::profile::{NONE, Named, Stacks};

/// Every file may have this many frames. Each further frame needs this many bytes of input.
const FREE_FRAMES: usize = 1 << 16;
const BYTES_A_FRAME: usize = 24;

/// Marks a frame whose callers are being searched.
const OPEN: u32 = NONE - 1;

/// The text that identifies a frame.
type Id<'a> = Cow<'a, [u8]>;

/// A frame as written.
#[derive(Default)]
struct Frame<'a> {
    name: Cow<'a, [u8]>,
    category: Cow<'a, [u8]>,
    parent: Option<Id<'a>>,
    /// The file, and a line in it.
    file: Cow<'a, [u8]>,
    line: Option<u32>,
}

impl<'a> Frame<'a> {
    fn read(value: &Value<'a>) -> Self {
        let mut frame = Self::default();
        let mut own_line = None;
        for (key, value) in value.fields().filter(|(_, value)| is_set(value)) {
            match &*key {
                b"name" => frame.name = scalar(value).unwrap_or_default(),
                b"category" => frame.category = scalar(value).unwrap_or_default(),
                // Dart. Its `sourceLine` is where the function begins.
                b"resolvedUrl" => frame.file = scalar(value).unwrap_or_default(),
                b"parent" => frame.parent = scalar(value),
                // Hermes: where the function begins, and the line in it.
                b"funcLine" | b"sourceLine" => frame.line = line(&value),
                b"line" => own_line = line(&value),
                _ => {}
            }
        }
        frame.line = frame.line.or(own_line);
        frame
    }
}

fn is_set(value: &Value<'_>) -> bool {
    *value != Value::Word(b"null")
}

fn scalar(value: Value<'_>) -> Option<Cow<'_, [u8]>> {
    match value {
        Value::Text(text) => Some(text),
        Value::Word(word) => Some(word.into()),
        Value::Nested(_) => None,
    }
}

fn line(value: &Value<'_>) -> Option<u32> {
    let line = int(value.text()?)?;
    u32::try_from(line).ok()
}

/// The callsites of the frames of a file.
#[derive(Debug, Default)]
pub(super) struct Frames<'a>(FxHashMap<Id<'a>, u32>);

impl<'a> Frames<'a> {
    /// Reads the tables of a file. Counts frames whose caller is missing, and frames that call themselves.
    pub fn read(tables: &'a [Vec<u8>], stacks: &mut Stacks, out: &mut TraceBuilder) -> Self {
        let bytes: usize = tables.iter().map(Vec::len).sum();
        let mut room = FREE_FRAMES + bytes / BYTES_A_FRAME;
        let mut beyond = 0;
        let mut written = FxHashMap::default();
        let mut order = Vec::new();
        for (id, frame) in tables.iter().flat_map(|table| Fields::new(table)) {
            if room == 0 {
                beyond += 1;
                continue;
            }
            room -= 1;
            written.entry(id.clone()).or_insert_with(|| {
                order.push(id);
                Frame::read(&frame)
            });
        }
        out.repair(RepairKind::BeyondLimit, beyond, Place::default(), || {
            "too many stack frames for the size of the file".to_owned()
        });
        let mut frames = Self::default();
        let mut path = Vec::new();
        let mut invalid = 0;
        for id in &order {
            let (parent, fits) = frames.path(id, &written, &mut path);
            invalid += u64::from(!fits);
            frames.add(&path, parent, &written, stacks, out);
        }
        out.repair(RepairKind::BadField, invalid, Place::default(), || {
            "a stack frame whose caller is not there".to_owned()
        });
        frames
    }

    /// Sets `path` to a frame and its callers, innermost first, up to the first one that has a callsite. Returns that
    /// callsite, and whether all callers were found.
    fn path(
        &mut self,
        id: &Id<'a>,
        written: &FxHashMap<Id<'a>, Frame<'a>>,
        path: &mut Vec<Id<'a>>,
    ) -> (u32, bool) {
        path.clear();
        let mut next = Some(id);
        while let Some(id) = next {
            match self.0.get(id) {
                // It is its own caller.
                Some(&OPEN) => return (NONE, false),
                Some(known) => return (*known, true),
                None => {}
            }
            let Some(frame) = written.get(id) else {
                return (NONE, false);
            };
            path.push(id.clone());
            self.0.insert(id.clone(), OPEN);
            next = frame.parent.as_ref();
        }
        (NONE, true)
    }

    fn add(
        &mut self,
        path: &[Id<'a>],
        mut parent: u32,
        written: &FxHashMap<Id<'a>, Frame<'a>>,
        stacks: &mut Stacks,
        out: &mut TraceBuilder,
    ) {
        for id in path.iter().rev() {
            let Some(frame) = written.get(id) else {
                continue;
            };
            let named = Named {
                name: out.intern(&frame.name),
                file: out.intern_unless_empty(&frame.file),
                line: frame.line,
            };
            let mapping = stacks.no_file(&String::from_utf8_lossy(&frame.category), out);
            let frame = stacks.named_frame(mapping, named);
            parent = stacks.callsite(parent, frame);
            self.0.insert(id.clone(), parent);
        }
    }

    /// The callsite of a frame.
    pub fn callsite(&self, id: &[u8]) -> Option<u32> {
        self.0.get(id).copied().filter(|callsite| *callsite != NONE)
    }

    /// Whether the file has no frames.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
