//! The arguments of events: annotations, source locations, and messages of known types.
//!
//! ```text
//! annotation  view { id: 7, size: [3, 4] }        debug.view.id = 7, debug.view.size[0] = 3, debug.view.size[1] = 4
//! message     chrome_user_event { action: "x" }   chrome_user_event.action = "x"
//! ```

use rustc_hash::FxHashMap;
use traceloom_trace::{ArgSetId, ArgValue, Place, RepairKind, StringId, TraceBuilder};

use super::super::descriptors::{Declared, type_name};
use super::super::wire::{Field, Fields, MOST_LEVELS, Value};
use super::messages::Places;
use super::names::{Names, interned};
use super::renames::Renames;
use super::types::Types;
use super::writer::{Limits, Writer, plain, unsigned};

/// The key of log messages.
const LOG_MESSAGE: &str = "track_event.log_message";

/// Converts the fields of events to arguments.
pub(super) struct Args<'s> {
    pub types: Types<'s>,
    limits: Limits,
    renames: Renames<'s>,
    /// The number of items in each list of the current slice. The next event appends to these lists.
    items: FxHashMap<String, usize>,
}

impl<'s> Args<'s> {
    pub fn new(declared: &'s Declared<'s>, source_bytes: usize) -> Self {
        Self {
            types: Types::new(declared),
            limits: Limits::new(source_bytes),
            renames: Renames::default(),
            items: FxHashMap::default(),
        }
    }

    /// Makes the next event append to the lists in a slice's arguments.
    pub fn continue_lists(&mut self, slice: ArgSetId, out: &TraceBuilder) {
        self.items.clear();
        let strings = &out.trace().strings;
        for (key, _) in out.trace().args.set(slice) {
            let key = strings.get(key);
            for (at, _) in key.match_indices('[') {
                let number = key[at + 1..]
                    .split(']')
                    .next()
                    .and_then(|text| text.parse().ok());
                let after: usize = number.map_or(0, |number: usize| number.saturating_add(1));
                let items = self.items.entry(key[..at].to_owned()).or_default();
                *items = after.max(*items);
            }
        }
    }

    /// Reads the arguments of an event.
    pub fn list(
        &mut self,
        fields: &[Field<'s>],
        names: Names<'s>,
        out: &mut TraceBuilder,
    ) -> Vec<(StringId, ArgValue)> {
        let items = std::mem::take(&mut self.items);
        let mut writer = Writer {
            items,
            names,
            out,
            types: &mut self.types,
            limits: &mut self.limits,
            renames: &mut self.renames,
            args: Vec::new(),
        };
        let mut places = Places::default();
        for field in fields {
            match (field.number, field.value) {
                (4, Value::Bytes(annotation)) => writer.annotation("debug", annotation, 0),
                (34, Value::Number(iid)) => {
                    writer.interned_source("source", iid, Some(0));
                }
                (28, Value::Bytes(sample)) => {
                    writer.histogram(Fields::new(sample));
                    writer.field(("TrackEvent", ""), *field, &mut places, 0);
                }
                (5, Value::Bytes(task)) => writer.task(Fields::new(task)),
                (21, Value::Bytes(message)) => writer.log_message(Fields::new(message)),
                (52..=54, _) => writer.correlation(*field),
                _ => writer.field(("TrackEvent", ""), *field, &mut places, 0),
            }
        }
        let mut args = writer.args;
        names.survey.translations.names(&mut args, out);
        args
    }

    /// Reports the arguments that were refused.
    pub fn finish(&self, out: &mut TraceBuilder) {
        let count = self.limits.refused;
        out.repair(RepairKind::BeyondLimit, count, Place::default(), || {
            "arguments with too long keys".to_owned()
        });
    }
}

impl<'s> Writer<'_, 's> {
    /// The name of a `ChromeHistogramSample`, if it is interned and the sample has no other name.
    fn histogram(&mut self, mut sample: Fields<'_>) {
        const NAME: u32 = 2;
        const NAME_IID: u32 = 4;
        let has_name = sample.clone().any(|field| field.number == NAME);
        let iid = sample.find(|field| field.number == NAME_IID && !has_name);
        let name = iid.and_then(|field| self.names.text(interned::HISTOGRAMS, field.uint()));
        if let Some(name) = name {
            self.text("chrome_histogram_sample.name", name);
        }
    }

    /// Adds an interned source location. Returns whether it is known. `line` is used if the location has no line of its
    /// own.
    pub fn interned_source(&mut self, prefix: &str, iid: u64, mut line: Option<i64>) -> bool {
        let Some(location) = self.names.message(interned::SOURCE_LOCATIONS, iid) else {
            return false;
        };
        for field in location {
            match field.number {
                2 => self.file(prefix, field.bytes()),
                3 => self.text(&format!("{prefix}.function_name"), field.bytes()),
                4 => line = Some(field.int()),
                _ => {}
            }
        }
        if let Some(line) = line {
            self.push(&format!("{prefix}.line_number"), ArgValue::Int(line));
        }
        true
    }

    /// Adds the name of a source file. Backslashes of Windows paths become slashes, so that one query finds the file on
    /// all systems. Log messages keep their backslashes.
    fn file(&mut self, prefix: &str, name: &[u8]) {
        let mut name = name.to_vec();
        if prefix != LOG_MESSAGE {
            let backslashes = name.iter_mut().filter(|byte| **byte == b'\\');
            backslashes.for_each(|byte| *byte = b'/');
        }
        self.text(&format!("{prefix}.file_name"), &name);
    }

    /// Adds a `TaskExecution`.
    fn task(&mut self, task: Fields<'_>) {
        for field in task.filter(|field| field.number == 1) {
            self.interned_source("task.posted_from", field.uint(), Some(0));
        }
    }

    /// Adds a `LogMessage`: its text, its location, and its priority, in this order.
    fn log_message(&mut self, message: Fields<'_>) {
        let last = |number| {
            message
                .clone()
                .filter(|field| field.number == number)
                .last()
        };
        if let Some(field) = last(2) {
            let text = self.names.text(interned::LOG_MESSAGES, field.uint());
            self.text("track_event.log_message.message", text.unwrap_or_default());
        }
        if let Some(field) = last(1) {
            self.interned_source(LOG_MESSAGE, field.uint(), Some(0));
        }
        if let Some(field) = last(3) {
            self.push("track_event.priority", ArgValue::Int(field.int()));
        }
    }

    /// Adds a correlation id, which groups slices: a number, a string, or the iid of a string.
    fn correlation(&mut self, field: Field<'_>) {
        const KEY: &str = "correlation_id";
        match field.number {
            52 => self.text(KEY, format!("tp:#{}", field.uint()).as_bytes()),
            53 => self.text(KEY, field.bytes()),
            _ => {
                let text = self.names.text(interned::CORRELATION_IDS, field.uint());
                self.text(KEY, text.unwrap_or_default());
            }
        }
    }

    /// Adds a `DebugAnnotation`. Its key is `prefix` and its name.
    pub fn annotation(&mut self, prefix: &str, annotation: &'s [u8], level: u32) {
        let mut key = Some(prefix.to_owned());
        for field in Fields::new(annotation) {
            let name = match field.number {
                1 => self.names.text(interned::ANNOTATION_NAMES, field.uint()),
                10 => Some(field.bytes()),
                _ => None,
            };
            if let Some(name) = name {
                key = self.inner(prefix, &plain(name));
            }
        }
        if let Some(key) = key {
            self.value(&key, annotation, level);
        }
    }

    /// Adds the value of a `DebugAnnotation`.
    fn value(&mut self, key: &str, annotation: &'s [u8], level: u32) {
        let mut items = self.items.get(key).copied().unwrap_or(0);
        for field in Fields::new(annotation) {
            match field.number {
                14 => self.message_value(key, annotation, field.bytes(), level),
                2 => self.push(key, ArgValue::Bool(field.bool())),
                3 => self.push(key, unsigned(field.uint())),
                4 => self.push(key, ArgValue::Int(field.int())),
                5 => self.push(key, ArgValue::Float(f64::from_bits(field.uint()))),
                6 => self.text(key, field.bytes()),
                7 => self.push(key, ArgValue::Hex(field.uint())),
                8 => self.nested(key, field.fields(), level),
                9 => self.json(key, field.bytes()),
                17 => {
                    let text = self.names.text(interned::ANNOTATION_STRINGS, field.uint());
                    self.text(key, text.unwrap_or_default());
                }
                11 if level < MOST_LEVELS => self.annotation(key, field.bytes(), level + 1),
                12 if level < MOST_LEVELS => {
                    self.value(&format!("{key}[{items}]"), field.bytes(), level + 1);
                    items += 1;
                }
                _ => {}
            }
        }
    }

    /// Adds an annotation whose value is a message. The annotation also has the type of the message.
    fn message_value(&mut self, key: &str, annotation: &'s [u8], message: &'s [u8], level: u32) {
        let mut fields = Fields::new(annotation);
        let of = fields.find_map(|field| match field.number {
            13 => self.names.text(interned::ANNOTATION_TYPES, field.uint()),
            16 => Some(field.bytes()),
            _ => None,
        });
        if let Some(of) = of.and_then(|of| std::str::from_utf8(of).ok()) {
            self.message(key, type_name(of), message, level);
        }
    }

    /// Adds a `NestedValue`, an older form of lists and dictionaries.
    fn nested(&mut self, key: &str, value: Fields<'_>, level: u32) {
        if level >= MOST_LEVELS {
            return;
        }
        let mut items = self.items.get(key).copied().unwrap_or(0);
        let (mut keys, mut entries) = (Vec::new(), 0);
        for field in value {
            match field.number {
                2 => keys.push(field.bytes()),
                3 => {
                    let name = keys.get(entries).copied().unwrap_or_default();
                    if let Some(key) = self.inner(key, &plain(name)) {
                        self.nested(&key, field.fields(), level + 1);
                    }
                    entries += 1;
                }
                4 => {
                    self.nested(&format!("{key}[{items}]"), field.fields(), level + 1);
                    items += 1;
                }
                5 => self.push(key, ArgValue::Int(field.int())),
                6 => self.push(key, ArgValue::Float(f64::from_bits(field.uint()))),
                7 => self.push(key, ArgValue::Bool(field.bool())),
                8 => self.text(key, field.bytes()),
                _ => {}
            }
        }
    }
}
