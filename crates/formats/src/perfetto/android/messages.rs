//! Converts messages to arguments, and stores whole messages as rows.
//!
//! ```text
//! layer { name: "app", crop { left: 3 }, children: [4, 5] }
//!   name = "app", crop.left = 3, children[0] = 4, children[1] = 5
//! ```

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rustc_hash::FxHashMap;
use traceloom_trace::{ArgValue, NO_TIME, RecordId, StringId, TraceBuilder};

use super::super::descriptors::{Descriptors, FieldType, Kind, MessageType, numbers};
use super::super::wire::{Field, Fields, Value, varint};

/// The maximum nesting depth of messages. Trees of windows and views are deeper than other messages.
pub(super) const MOST_LEVELS: u32 = 64;

/// The memory for the arguments of a file: [`FREE`] bytes, plus [`FOR_BYTE`] bytes per byte of the file.
const FREE: usize = 16 << 20;
const FOR_BYTE: usize = 6;

/// The memory for an argument, bytes.
const FOR_ARG: usize = 13;

/// A list of arguments.
pub(super) type Args = Vec<(StringId, ArgValue)>;

/// Reads messages according to their descriptors.
pub(super) struct Messages<'s> {
    pub descriptors: &'s Descriptors,
    types: FxHashMap<&'static str, MessageType<'static>>,
    /// Fields with this message type are left out.
    pub left_out: &'static str,
    /// The remaining memory for arguments and rows, bytes.
    left: usize,
    /// The number of values that were left out because the memory was used up.
    pub refused: u64,
    /// The row of each stored message, by its base64 text.
    kept: FxHashMap<StringId, RecordId>,
}

/// The type, key and level of a message.
struct Place<'a> {
    kind: &'static str,
    key: &'a mut String,
    level: u32,
}

impl<'s> Messages<'s> {
    pub fn new(descriptors: &'s Descriptors, source_bytes: usize) -> Self {
        Self {
            descriptors,
            types: FxHashMap::default(),
            left_out: "",
            left: FREE.saturating_add(source_bytes.saturating_mul(FOR_BYTE)),
            refused: 0,
            kept: FxHashMap::default(),
        }
    }

    /// Takes bytes from the remaining memory. Returns false if there are not enough.
    pub fn take(&mut self, bytes: usize) -> bool {
        let left = self.left.checked_sub(bytes);
        self.refused += u64::from(left.is_none());
        self.left = left.unwrap_or(0);
        left.is_some()
    }

    /// The type of a message.
    fn message(&mut self, kind: &'static str) -> &MessageType<'static> {
        let descriptors = self.descriptors;
        let known = self.types.entry(kind);
        known.or_insert_with(|| descriptors.message(kind).unwrap_or_default())
    }

    /// All fields of a message that have this name.
    pub fn all<'a>(
        &mut self,
        kind: &'static str,
        content: &'a [u8],
        name: &str,
    ) -> impl Iterator<Item = Field<'a>> + use<'a> {
        let number = self.message(kind).number(name);
        Fields::new(content).filter(move |field| Some(field.number) == number)
    }

    /// The last field of a message that has this name.
    pub fn find<'a>(
        &mut self,
        kind: &'static str,
        content: &'a [u8],
        name: &str,
    ) -> Option<Field<'a>> {
        self.all(kind, content, name).last()
    }

    /// The number in a field; 0 if it is absent.
    pub fn number(&mut self, kind: &'static str, content: &[u8], name: &str) -> i64 {
        self.find(kind, content, name).map_or(0, Field::int)
    }

    /// The message in a field; empty if it is absent.
    pub fn inner<'a>(&mut self, kind: &'static str, content: &'a [u8], name: &str) -> &'a [u8] {
        self.find(kind, content, name).map_or(&[][..], Field::bytes)
    }

    /// The arguments of a message. They contain the fields for whose number `only` returns true.
    pub fn args(
        &mut self,
        kind: &'static str,
        content: &[u8],
        only: impl Fn(u32) -> bool,
        out: &mut TraceBuilder,
    ) -> Args {
        let mut args = Args::new();
        let mut key = String::new();
        let mut place = Place {
            kind,
            key: &mut key,
            level: 0,
        };
        let fields = Fields::new(content).filter(|field| only(field.number));
        self.fields(&mut place, fields, &mut args, out);
        args
    }

    fn fields<'a>(
        &mut self,
        place: &mut Place<'_>,
        fields: impl Iterator<Item = Field<'a>>,
        args: &mut Args,
        out: &mut TraceBuilder,
    ) {
        let mut counts: FxHashMap<u32, u32> = FxHashMap::default();
        let mut is_empty = true;
        for field in fields {
            let Some(described) = self.message(place.kind).field(field.number).copied() else {
                continue;
            };
            if described.kind == Kind::Message(self.left_out) {
                continue;
            }
            is_empty = false;
            let count = counts.entry(field.number).or_default();
            self.field(place, &described, field, count, args, out);
        }
        if is_empty && !place.key.is_empty() {
            self.push(place.key, ArgValue::Null, args, out);
        }
    }

    /// Adds a field. `count` is the number of earlier fields with the same number in the message.
    fn field(
        &mut self,
        place: &mut Place<'_>,
        described: &FieldType<'static>,
        field: Field<'_>,
        count: &mut u32,
        args: &mut Args,
        out: &mut TraceBuilder,
    ) {
        let FieldType { kind, repeated, .. } = *described;
        let is_list = !matches!(kind, Kind::Message(_) | Kind::Text | Kind::Bytes);
        match field.value {
            Value::Bytes(packed) if repeated && is_list => {
                for bits in numbers(kind, packed) {
                    let before = enter(place.key, described, count);
                    let value = self.scalar(kind, bits, out);
                    self.push(place.key, value, args, out);
                    place.key.truncate(before);
                }
            }
            value => {
                let before = enter(place.key, described, count);
                self.value(place, kind, value, args, out);
                place.key.truncate(before);
            }
        }
    }

    /// Adds a value with its complete key.
    fn value(
        &mut self,
        place: &mut Place<'_>,
        kind: Kind<'static>,
        value: Value<'_>,
        args: &mut Args,
        out: &mut TraceBuilder,
    ) {
        match (kind, value) {
            (Kind::Message(kind), Value::Bytes(inner)) if place.level < MOST_LEVELS => {
                let mut place = Place {
                    kind,
                    key: place.key,
                    level: place.level + 1,
                };
                self.fields(&mut place, Fields::new(inner), args, out);
            }
            (Kind::Text, Value::Bytes(text)) => {
                let text = ArgValue::Text(out.intern(text));
                self.push(place.key, text, args, out);
            }
            (Kind::Bytes, Value::Bytes(bytes)) => {
                let text = self.base64(bytes, out).map(ArgValue::Text);
                self.push(place.key, text.unwrap_or(ArgValue::Null), args, out);
            }
            (kind, Value::Number(bits)) => {
                let value = self.scalar(kind, bits, out);
                self.push(place.key, value, args, out);
            }
            _ => {}
        }
    }

    fn scalar(&self, kind: Kind<'_>, bits: u64, out: &mut TraceBuilder) -> ArgValue {
        match kind {
            Kind::Bool => ArgValue::Bool(bits != 0),
            Kind::Double => ArgValue::Float(f64::from_bits(bits)),
            Kind::Float => ArgValue::Float(f32::from_bits(bits as u32).into()),
            Kind::Zigzag => ArgValue::Int(zigzag(bits)),
            Kind::Enum(name) => match self.descriptors.enum_name(name, bits as i64) {
                Some(name) => ArgValue::Text(out.intern(name.as_bytes())),
                None => ArgValue::Int(bits as i64),
            },
            Kind::Unsigned => unsigned(bits),
            _ => ArgValue::Int(bits as i64),
        }
    }

    /// Adds an argument, unless the memory is used up.
    pub fn push(&mut self, key: &str, value: ArgValue, args: &mut Args, out: &mut TraceBuilder) {
        let is_new = out.trace().strings.lookup(key).is_none();
        let bytes = if is_new { FOR_ARG + key.len() } else { FOR_ARG };
        if self.take(bytes) {
            args.push((out.intern(key.as_bytes()), value));
        }
    }

    /// Bytes as base64. `None` if the memory is used up.
    fn base64(&mut self, bytes: &[u8], out: &mut TraceBuilder) -> Option<StringId> {
        self.take(bytes.len() / 3 * 4 + 4)
            .then(|| out.intern(STANDARD.encode(bytes).as_bytes()))
    }

    /// Stores a message as a row. Equal messages share a row.
    pub fn keep(&mut self, message: &[u8], out: &mut TraceBuilder) -> ArgValue {
        let Some(text) = self.base64(message, out) else {
            return ArgValue::Null;
        };
        let row = self.kept.entry(text).or_insert_with(|| {
            let cells = [("base64_proto", ArgValue::Text(text))];
            out.record(NO_TIME, "__intrinsic_winscope_proto", &cells)
        });
        (*row).into()
    }

    /// Appends a message to `to`, without the fields that have the type `left_out`.
    pub fn prune(&mut self, kind: &'static str, content: &[u8], level: u32, to: &mut Vec<u8>) {
        let mut fields = Fields::new(content);
        let mut start = 0;
        while let Some(field) = fields.next() {
            let raw = content.get(start..fields.at()).unwrap_or_default();
            start = fields.at();
            let described = self.message(kind).field(field.number);
            match described.map(|described| described.kind) {
                Some(Kind::Message(inner)) if inner == self.left_out => {}
                Some(Kind::Message(inner)) if level < MOST_LEVELS => {
                    let mut pruned = Vec::with_capacity(field.bytes().len());
                    self.prune(inner, field.bytes(), level + 1, &mut pruned);
                    let mut end = 0;
                    let _ = varint(raw, &mut end);
                    to.extend_from_slice(raw.get(..end).unwrap_or_default());
                    push_varint(pruned.len() as u64, to);
                    to.append(&mut pruned);
                }
                _ => to.extend_from_slice(raw),
            }
        }
    }
}

/// Appends the name of a field to a key. Returns the previous length of the key.
fn enter(key: &mut String, described: &FieldType<'static>, count: &mut u32) -> usize {
    let before = key.len();
    if before > 0 {
        key.push('.');
    }
    key.push_str(described.name);
    if described.repeated {
        key.push_str(&format!("[{count}]"));
        *count += 1;
    }
    before
}

/// Packed doubles.
pub(super) fn doubles(packed: &[u8]) -> impl Iterator<Item = f64> + '_ {
    packed
        .as_chunks()
        .0
        .iter()
        .map(|bytes| f64::from_le_bytes(*bytes))
}

/// Decodes a zigzag-encoded number.
pub(super) fn zigzag(bits: u64) -> i64 {
    (bits >> 1) as i64 ^ -((bits & 1) as i64)
}

/// An unsigned number as an argument.
pub(super) fn unsigned(bits: u64) -> ArgValue {
    i64::try_from(bits).map_or(ArgValue::Unsigned(bits), ArgValue::Int)
}

fn push_varint(mut value: u64, to: &mut Vec<u8>) {
    while value >= 0x80 {
        to.push(value as u8 | 0x80);
        value >>= 7;
    }
    to.push(value as u8);
}
