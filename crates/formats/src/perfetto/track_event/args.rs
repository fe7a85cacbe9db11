//! The arguments of events: annotations, source locations, and messages of known types.
//!
//! ```text
//! annotation  view { id: 7, size: [3, 4] }        debug.view.id = 7, debug.view.size[0] = 3, debug.view.size[1] = 4
//! message     chrome_user_event { action: "x" }   chrome_user_event.action = "x"
//! ```

use rustc_hash::FxHashMap;
use traceloom_trace::{ArgSetId, ArgValue, StringId, TraceBuilder};

use super::super::descriptors::{Descriptors, Kind, MessageType};
use super::super::wire::{Field, Fields, Packed, Value};
use super::names::{Names, interned};

/// The most levels of messages inside each other.
const MOST_LEVELS: u32 = 40;

/// Turns the fields of events into arguments.
pub(super) struct Args<'s> {
    descriptors: &'s Descriptors,
    messages: FxHashMap<&'static str, MessageType>,
}

/// How many values each repeated field of a message has had.
type Places = FxHashMap<u32, u32>;

/// The arguments of one event.
struct Writer<'a, 's> {
    names: Names<'s>,
    out: &'a mut TraceBuilder,
    args: Vec<(StringId, ArgValue)>,
}

impl<'s> Args<'s> {
    pub fn new(descriptors: &'s Descriptors) -> Self {
        Self {
            descriptors,
            messages: FxHashMap::default(),
        }
    }

    /// Stores the arguments of an event.
    pub fn store(
        &mut self,
        fields: &[Field<'s>],
        names: Names<'s>,
        out: &mut TraceBuilder,
    ) -> ArgSetId {
        let args = self.list(fields, names, out);
        out.args(args)
    }

    /// The arguments of an event.
    pub fn list(
        &mut self,
        fields: &[Field<'s>],
        names: Names<'s>,
        out: &mut TraceBuilder,
    ) -> Vec<(StringId, ArgValue)> {
        let mut writer = Writer {
            names,
            out,
            args: Vec::new(),
        };
        let mut places = Places::default();
        for field in fields {
            match (field.number, field.value) {
                (4, Value::Bytes(annotation)) => writer.annotation("debug", annotation, 0),
                (33, Value::Bytes(location)) => writer.source(Fields::new(location)),
                (34, Value::Number(iid)) => writer.interned_source("source", iid),
                (5, Value::Bytes(task)) => writer.task(Fields::new(task)),
                (21, Value::Bytes(message)) => writer.log_message(Fields::new(message)),
                (52..=54, _) => writer.correlation(*field),
                _ => self.field("TrackEvent", "", *field, (&mut writer, &mut places), 0),
            }
        }
        writer.args
    }

    /// A field of a message of the table.
    fn field(
        &mut self,
        message: &'static str,
        prefix: &str,
        field: Field<'s>,
        (writer, places): (&mut Writer<'_, 's>, &mut Places),
        level: u32,
    ) {
        let descriptors = self.descriptors;
        let known = self.messages.entry(message);
        let known = known.or_insert_with(|| descriptors.message(message).unwrap_or_default());
        let Some(described) = known.field(field.number).copied() else {
            return;
        };
        let mut key = match prefix {
            "" => described.name.to_owned(),
            prefix => format!("{prefix}.{}", described.name),
        };
        let is_packed = matches!(field.value, Value::Bytes(_))
            && !matches!(described.kind, Kind::Message(_) | Kind::Text | Kind::Bytes);
        if described.repeated && !is_packed {
            let place = places.entry(field.number).or_insert(0);
            key = format!("{key}[{place}]");
            *place += 1;
        }
        match (described.kind, field.value) {
            (Kind::Message(inner), Value::Bytes(bytes)) if level < MOST_LEVELS => {
                let mut places = Places::default();
                for field in Fields::new(bytes) {
                    self.field(inner, &key, field, (writer, &mut places), level + 1);
                }
            }
            (kind, Value::Number(bits)) => {
                let value = self.scalar(kind, bits, writer);
                writer.push(&key, value);
            }
            (Kind::Text | Kind::Bytes, Value::Bytes(text)) => writer.text(&key, text),
            (kind, Value::Bytes(packed)) if described.repeated => {
                for (index, bits) in Packed::new(packed).enumerate() {
                    let value = self.scalar(kind, bits, writer);
                    writer.push(&format!("{key}[{index}]"), value);
                }
            }
            _ => {}
        }
    }

    fn scalar(&self, kind: Kind, bits: u64, writer: &mut Writer<'_, '_>) -> ArgValue {
        match kind {
            Kind::Bool => ArgValue::Bool(bits != 0),
            Kind::Double => ArgValue::Float(f64::from_bits(bits)),
            Kind::Float => ArgValue::Float(f32::from_bits(bits as u32).into()),
            Kind::Zigzag => ArgValue::Int((bits >> 1) as i64 ^ -((bits & 1) as i64)),
            Kind::Enum(name) => match self.descriptors.enum_name(name, bits as i64) {
                Some(name) => ArgValue::Text(writer.out.intern(name.as_bytes())),
                None => ArgValue::Int(bits as i64),
            },
            Kind::Unsigned => unsigned(bits),
            _ => ArgValue::Int(bits as i64),
        }
    }
}

impl Writer<'_, '_> {
    fn push(&mut self, key: &str, value: ArgValue) {
        let key = self.out.intern(key.as_bytes());
        self.args.push((key, value));
    }

    fn text(&mut self, key: &str, text: &[u8]) {
        let text = self.out.intern(text);
        self.push(key, ArgValue::Text(text));
    }

    /// A `SourceLocation`.
    fn source(&mut self, location: Fields<'_>) {
        for field in location {
            match field.number {
                2 => self.text("source.file_name", field.bytes()),
                3 => self.text("source.function_name", field.bytes()),
                4 => self.push("source.line_number", ArgValue::Int(field.int())),
                _ => {}
            }
        }
    }

    /// A source location that events name by a number.
    fn interned_source(&mut self, prefix: &str, iid: u64) {
        let Some(location) = self.names.message(interned::SOURCE_LOCATIONS, iid) else {
            return;
        };
        let mut line = 0;
        for field in location {
            match field.number {
                2 => self.text(&format!("{prefix}.file_name"), field.bytes()),
                3 => self.text(&format!("{prefix}.function_name"), field.bytes()),
                4 => line = field.int(),
                _ => {}
            }
        }
        self.push(&format!("{prefix}.line_number"), ArgValue::Int(line));
    }

    /// A `TaskExecution`.
    fn task(&mut self, task: Fields<'_>) {
        for field in task.filter(|field| field.number == 1) {
            self.interned_source("task.posted_from", field.uint());
        }
    }

    /// A `LogMessage`.
    fn log_message(&mut self, message: Fields<'_>) {
        for field in message {
            match field.number {
                1 => self.interned_source("track_event.log_message", field.uint()),
                2 => {
                    let text = self.names.text(interned::LOG_MESSAGES, field.uint());
                    self.text("track_event.log_message.message", text.unwrap_or_default());
                }
                3 => self.push("track_event.priority", ArgValue::Int(field.int())),
                _ => {}
            }
        }
    }

    /// What tells that slices belong together: a number, a text, or the number of a text.
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

    /// A `DebugAnnotation`. Its name follows `prefix`.
    fn annotation(&mut self, prefix: &str, annotation: &[u8], level: u32) {
        let mut key = prefix.to_owned();
        for field in Fields::new(annotation) {
            let name = match field.number {
                1 => self.names.text(interned::ANNOTATION_NAMES, field.uint()),
                10 => Some(field.bytes()),
                _ => None,
            };
            if let Some(name) = name {
                key = format!("{prefix}.{}", plain(name));
            }
        }
        self.value(&key, annotation, level);
    }

    /// The value of a `DebugAnnotation`.
    fn value(&mut self, key: &str, annotation: &[u8], level: u32) {
        let mut items = 0;
        for field in Fields::new(annotation) {
            match field.number {
                2 => self.push(key, ArgValue::Bool(field.bool())),
                3 => self.push(key, unsigned(field.uint())),
                4 => self.push(key, ArgValue::Int(field.int())),
                5 => self.push(key, ArgValue::Float(f64::from_bits(field.uint()))),
                6 => self.text(key, field.bytes()),
                7 => self.push(key, ArgValue::Hex(field.uint())),
                8 => self.nested(key, field.fields(), level),
                9 => {
                    let json = self.out.intern(field.bytes());
                    self.push(key, ArgValue::Json(json));
                }
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

    /// A `NestedValue`, an older form of lists and dictionaries.
    fn nested(&mut self, key: &str, value: Fields<'_>, level: u32) {
        if level >= MOST_LEVELS {
            return;
        }
        let (mut keys, mut items, mut entries) = (Vec::new(), 0, 0);
        for field in value {
            match field.number {
                2 => keys.push(field.bytes()),
                3 => {
                    let name = keys.get(entries).copied().unwrap_or_default();
                    self.nested(&format!("{key}.{}", plain(name)), field.fields(), level + 1);
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

fn unsigned(bits: u64) -> ArgValue {
    i64::try_from(bits).map_or(ArgValue::Unsigned(bits), ArgValue::Int)
}

/// A name as a part of a key, in which dots and brackets have a meaning.
fn plain(name: &[u8]) -> String {
    String::from_utf8_lossy(name).replace(['.', '[', ']'], "_")
}
