//! Converts messages to protobuf's text format.
//!
//! ```text
//! buffers {
//!   size_kb: 1024
//! }
//! unique_session_name: "boot"
//! ```
//! Source: protobuf.dev, "Text Format Language Specification". A field that is not in the table is shown by its number.

use rustc_hash::FxHashMap;

use super::super::wire::{Field, Fields, MOST_LEVELS, Value};
use super::{Descriptors, FieldType, Kind, MessageType, numbers};

/// The maximum size of a text: [`FREE`] bytes, plus [`FOR_BYTE`] bytes per byte of the message.
const FREE: usize = 1 << 20;
const FOR_BYTE: usize = 8;

/// Converts a message to text. Returns `None` if the text would be too long or nested too deep.
pub(crate) fn text(
    descriptors: &Descriptors,
    message: &'static str,
    bytes: &[u8],
) -> Option<String> {
    let mut writer = Writer {
        descriptors,
        types: FxHashMap::default(),
        out: String::new(),
        most: FREE.saturating_add(bytes.len().saturating_mul(FOR_BYTE)),
    };
    writer.message(message, bytes, 0)?;
    Some(writer.out)
}

struct Writer<'d> {
    descriptors: &'d Descriptors,
    types: FxHashMap<&'static str, MessageType<'static>>,
    out: String,
    most: usize,
}

impl Writer<'_> {
    fn message(&mut self, message: &'static str, bytes: &[u8], level: u32) -> Option<()> {
        if level >= MOST_LEVELS {
            return None;
        }
        for field in Fields::new(bytes) {
            let descriptors = self.descriptors;
            let known = self.types.entry(message);
            let known = known.or_insert_with(|| descriptors.message(message).unwrap_or_default());
            match (known.field(field.number).copied(), field.value) {
                (Some(known), value) => self.field(known, value, level)?,
                (None, value) => self.unknown(field, value, level)?,
            }
        }
        Some(())
    }

    fn field(&mut self, known: FieldType<'static>, value: Value<'_>, level: u32) -> Option<()> {
        let FieldType { name, kind, .. } = known;
        match (kind, value) {
            (Kind::Message(inner), Value::Bytes(bytes)) => {
                self.line(level, &[name, " {"])?;
                self.message(inner, bytes, level + 1)?;
                self.line(level, &["}"])
            }
            (Kind::Text | Kind::Bytes, Value::Bytes(text)) => {
                self.line(level, &[name, ": ", &quoted(text)])
            }
            (kind, Value::Bytes(packed)) => {
                let mut values = numbers(kind, packed);
                values.try_for_each(|bits| self.number(name, kind, bits, level))
            }
            (kind, Value::Number(bits)) => self.number(name, kind, bits, level),
        }
    }

    fn number(&mut self, name: &str, kind: Kind<'_>, bits: u64, level: u32) -> Option<()> {
        let value = match kind {
            Kind::Bool => (bits != 0).to_string(),
            Kind::Double => format!("{:.6}", f64::from_bits(bits)),
            Kind::Float => format!("{:.6}", f32::from_bits(bits as u32)),
            Kind::Zigzag => ((bits >> 1) as i64 ^ -((bits & 1) as i64)).to_string(),
            Kind::Unsigned | Kind::Fixed32 | Kind::Fixed64 => bits.to_string(),
            Kind::Enum(of) => match self.descriptors.enum_name(of, bits as i64) {
                Some(value) => value.to_owned(),
                None => (bits as i64).to_string(),
            },
            _ => (bits as i64).to_string(),
        };
        self.line(level, &[name, ": ", &value])
    }

    fn unknown(&mut self, field: Field<'_>, value: Value<'_>, level: u32) -> Option<()> {
        let value = match value {
            Value::Number(bits) => (bits as i64).to_string(),
            Value::Bytes(bytes) => quoted(bytes),
        };
        self.line(level, &[&field.number.to_string(), ": ", &value])
    }

    /// Adds a line. Returns `None` if the text is too long.
    fn line(&mut self, level: u32, parts: &[&str]) -> Option<()> {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        self.out.extend(std::iter::repeat_n("  ", level as usize));
        self.out.extend(parts.iter().copied());
        (self.out.len() <= self.most).then_some(())
    }
}

/// A quoted string. Bytes that are not printable are written as octal escapes.
fn quoted(bytes: &[u8]) -> String {
    let mut text = String::from("\"");
    for byte in bytes {
        match byte {
            b'\n' => text.push_str("\\n"),
            b'\r' => text.push_str("\\r"),
            b'\t' => text.push_str("\\t"),
            b'"' | b'\'' | b'\\' => text.extend(['\\', char::from(*byte)]),
            b' '..=b'~' => text.push(char::from(*byte)),
            _ => text.push_str(&format!("\\{byte:03o}")),
        }
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use testkit::Proto;

    use super::*;

    #[test]
    fn a_configuration() {
        let source = Proto::new().text(1, "linux.\"x\"").raw(900, b"\xff\n");
        let config = Proto::new()
            .message(1, Proto::new().int(1, 1024).int(4, 2))
            .message(2, Proto::new().message(1, source))
            .message(7, Proto::new())
            .int(12, 1)
            .int(901, -3);
        // As protoc --decode prints it, apart from the spelling of unknown fields.
        let expected = r#"buffers {
  size_kb: 1024
  fill_policy: DISCARD
}
data_sources {
  config {
    name: "linux.\"x\""
    900: "\377\n"
  }
}
statsd_metadata {
}
deferred_start: true
901: -3"#;
        let table = Descriptors::default();
        let text = text(&table, "TraceConfig", config.bytes());
        assert_eq!(text.as_deref(), Some(expected));
    }

    #[test]
    fn too_deep_and_too_long_messages_are_refused() {
        let table = Descriptors::default();
        let deep = (0..40).fold(Proto::new(), |inner, _| Proto::new().message(11, inner));
        assert_eq!(text(&table, "DebugAnnotation", deep.bytes()), None);
        let long = (0..400_000).fold(Proto::new(), |config, _| config.int(5, 0));
        assert_eq!(text(&table, "TraceConfig", long.bytes()), None);
    }
}
