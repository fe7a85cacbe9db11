//! Collects the arguments of a slice.

use traceloom_trace::{ArgSetId, ArgValue, StringId, TraceBuilder};

/// The arguments of a slice that is about to be added.
pub(crate) struct ArgList<'o> {
    pub out: &'o mut TraceBuilder,
    args: Vec<(StringId, ArgValue)>,
}

impl<'o> ArgList<'o> {
    pub fn new(out: &'o mut TraceBuilder) -> Self {
        let args = Vec::new();
        Self { out, args }
    }

    pub fn push(&mut self, key: &[u8], value: ArgValue) {
        let key = self.out.intern(key);
        self.args.push((key, value));
    }

    pub fn int(&mut self, key: &str, value: i64) {
        self.push(key.as_bytes(), ArgValue::Int(value));
    }

    pub fn uint(&mut self, key: &str, value: u64) {
        self.push(key.as_bytes(), ArgValue::Unsigned(value));
    }

    pub fn text(&mut self, key: &[u8], text: &[u8]) {
        let text = self.out.intern(text);
        self.push(key, ArgValue::Text(text));
    }

    /// Adds a text, unless it is empty.
    pub fn some_text(&mut self, key: &str, text: &[u8]) {
        if !text.is_empty() {
            self.text(key.as_bytes(), text);
        }
    }

    /// Adds the arguments to the trace.
    pub fn store(self) -> ArgSetId {
        self.out.args(self.args)
    }
}
