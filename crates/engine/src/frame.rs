//! The form of an answer: some JSON and some binary columns in one piece of bytes.
//!
//! ```text
//! 0        4               4+n  8-aligned
//! +--------+----------------+---+----------+-+----------+-
//! | n: u32 | JSON, n bytes  |pad| column 0 | | column 1 | ...    little-endian, each 8-aligned
//! +--------+----------------+---+----------+-+----------+-
//! ```
//! The JSON object's key `columns` lists them: `[["ts","f64",120], …]`, name, type, values.

use crate::json::{Map, ToJson, json};

/// An answer on its way to bytes.
// Boxed, so that each step passes on a pointer.
#[derive(Debug, Default)]
pub struct Frame(Box<Parts>);

#[derive(Debug, Default)]
struct Parts {
    json: Map,
    columns: Vec<crate::json::Value>,
    bytes: Vec<u8>,
}

macro_rules! columns {
    ($($(#[$doc:meta])* $method:ident, $push:ident($type:ty) = $name:literal;)*) => {
    impl Frame {$(
        $(#[$doc])*
        pub fn $method(mut self, name: &str, values: impl IntoIterator<Item = $type>) -> Self {
            let mut values = values.into_iter();
            self.0.$push(name, &mut || values.next());
            self
        }
    )*}
    // Once for all kinds of iterators: a report carries the code.
    impl Parts {$(
        #[inline(never)]
        fn $push(&mut self, name: &str, next: &mut dyn FnMut() -> Option<$type>) {
            let before = self.bytes.len();
            while let Some(value) = next() {
                self.bytes.extend_from_slice(&value.to_le_bytes());
            }
            self.end(name, $name, (self.bytes.len() - before) / size_of::<$type>());
        }
    )*}};
}

impl Frame {
    /// An empty answer.
    pub fn new() -> Self {
        Self::default()
    }

    /// The answer to a question that has none.
    pub fn error(error: &crate::EngineError) -> Self {
        Self::new().with("error", error.to_string())
    }

    /// Adds a value to the JSON part.
    pub fn with(mut self, key: &str, value: impl ToJson) -> Self {
        self.0.json.insert(key, &value);
        self
    }

    /// Adds a column of row numbers in the fewest bytes that hold the greatest: `u8`, `u16` or `u32`.
    pub(crate) fn narrow(self, name: &str, values: &[u32]) -> Self {
        match values.iter().max() {
            None | Some(..=0xff) => self.u8(name, values.iter().map(|value| *value as u8)),
            Some(..=0xffff) => self.u16(name, values.iter().map(|value| *value as u16)),
            _ => self.u32(name, values.iter().copied()),
        }
    }

    /// Adds the fields of an object to the JSON part.
    pub(crate) fn with_all(mut self, fields: &Map) -> Self {
        self.0.json.extend(fields);
        self
    }

    /// The bytes that go to the page.
    pub fn finish(mut self) -> Vec<u8> {
        let parts = &mut *self.0;
        parts.json.insert("columns", &parts.columns);
        let mut json = String::new();
        parts.json.put(&mut json);
        let start = (4 + json.len()).next_multiple_of(8);
        let mut out = Vec::with_capacity(start + parts.bytes.len());
        out.extend_from_slice(&(json.len() as u32).to_le_bytes());
        out.extend_from_slice(json.as_bytes());
        out.resize(start, b' ');
        out.extend_from_slice(&parts.bytes);
        out
    }
}

columns! {
    /// Adds a column of 64-bit floats: times in ns relative to the trace's origin, values.
    f64, push_f64(f64) = "f64";
    /// Adds a column of 32-bit floats.
    f32, push_f32(f32) = "f32";
    /// Adds a column of row numbers; `u32::MAX` means none.
    u32, push_u32(u32) = "u32";
    /// Adds a column of 16-bit numbers.
    u16, push_u16(u16) = "u16";
    /// Adds a column of bytes.
    u8, push_u8(u8) = "u8";
}

/// Numbers of seven bits a byte, the lowest first; the highest bit says that more follow. Those that
/// may be negative go in zigzag: 0, -1, 1, -2 …
#[derive(Debug, Default)]
pub(crate) struct Varints(pub Vec<u8>);

impl Varints {
    pub fn unsigned(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    pub fn signed(&mut self, value: i64) {
        self.unsigned((value << 1 ^ value >> 63) as u64);
    }
}

impl Parts {
    fn end(&mut self, name: &str, kind: &str, count: usize) {
        self.columns.push(json!([name, kind, count]));
        self.bytes.resize(self.bytes.len().next_multiple_of(8), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_start_at_multiples_of_eight() {
        let bytes = Frame::new()
            .with("n", 1u32)
            .u8("a", [7u8, 8, 9])
            .f64("b", [1.5])
            .finish();
        let json_bytes = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
        let json: serde_json::Value = serde_json::from_slice(&bytes[4..4 + json_bytes]).unwrap();
        assert_eq!(json["columns"][0], serde_json::json!(["a", "u8", 3]));
        let first = (4 + json_bytes).next_multiple_of(8);
        assert_eq!(bytes[first..first + 3], [7, 8, 9]);
        assert_eq!(bytes[first + 8..], 1.5f64.to_le_bytes());
    }
}
