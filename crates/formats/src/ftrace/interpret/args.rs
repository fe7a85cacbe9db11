//! The fields of an event: looked up by name, and stored as arguments.

use std::borrow::Cow;

use traceloom_trace::{ArgColumns, ArgSetId, ArgValue, SliceId, StringId, TraceBuilder};

use crate::ftrace::event::{FieldList, NO_SHAPE, Value};

/// The fields of one event.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields<'p> {
    list: FieldList<'p>,
    keys: KeysId,
}

/// Identifies the keys of an event: events with the same id have the same keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct KeysId(Option<(u64, u32)>);

impl KeysId {
    /// The keys of this shape in the nth batch.
    pub fn for_shape(batch: u64, shape: u32) -> Self {
        Self((shape != NO_SHAPE).then_some((batch, shape)))
    }

    /// The shape, if there is one.
    pub fn shape(self) -> Option<usize> {
        self.0.map(|(_, shape)| shape as usize)
    }
}

impl<'p> Fields<'p> {
    pub const NONE: Fields<'static> = Fields {
        list: FieldList {
            keys: &[],
            values: &[],
        },
        keys: KeysId(None),
    };

    pub fn new(list: FieldList<'p>, keys: KeysId) -> Self {
        Self { list, keys }
    }

    /// The id of the keys.
    pub fn keys(self) -> KeysId {
        self.keys
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.list.values.is_empty()
    }

    /// The value of the first field with this key.
    pub fn get(self, key: &str) -> Option<Value<'p>> {
        let FieldList { keys, values } = self.list;
        let nth = keys.iter().position(|known| *known == key.as_bytes())?;
        values.get(nth).copied()
    }

    /// A number, whether printed in decimal or hexadecimal.
    pub fn int(self, key: &str) -> Option<i64> {
        match self.get(key)? {
            Value::Int(value) => Some(value),
            Value::Hex(value) => Some(value as i64),
            Value::Text(_) => None,
        }
    }

    /// The last field that holds a number and whose key begins with `start`: the key and the number.
    pub fn last_int(self, start: &str) -> Option<(&'p [u8], i64)> {
        let FieldList { keys, values } = self.list;
        let fields = keys.iter().zip(values).rev();
        let mut numbers = fields.filter_map(|(key, value)| match value {
            _ if !key.starts_with(start.as_bytes()) => None,
            Value::Int(value) => Some((*key, *value)),
            Value::Hex(value) => Some((*key, *value as i64)),
            Value::Text(_) => None,
        });
        numbers.next()
    }

    /// The number under the first of several alternative names.
    pub fn int_of(self, keys: &[&str]) -> Option<i64> {
        keys.iter().find_map(|key| self.int(key))
    }

    /// A thread or process number.
    pub fn tid(self, key: &str) -> Option<i32> {
        self.int(key)
            .and_then(|tid| i32::try_from(tid).ok())
            .filter(|tid| *tid >= 0)
    }

    /// A text; `None` for a number.
    pub fn text(self, key: &str) -> Option<&'p [u8]> {
        match self.get(key)? {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The value as text.
    pub fn shown(self, key: &str) -> Option<Cow<'p, str>> {
        Some(self.get(key)?.shown())
    }

    /// Like [`shown`](Self::shown), with the bytes of the input.
    pub fn printed(self, key: &str) -> Option<Cow<'p, [u8]>> {
        Some(match self.get(key)? {
            Value::Text(text) => Cow::Borrowed(text),
            number => Cow::Owned(number.shown().into_owned().into_bytes()),
        })
    }

    /// A number with or without a fraction.
    pub fn number(self, key: &str) -> Option<f64> {
        match self.get(key)? {
            Value::Int(value) => Some(value as f64),
            Value::Hex(value) => Some(value as f64),
            Value::Text(text) => std::str::from_utf8(text).ok()?.trim().parse().ok(),
        }
    }

    /// Stores all fields as arguments.
    pub fn keep(self, out: &mut TraceBuilder) -> ArgSetId {
        let FieldList { keys, values } = self.list;
        let fields = keys.iter().zip(values);
        let args: Vec<_> = fields
            .map(|(key, value)| (out.intern(key), arg_value(*value, out)))
            .collect();
        out.args(args)
    }

    /// Like [`keep`](Self::keep), with one more argument after the fields.
    pub fn keep_with(self, key: &str, text: &[u8], out: &mut TraceBuilder) -> ArgSetId {
        let FieldList { keys, values } = self.list;
        let fields = keys.iter().zip(values);
        let mut args: Vec<_> = fields
            .map(|(key, value)| (out.intern(key), arg_value(*value, out)))
            .collect();
        args.push((out.intern(key.as_bytes()), ArgValue::Text(out.intern(text))));
        out.args(args)
    }

    /// Like [`keep`](Self::keep), for an event whose keys, and many of whose texts, are probably
    /// the same as last time.
    pub fn keep_cached(self, last: &mut LastFields, out: &mut TraceBuilder) -> ArgSetId {
        let args = self.arguments(last, out);
        out.arg_columns(args)
    }

    /// Adds all fields to the arguments of a slice, which are not shared with other slices.
    pub fn add_to(self, slice: SliceId, last: &mut LastFields, out: &mut TraceBuilder) {
        let args = self.arguments(last, out);
        out.add_slice_args(slice, args);
    }

    /// All fields as arguments.
    fn arguments<'l>(self, last: &'l mut LastFields, out: &mut TraceBuilder) -> &'l ArgColumns {
        let LastFields { texts, args, .. } = last;
        let FieldList { keys, values } = self.list;
        let count = values.len();
        args.resize(count);
        if texts.len() < count {
            texts.resize(count, LastText::default());
        }
        if self.keys.shape().is_none() || self.keys != last.keys {
            let ids = args.keys_mut().iter_mut();
            for ((key, id), text) in keys.iter().zip(ids).zip(&mut *texts) {
                out.intern_cached(id, key);
                text.address = 0;
            }
            last.keys = self.keys;
        }
        args.set_values(values.iter().zip(texts), |(value, text)| {
            cached_arg_value(*value, text, out)
        });
        args
    }
}

/// The last fields of a kind of event.
#[derive(Clone, Debug, Default)]
pub(super) struct LastFields {
    keys: KeysId,
    args: ArgColumns,
    /// The last text of each field.
    texts: Vec<LastText>,
    /// The last names of its track and its slice.
    pub track_name: StringId,
    pub slice_name: StringId,
}

/// The last text of a field.
#[derive(Clone, Copy, Debug, Default)]
struct LastText {
    id: StringId,
    /// Its address; 0 if unknown. Within a batch, a text with the same address and length is the same.
    address: usize,
    length: u32,
}

#[inline(always)]
fn cached_arg_value(value: Value<'_>, text: &mut LastText, out: &mut TraceBuilder) -> ArgValue {
    match value {
        Value::Int(value) => ArgValue::Int(value),
        Value::Hex(value) => ArgValue::Hex(value),
        Value::Text(bytes) => {
            let (address, length) = (
                bytes.as_ptr().addr(),
                bytes.len().min(u32::MAX as usize) as u32,
            );
            if (text.address, text.length) != (address, length) {
                out.intern_cached(&mut text.id, bytes);
                (text.address, text.length) = (address, length);
            }
            ArgValue::Text(text.id)
        }
    }
}

#[inline]
fn arg_value(value: Value<'_>, out: &mut TraceBuilder) -> ArgValue {
    match value {
        Value::Int(value) => ArgValue::Int(value),
        Value::Hex(value) => ArgValue::Hex(value),
        Value::Text(text) => ArgValue::Text(out.intern(text)),
    }
}
