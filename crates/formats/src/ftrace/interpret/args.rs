//! The fields of an event, asked for by name and kept as arguments.

use traceloom_trace::{ArgSetId, ArgValue, StringId, StringPool, TraceBuilder};

use crate::ftrace::event::{Field, Value};

/// The fields of one event.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields<'p>(pub &'p [Field<'p>]);

impl<'p> Fields<'p> {
    /// The value of the first field with this key.
    pub fn get(self, key: &str) -> Option<Value<'p>> {
        let field = self.0.iter().find(|field| field.key == key.as_bytes())?;
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
        Some(match self.get(key)? {
            Value::Int(value) => value.to_string(),
            Value::Hex(value) => format!("{value:#x}"),
            Value::Text(text) => String::from_utf8_lossy(text).into_owned(),
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

    /// Keeps all fields as arguments.
    pub fn keep(self, out: &mut TraceBuilder) -> ArgSetId {
        let tables = out.tables();
        let (strings, args) = (&mut tables.strings, &mut tables.args);
        args.push_set(self.0.iter().map(|field| argument(field, strings)))
    }

    /// As [`keep`](Self::keep), for an event whose keys, and many of whose texts, are likely those
    /// of the last one.
    pub fn keep_cached(self, last: &mut Vec<LastField>, out: &mut TraceBuilder) -> ArgSetId {
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
        last: &mut Vec<LastField>,
        strings: &mut StringPool,
        mut take: impl FnMut((StringId, ArgValue)),
    ) {
        self.again(last)
            .for_each(|(field, last)| take(last.argument(field, strings)));
    }

    fn again(
        self,
        last: &mut Vec<LastField>,
    ) -> impl ExactSizeIterator<Item = (&'p Field<'p>, &mut LastField)> {
        last.resize(last.len().max(self.0.len()), LastField::default());
        self.0.iter().zip(last)
    }
}

/// A field of the event before: its key, and its text where that is what it had.
#[derive(Clone, Copy, Debug)]
pub(super) struct LastField {
    key: StringId,
    text: StringId,
}

impl Default for LastField {
    fn default() -> Self {
        let [key, text] = [StringId::EMPTY; 2];
        Self { key, text }
    }
}

impl LastField {
    #[inline]
    fn argument(&mut self, field: &Field<'_>, strings: &mut StringPool) -> (StringId, ArgValue) {
        intern_again(&mut self.key, field.key, strings);
        let value = match field.value {
            Value::Text(text) => {
                intern_again(&mut self.text, text, strings);
                ArgValue::Text(self.text)
            }
            _ => value(field, strings),
        };
        (self.key, value)
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
