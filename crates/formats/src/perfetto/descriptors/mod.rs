//! The names, numbers and types of the fields of Perfetto's messages.
//!
//! `messages.txt` is generated from Perfetto's `.proto` files (`cargo xtask protos`). Each line is a message or an
//! enum:
//!
//! ```text
//! message SchedSwitchFtraceEvent 1:prev_comm:s 2:prev_pid:i …
//! enum TrackEvent.Type 0:TYPE_UNSPECIFIED 1:TYPE_SLICE_BEGIN …
//! ```
//! The letters of types: `i` signed, `u` unsigned, `z` zigzag, `b` bool, `s` string, `y` bytes, `d` double, `f` float,
//! `m:NAME` message, `e:NAME` enum. `*` before the letter: repeated.
//!
//! A trace can declare more messages and enums ([`Declared`]).

mod declared;
mod text;

use std::io::Read;
use std::sync::OnceLock;

use flate2::read::GzDecoder;
use rustc_hash::FxHashMap;

use super::wire::Packed;

pub(super) use declared::{Declared, lone_message, type_name};
pub(super) use text::text;

/// `messages.txt`. It is stored compressed, because its 300 KB would otherwise enlarge a program that is copied to many
/// places.
fn table() -> &'static str {
    static TABLE: OnceLock<String> = OnceLock::new();
    TABLE.get_or_init(|| {
        let gzip: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/messages.gz"));
        let mut text = String::new();
        match GzDecoder::new(gzip).read_to_string(&mut text) {
            Ok(_) => text,
            Err(_) => String::new(),
        }
    })
}

/// The type of a field's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind<'d> {
    Signed,
    Unsigned,
    Zigzag,
    Bool,
    Text,
    Bytes,
    Double,
    Float,
    // The table does not use these types: the wire type already gives their size, so the table treats them as plain
    // numbers.
    Fixed32,
    Fixed64,
    SignedFixed32,
    SignedFixed64,
    Message(&'d str),
    Enum(&'d str),
}

/// A field of a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct FieldType<'d> {
    pub number: u32,
    pub name: &'d str,
    pub kind: Kind<'d>,
    pub repeated: bool,
}

/// The fields of a message, by number.
#[derive(Clone, Debug, Default)]
pub(super) struct MessageType<'d>(Vec<FieldType<'d>>);

impl<'d> MessageType<'d> {
    /// A message with these fields. Of several fields with the same number, the first one is used.
    fn new(mut fields: Vec<FieldType<'d>>) -> Self {
        fields.sort_by_key(|field| field.number);
        fields.dedup_by_key(|field| field.number);
        Self(fields)
    }

    pub fn field(&self, number: u32) -> Option<&FieldType<'d>> {
        let place = self.0.binary_search_by_key(&number, |field| field.number);
        self.0.get(place.ok()?)
    }

    /// The number of the field with a name.
    pub fn number(&self, name: &str) -> Option<u32> {
        let field = self.0.iter().find(|field| field.name == name)?;
        Some(field.number)
    }
}

/// All messages and enums of the table. A line is parsed when it is first needed.
#[derive(Debug)]
pub(super) struct Descriptors {
    lines: FxHashMap<&'static str, &'static str>,
}

impl Default for Descriptors {
    fn default() -> Self {
        let lines = table().lines().filter_map(|line| {
            let (_, line) = line.split_once(' ')?;
            Some(line.split_once(' ').unwrap_or((line, "")))
        });
        Self {
            lines: lines.collect(),
        }
    }
}

impl Descriptors {
    /// The message with this name.
    pub fn message(&self, name: &str) -> Option<MessageType<'static>> {
        let line = self.lines.get(name)?;
        let fields = line.split(' ').filter_map(field_type);
        Some(MessageType::new(fields.collect()))
    }

    /// The values of an enum and their names, in the order of the table.
    pub fn values(&self, name: &str) -> impl Iterator<Item = (i64, &'static str)> {
        let line = self.lines.get(name).copied().unwrap_or_default();
        line.split(' ').filter_map(|entry| {
            let (number, name) = entry.split_once(':')?;
            Some((number.parse().ok()?, name))
        })
    }

    /// The name of a value of an enum.
    pub fn enum_name(&self, name: &str, value: i64) -> Option<&'static str> {
        let mut values = self.lines.get(name)?.split(' ');
        values.find_map(|entry| {
            let (number, name) = entry.split_once(':')?;
            (number.parse() == Ok(value)).then_some(name)
        })
    }
}

fn field_type(entry: &'static str) -> Option<FieldType<'static>> {
    let (number, rest) = entry.split_once(':')?;
    let (name, kind) = rest.split_once(':')?;
    let single = kind.trim_start_matches('*');
    let (letter, of) = single.split_once(':').unwrap_or((single, ""));
    Some(FieldType {
        number: number.parse().ok()?,
        name,
        repeated: single.len() < kind.len(),
        kind: match letter {
            "i" => Kind::Signed,
            "u" => Kind::Unsigned,
            "z" => Kind::Zigzag,
            "b" => Kind::Bool,
            "s" => Kind::Text,
            "y" => Kind::Bytes,
            "d" => Kind::Double,
            "f" => Kind::Float,
            "m" => Kind::Message(of),
            "e" => Kind::Enum(of),
            _ => return None,
        },
    })
}

/// Packed numbers of a kind, as raw bits.
pub(super) fn numbers<'b>(kind: Kind<'_>, packed: &'b [u8]) -> Box<dyn Iterator<Item = u64> + 'b> {
    match kind {
        Kind::Double | Kind::Fixed64 | Kind::SignedFixed64 => {
            let (numbers, _) = packed.as_chunks();
            Box::new(numbers.iter().map(|bytes| u64::from_le_bytes(*bytes)))
        }
        Kind::Float | Kind::Fixed32 | Kind::SignedFixed32 => {
            let (numbers, _) = packed.as_chunks();
            Box::new(
                numbers
                    .iter()
                    .map(|bytes| u32::from_le_bytes(*bytes).into()),
            )
        }
        _ => Box::new(Packed::new(packed)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_read_and_every_type_exists() {
        let all = Descriptors::default();
        assert_eq!(all.lines.len(), table().lines().count());
        for line in table().lines().filter(|line| line.starts_with("message ")) {
            let mut words = line.split(' ').skip(1);
            let name = words.next().unwrap();
            let message = all.message(name).unwrap();
            assert_eq!(message.0.len(), words.count(), "{name}");
            for field in &message.0 {
                if let Kind::Message(of) | Kind::Enum(of) = field.kind {
                    assert!(all.lines.contains_key(of), "{name}.{}: {of}", field.name);
                }
            }
        }
    }

    #[test]
    fn fields_and_values_by_number() {
        let all = Descriptors::default();
        let switch = all.message("SchedSwitchFtraceEvent").unwrap();
        let field = switch.field(5).unwrap();
        assert_eq!(
            (field.name, field.kind, field.repeated),
            ("next_comm", Kind::Text, false)
        );
        assert!(switch.field(99).is_none());
        assert_eq!(all.enum_name("TrackEvent.Type", 2), Some("TYPE_SLICE_END"));
        assert_eq!(all.enum_name("TrackEvent.Type", 77), None);
    }
}
