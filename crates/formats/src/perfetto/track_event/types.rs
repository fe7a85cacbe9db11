//! A cache of the message and enum types that have occurred in arguments.

use rustc_hash::FxHashMap;

use super::super::descriptors::{Declared, FieldType, MessageType};

/// The types that have occurred.
pub(super) struct Types<'s> {
    declared: &'s Declared<'s>,
    messages: FxHashMap<&'s str, MessageType<'s>>,
    /// The names of the values of each enum.
    enums: FxHashMap<&'s str, FxHashMap<i64, &'s str>>,
}

impl<'s> Types<'s> {
    pub fn new(declared: &'s Declared<'s>) -> Self {
        Self {
            declared,
            messages: FxHashMap::default(),
            enums: FxHashMap::default(),
        }
    }

    /// A field of a message.
    pub fn field(&mut self, message: &'s str, number: u32) -> Option<FieldType<'s>> {
        if !self.messages.contains_key(message) {
            let known = self.declared.message(message)?;
            self.messages.insert(message, known);
        }
        self.messages.get(message)?.field(number).copied()
    }

    /// The name of an enum's value.
    pub fn enum_name(&mut self, of: &'s str, value: i64) -> Option<&'s str> {
        let known = self.enums.entry(of);
        let known = known.or_insert_with(|| self.declared.enum_names(of));
        known.get(&value).copied()
    }
}
