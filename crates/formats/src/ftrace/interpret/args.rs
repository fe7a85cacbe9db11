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

    /// As [`keep`](Self::keep), for an event whose keys are likely those of the last one.
    pub fn keep_cached(self, keys: Option<&mut Vec<StringId>>, out: &mut TraceBuilder) -> ArgSetId {
        let Some(keys) = keys else {
            return self.keep(out);
        };
        let tables = out.tables();
        let (strings, args) = (&mut tables.strings, &mut tables.args);
        keys.resize(keys.len().max(self.0.len()), StringId::EMPTY);
        args.push_set(self.0.iter().zip(keys).map(|(field, known)| {
            if strings.get(*known).as_bytes() != field.key {
                *known = strings.intern_bytes(field.key);
            }
            (*known, value(field, strings))
        }))
    }

    /// All fields as arguments, not yet kept.
    pub fn values(self, out: &mut TraceBuilder) -> Vec<(StringId, ArgValue)> {
        let strings = &mut out.tables().strings;
        self.0
            .iter()
            .map(|field| argument(field, strings))
            .collect()
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
