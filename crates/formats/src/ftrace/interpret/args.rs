//! The fields of an event, asked for by name and kept as arguments.

use traceloom_trace::{ArgSetId, ArgValue, StringId, StringPool, TraceBuilder};

use crate::ftrace::event::{Field, Value};
use crate::ftrace::shapes::NO_SHAPE;

/// The fields of one event.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields<'p> {
    fields: &'p [Field<'p>],
    keys: KeysId,
}

/// Events with the same one have the same keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct KeysId(Option<(u64, u32)>);

impl KeysId {
    /// The keys of a shape of the nth piece.
    pub fn of_shape(piece: u64, shape: u32) -> Self {
        Self((shape != NO_SHAPE).then_some((piece, shape)))
    }

    /// The shape, where there is one.
    pub fn shape(self) -> Option<usize> {
        self.0.map(|(_, shape)| shape as usize)
    }
}

impl<'p> Fields<'p> {
    pub const NONE: Fields<'static> = Fields {
        fields: &[],
        keys: KeysId(None),
    };

    pub fn new(fields: &'p [Field<'p>], keys: KeysId) -> Self {
        Self { fields, keys }
    }

    /// Which keys these are.
    pub fn keys(self) -> KeysId {
        self.keys
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.fields.is_empty()
    }

    /// The value of the first field with this key.
    pub fn get(self, key: &str) -> Option<Value<'p>> {
        let field = self
            .fields
            .iter()
            .find(|field| field.key == key.as_bytes())?;
        Some(field.value)
    }

    /// A number, whether printed in decimal or hexadecimal.
    pub fn int(self, key: &str) -> Option<i64> {
        match self.get(key)? {
            Value::Int(value) => Some(value),
            Value::Hex(value) => Some(value as i64),
            Value::Text(_) => None,
        }
    }

    /// The first of several names for the same number.
    pub fn int_of(self, keys: &[&str]) -> Option<i64> {
        keys.iter().find_map(|key| self.int(key))
    }

    /// A thread or process number.
    pub fn tid(self, key: &str) -> Option<i32> {
        self.int(key)
            .and_then(|tid| i32::try_from(tid).ok())
            .filter(|tid| *tid >= 0)
    }

    /// A text; numbers are none.
    pub fn text(self, key: &str) -> Option<&'p [u8]> {
        match self.get(key)? {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The field as it would be printed.
    pub fn shown(self, key: &str) -> Option<String> {
        Some(self.get(key)?.shown())
    }

    /// A number with or without a fraction.
    pub fn number(self, key: &str) -> Option<f64> {
        match self.get(key)? {
            Value::Int(value) => Some(value as f64),
            Value::Hex(value) => Some(value as f64),
            Value::Text(text) => std::str::from_utf8(text).ok()?.trim().parse().ok(),
        }
    }

    /// Keeps all fields as arguments.
    pub fn keep(self, out: &mut TraceBuilder) -> ArgSetId {
        let tables = out.tables();
        let (strings, args) = (&mut tables.strings, &mut tables.args);
        args.push_set(self.fields.iter().map(|field| argument(field, strings)))
    }

    /// As [`keep`](Self::keep), for an event whose keys, and many of whose texts, are likely those
    /// of the last one.
    pub fn keep_cached(self, last: &mut LastFields, out: &mut TraceBuilder) -> ArgSetId {
        let tables = out.tables();
        let (strings, args) = (&mut tables.strings, &mut tables.args);
        args.push_set(
            self.again(last)
                .map(|(field, last)| last.argument(field, strings)),
        )
    }

    /// Hands on all fields as arguments, not yet kept.
    pub fn each_cached(
        self,
        last: &mut LastFields,
        strings: &mut StringPool,
        mut take: impl FnMut((StringId, ArgValue)),
    ) {
        self.again(last)
            .for_each(|(field, last)| take(last.argument(field, strings)));
    }

    fn again(self, last: &mut LastFields) -> impl Iterator<Item = (&'p Field<'p>, LastMut<'_>)> {
        let same_keys = self.keys.shape().is_some() && self.keys == last.keys;
        last.keys = self.keys;
        let fields = &mut last.fields;
        fields.resize(fields.len().max(self.fields.len()), LastField::default());
        let last = fields
            .iter_mut()
            .map(move |last| LastMut { last, same_keys });
        self.fields.iter().zip(last)
    }
}

/// The fields of an event when it came last.
#[derive(Clone, Debug, Default)]
pub(super) struct LastFields {
    keys: KeysId,
    fields: Vec<LastField>,
}

/// A field of the event before: its key, and its text where that is what it had.
#[derive(Clone, Copy, Debug)]
struct LastField {
    key: StringId,
    text: StringId,
}

impl Default for LastField {
    fn default() -> Self {
        let [key, text] = [StringId::EMPTY; 2];
        Self { key, text }
    }
}

struct LastMut<'l> {
    last: &'l mut LastField,
    /// The keys are known to be those of the event before.
    same_keys: bool,
}

impl LastMut<'_> {
    #[inline(always)]
    fn argument(self, field: &Field<'_>, strings: &mut StringPool) -> (StringId, ArgValue) {
        if !self.same_keys {
            intern_again(&mut self.last.key, field.key, strings);
        }
        let value = match field.value {
            Value::Int(value) => ArgValue::Int(value),
            Value::Hex(value) => ArgValue::Hex(value),
            Value::Text(text) => {
                intern_again(&mut self.last.text, text, strings);
                ArgValue::Text(self.last.text)
            }
        };
        (self.last.key, value)
    }
}

/// Makes `last` the id of `bytes`, without a search where it is already.
#[inline]
fn intern_again(last: &mut StringId, bytes: &[u8], strings: &mut StringPool) {
    if !strings.is(*last, bytes) {
        *last = strings.intern_bytes(bytes);
    }
}

fn argument(field: &Field<'_>, strings: &mut StringPool) -> (StringId, ArgValue) {
    (strings.intern_bytes(field.key), value(field, strings))
}

#[inline]
fn value(field: &Field<'_>, strings: &mut StringPool) -> ArgValue {
    match field.value {
        Value::Int(value) => ArgValue::Int(value),
        Value::Hex(value) => ArgValue::Hex(value),
        Value::Text(text) => ArgValue::Text(strings.intern_bytes(text)),
    }
}
