//! Texts that the trace itself does not contain, such as method names with their class.

use traceloom_trace::{StringId, StringPool};

/// Adds texts to those of a trace. Their ids continue after the trace's ids, and each text has only one id.
#[derive(Debug, Default)]
pub(super) struct MoreTexts {
    pool: StringPool,
}

impl MoreTexts {
    /// The id of a text, which is added if neither pool has it.
    pub fn intern(&mut self, own: &StringPool, text: &str) -> StringId {
        match own.lookup(text) {
            Some(id) => id,
            None => StringId(own.len() as u32 + self.pool.intern(text).0),
        }
    }

    /// The text of an id.
    pub fn get<'a>(&'a self, own: &'a StringPool, id: StringId) -> &'a str {
        match (id.0 as usize).checked_sub(own.len()) {
            None => own.get(id),
            Some(more) => self.pool.get(StringId(more as u32)),
        }
    }

    /// The number of ids in both pools.
    pub fn len(&self, own: &StringPool) -> usize {
        own.len() + self.pool.len()
    }
}
