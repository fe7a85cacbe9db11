//! Protobuf messages, as bytes for every version of Android and as text for people.

use std::fmt::Write;

/// The value of a field.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Value {
    Bool(bool),
    Int(u64),
    Enum(&'static str, u64),
    Text(String),
    Message(Message),
}

/// A message: names, numbers and values of its fields, in order.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Message(Vec<(&'static str, u32, Value)>);

impl Message {
    pub fn new() -> Self {
        Self::default()
    }

    fn with(mut self, name: &'static str, number: u32, value: Value) -> Self {
        self.0.push((name, number, value));
        self
    }

    pub fn bool(self, name: &'static str, number: u32, value: bool) -> Self {
        self.with(name, number, Value::Bool(value))
    }

    pub fn int(self, name: &'static str, number: u32, value: impl Into<u64>) -> Self {
        self.with(name, number, Value::Int(value.into()))
    }

    /// A value of an enumeration: its name and number.
    pub fn choice(self, name: &'static str, number: u32, value: (&'static str, u64)) -> Self {
        self.with(name, number, Value::Enum(value.0, value.1))
    }

    pub fn text(self, name: &'static str, number: u32, value: &str) -> Self {
        self.with(name, number, Value::Text(value.to_owned()))
    }

    pub fn texts<T: AsRef<str>>(self, name: &'static str, number: u32, values: &[T]) -> Self {
        let values = values.iter();
        values.fold(self, |message, value| {
            message.text(name, number, value.as_ref())
        })
    }

    pub fn message(self, name: &'static str, number: u32, value: Self) -> Self {
        self.with(name, number, Value::Message(value))
    }

    /// The wire format.
    pub fn bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for (_, number, value) in &self.0 {
            let number = u64::from(*number) << 3;
            match value {
                Value::Bool(value) => varints(&mut out, [number, u64::from(*value)]),
                Value::Int(value) | Value::Enum(_, value) => varints(&mut out, [number, *value]),
                Value::Text(text) => block(&mut out, number, text.as_bytes()),
                Value::Message(message) => block(&mut out, number, &message.bytes()),
            }
        }
        out
    }

    /// The text format (`.pbtx`).
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        self.write_text(&mut out, "");
        out
    }

    fn write_text(&self, out: &mut String, indent: &str) {
        for (name, _, value) in &self.0 {
            // Writing to a string does not fail.
            _ = match value {
                Value::Bool(value) => writeln!(out, "{indent}{name}: {value}"),
                Value::Int(value) => writeln!(out, "{indent}{name}: {value}"),
                Value::Enum(value, _) => writeln!(out, "{indent}{name}: {value}"),
                Value::Text(text) => writeln!(out, "{indent}{name}: \"{}\"", escaped(text)),
                Value::Message(message) => {
                    _ = writeln!(out, "{indent}{name} {{");
                    message.write_text(out, &format!("{indent}  "));
                    writeln!(out, "{indent}}}")
                }
            };
        }
    }
}

fn varints(out: &mut Vec<u8>, values: [u64; 2]) {
    values.into_iter().for_each(|value| varint(out, value));
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn block(out: &mut Vec<u8>, number: u64, bytes: &[u8]) {
    varints(out, [number | 2, bytes.len() as u64]);
    out.extend_from_slice(bytes);
}

/// Quotes, backslashes and control characters as escape sequences.
fn escaped(text: &str) -> String {
    let escape = |c: char| match c {
        '"' | '\\' => format!("\\{c}"),
        c if c.is_ascii_control() => format!("\\{:03o}", u32::from(c)),
        c => c.to_string(),
    };
    text.chars().map(escape).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use std::collections::HashMap;

    use super::{Message, Value};

    /// Perfetto's own names, numbers and types of fields: `cargo xtask protos` writes this table.
    pub struct Table(HashMap<&'static str, Vec<Vec<&'static str>>>);

    impl Table {
        pub fn read() -> Self {
            let text = include_str!("../../../formats/src/perfetto/descriptors/messages.txt");
            let entries = text.lines().filter_map(|line| {
                let (_, rest) = line.split_once(' ')?;
                let mut words = rest.split(' ');
                let name = words.next()?;
                Some((name, words.map(|word| word.split(':').collect()).collect()))
            });
            Self(entries.collect())
        }

        /// Checks that a message has only fields of Perfetto's message `name`.
        pub fn check(&self, name: &str, message: &Message) {
            for (field, number, value) in &message.0 {
                let rows = self.0[name].iter();
                let row = rows
                    .clone()
                    .find(|row| row[0] == number.to_string() && row[1] == *field);
                let row = row.unwrap_or_else(|| panic!("{name} has no {field} = {number}"));
                let (kind, of) = (row[2].trim_start_matches('*'), row.get(3));
                match value {
                    Value::Bool(_) => assert_eq!(kind, "b", "{field}"),
                    Value::Int(_) => assert!(["u", "i"].contains(&kind), "{field}: {kind}"),
                    Value::Text(_) => assert_eq!(kind, "s", "{field}"),
                    Value::Enum(value, number) => {
                        let known = [number.to_string(), (*value).to_owned()];
                        assert!(
                            self.0[*of.unwrap()]
                                .iter()
                                .any(|row| row[..] == known.each_ref().map(String::as_str)),
                            "{value}"
                        );
                    }
                    Value::Message(inner) => {
                        assert_eq!(kind, "m", "{field}");
                        self.check(of.unwrap(), inner);
                    }
                }
            }
        }
    }

    #[test]
    fn text_is_escaped() {
        let message = Message::new().text("name", 1, "a\"b\\c\n");
        assert_eq!(message.to_text(), "name: \"a\\\"b\\\\c\\012\"\n");
    }
}
