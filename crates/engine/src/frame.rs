//! The form of an answer: some JSON and some binary columns in one piece of bytes.
//!
//! ```text
//! 0        4               4+n  8-aligned
//! +--------+----------------+---+----------+-+----------+-
//! | n: u32 | JSON, n bytes  |pad| column 0 | | column 1 | ...    little-endian, each 8-aligned
//! +--------+----------------+---+----------+-+----------+-
//! ```
//! The JSON object's key `columns` lists them: `[["ts","f64",120], …]`, name, type, values.

use crate::json::{Json, ToJson};

/// An answer on its way to bytes.
#[derive(Debug, Default)]
pub struct Frame {
    pub(crate) json: Json,
    /// What the JSON says of the columns.
    columns: Json,
    bytes: Vec<u8>,
}

macro_rules! columns {
    ($($(#[$doc:meta])* $method:ident($type:ty);)*) => {
    impl Frame {$(
        $(#[$doc])*
        // A function for each kind of item, and a small one for what stands in a column.
        #[inline(never)]
        pub fn $method<T>(&mut self, name: &str, items: &[T], of: &dyn Fn(&T) -> $type) -> &mut Self {
            self.bytes.reserve(items.len() * size_of::<$type>());
            for item in items {
                self.bytes.extend_from_slice(&of(item).to_le_bytes());
            }
            self.end(name, stringify!($type), items.len());
            self
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

    /// The same with one more value in its JSON part.
    pub fn with(mut self, key: &str, value: impl ToJson) -> Self {
        self.put(key, value);
        self
    }

    /// Adds a value to the JSON part.
    pub fn put(&mut self, key: &str, value: impl ToJson) -> &mut Self {
        self.json.put(key, value);
        self
    }

    /// Adds a column of row numbers in the fewest bytes that hold the greatest: `u8`, `u16` or `u32`.
    pub(crate) fn narrow(&mut self, name: &str, values: &[u32]) -> &mut Self {
        match values.iter().max() {
            None | Some(..=0xff) => self.u8(name, values, &|value| *value as u8),
            Some(..=0xffff) => self.u16(name, values, &|value| *value as u16),
            _ => self.u32(name, values, &|value| *value),
        }
    }

    /// Adds a column of bytes.
    pub(crate) fn u8s(&mut self, name: &str, values: &[u8]) -> &mut Self {
        self.bytes.extend_from_slice(values);
        self.end(name, "u8", values.len());
        self
    }

    fn end(&mut self, name: &str, kind: &str, count: usize) {
        self.columns.list("", |column| {
            column.put("", name).put("", kind).put("", count);
        });
        self.bytes.resize(self.bytes.len().next_multiple_of(8), 0);
    }

    /// The bytes that go to the page.
    pub fn finish(mut self) -> Vec<u8> {
        self.json.put_items("columns", &self.columns);
        let json = self.json.end();
        let start = (4 + json.len()).next_multiple_of(8);
        let mut out = Vec::with_capacity(start + self.bytes.len());
        out.extend_from_slice(&(json.len() as u32).to_le_bytes());
        out.extend_from_slice(json.as_bytes());
        out.resize(start, b' ');
        out.extend_from_slice(&self.bytes);
        out
    }
}

columns! {
    /// Adds a column of 64-bit floats: times in ns relative to the trace's origin, values.
    f64(f64);
    /// Adds a column of row numbers; `u32::MAX` means none.
    u32(u32);
    /// Adds a column of 16-bit numbers.
    u16(u16);
    /// Adds a column of bytes.
    u8(u8);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_start_at_multiples_of_eight() {
        let mut frame = Frame::new().with("n", 1u32);
        frame
            .u8s("a", &[7, 8, 9])
            .f64("b", &[3], &|half| f64::from(*half) / 2.0);
        let bytes = frame.finish();
        let json_bytes = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
        let json: serde_json::Value = serde_json::from_slice(&bytes[4..4 + json_bytes]).unwrap();
        assert_eq!(json["columns"][0], serde_json::json!(["a", "u8", 3]));
        let first = (4 + json_bytes).next_multiple_of(8);
        assert_eq!(bytes[first..first + 3], [7, 8, 9]);
        assert_eq!(bytes[first + 8..], 1.5f64.to_le_bytes());
    }
}
