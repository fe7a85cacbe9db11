//! The fields of a kernel event.

use crate::ftrace::event::{FieldList, Value};

/// The fields of an event, as keys and values.
#[derive(Default)]
pub(super) struct Values<'a> {
    keys: Vec<&'a [u8]>,
    values: Vec<Value<'a>>,
}

impl<'a> Values<'a> {
    pub fn push(&mut self, key: &'a [u8], value: Value<'a>) {
        self.keys.push(key);
        self.values.push(value);
    }

    /// The value of the first field with a key.
    pub fn get(&self, key: &[u8]) -> Option<Value<'a>> {
        let place = self.keys.iter().position(|known| *known == key)?;
        self.values.get(place).copied()
    }

    /// Replaces the value of the first field with a key.
    pub fn replace(&mut self, key: &[u8], value: Value<'a>) {
        let place = self.keys.iter().position(|known| *known == key);
        if let Some(old) = place.and_then(|place| self.values.get_mut(place)) {
            *old = value;
        }
    }

    /// The fields as input for the interpreter.
    pub fn list(&self) -> FieldList<'_> {
        FieldList {
            keys: &self.keys,
            values: &self.values,
        }
    }
}
