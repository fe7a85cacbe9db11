//! The form of an answer: a JSON object and binary columns.
//!
//! ```text
//! 0        4               4+n  8-aligned
//! +--------+----------------+---+----------+-+----------+-
//! | n: u32 | JSON, n bytes  |pad| column 0 | | column 1 | ...    little-endian, each 8-aligned
//! +--------+----------------+---+----------+-+----------+-
//! ```
//! The JSON object's key `columns` lists them: `[["ts","f64",120], …]`, name, type, values.

use serde::Serialize;

/// An answer under construction.
#[derive(Debug, Default)]
pub struct Frame {
    /// The fields of the JSON object, with commas between them.
    json: Vec<u8>,
    columns: Vec<(String, &'static str, usize)>,
    bytes: Vec<u8>,
}

macro_rules! columns {
    ($($(#[$doc:meta])* $method:ident($type:ty);)*) => {
    impl Frame {$(
        $(#[$doc])*
        pub fn $method<T>(&mut self, name: &str, items: &[T], value: impl Fn(&T) -> $type) -> &mut Self {
            self.bytes.reserve(items.len() * size_of::<$type>());
            for item in items {
                self.bytes.extend_from_slice(&value(item).to_le_bytes());
            }
            self.end(name, stringify!($type), items.len());
            self
        }
    )*}};
}

impl Frame {
    /// Creates an empty answer.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates the answer to a question that cannot be answered.
    pub fn error(error: &crate::EngineError) -> Self {
        Self::new().with("error", error.to_string())
    }

    /// Adds a field to the JSON part.
    pub fn with(mut self, key: &str, value: impl Serialize) -> Self {
        self.put(key, value);
        self
    }

    /// Adds a field to the JSON part.
    pub fn put(&mut self, key: &str, value: impl Serialize) -> &mut Self {
        self.comma();
        self.json.extend(json(key));
        self.json.push(b':');
        self.json.extend(json(value));
        self
    }

    /// Adds the fields of a struct to the JSON part.
    pub(crate) fn put_fields(&mut self, fields: impl Serialize) -> &mut Self {
        let object = json(fields);
        if let [b'{', inside @ .., b'}'] = &*object
            && !inside.is_empty()
        {
            self.comma();
            self.json.extend_from_slice(inside);
        }
        self
    }

    fn comma(&mut self) {
        if !self.json.is_empty() {
            self.json.push(b',');
        }
    }

    /// Adds a column of row numbers with the smallest type that holds the largest one: `u8`, `u16`
    /// or `u32`.
    pub(crate) fn narrow(&mut self, name: &str, values: &[u32]) -> &mut Self {
        match values.iter().max() {
            None | Some(..=0xff) => self.u8(name, values, |value| *value as u8),
            Some(..=0xffff) => self.u16(name, values, |value| *value as u16),
            _ => self.u32(name, values, |value| *value),
        }
    }

    /// Adds a column of bytes.
    pub(crate) fn u8s(&mut self, name: &str, values: &[u8]) -> &mut Self {
        self.bytes.extend_from_slice(values);
        self.end(name, "u8", values.len());
        self
    }

    fn end(&mut self, name: &str, kind: &'static str, count: usize) {
        self.columns.push((name.to_owned(), kind, count));
        self.bytes.resize(self.bytes.len().next_multiple_of(8), 0);
    }

    /// The bytes that are sent to the page.
    pub fn finish(mut self) -> Vec<u8> {
        let columns = std::mem::take(&mut self.columns);
        self.put("columns", columns);
        let length = self.json.len() + 2;
        let start = (4 + length).next_multiple_of(8);
        let mut out = Vec::with_capacity(start + self.bytes.len());
        out.extend_from_slice(&(length as u32).to_le_bytes());
        out.push(b'{');
        out.extend_from_slice(&self.json);
        out.push(b'}');
        out.resize(start, b' ');
        out.extend_from_slice(&self.bytes);
        out
    }
}

/// `value` as JSON; null for values that JSON cannot express.
fn json(value: impl Serialize) -> Vec<u8> {
    serde_json::to_vec(&value).unwrap_or_else(|_| b"null".to_vec())
}

columns! {
    /// Adds a column of 64-bit floats: times in ns relative to the trace's origin, or values.
    f64(f64);
    /// Adds a column of row numbers; `u32::MAX` means none.
    u32(u32);
    /// Adds a column of 16-bit numbers.
    u16(u16);
    /// Adds a column of bytes.
    u8(u8);
}

/// Numbers with seven bits per byte, lowest bits first. The highest bit of a byte means that more
/// bytes follow. Signed numbers are zigzag encoded: 0, -1, 1, -2 …
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
            .f64("b", &[3], |half| f64::from(*half) / 2.0);
        let bytes = frame.finish();
        let json_bytes = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
        let json: serde_json::Value = serde_json::from_slice(&bytes[4..4 + json_bytes]).unwrap();
        assert_eq!(json["columns"][0], serde_json::json!(["a", "u8", 3]));
        let first = (4 + json_bytes).next_multiple_of(8);
        assert_eq!(bytes[first..first + 3], [7, 8, 9]);
        assert_eq!(bytes[first + 8..], 1.5f64.to_le_bytes());
    }
}
