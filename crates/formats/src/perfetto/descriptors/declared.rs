//! Messages and enums that the trace itself declares, for extensions of track events.
//!
//! ```text
//! ExtensionDescriptor    1: FileDescriptorSet      2: the same, compressed with gzip
//! FileDescriptorSet      1: FileDescriptorProto
//! FileDescriptorProto    2: package   4: messages  5: enums     7: extensions
//! DescriptorProto        1: name      2: fields    3: messages  4: enums    6: extensions
//! FieldDescriptorProto   1: name      2: extendee  3: number    4: label    5: type    6: name of the type
//! EnumDescriptorProto    1: name      2: values (1: name, 2: number)
//! ```
//! Sources: `protos/perfetto/trace/extension_descriptor.proto` and `descriptor.proto` of google/perfetto. Several
//! programs may declare the same file. Each copy adds the declarations that the others do not have.

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::wire::{Field, Fields, MOST_LEVELS};
use super::{Descriptors, FieldType, Kind, MessageType};

/// The maximum number of fields and values that are stored. Chrome declares some thousands.
const MOST: usize = 100_000;

/// The maximum length of a type or field name, bytes.
const LONGEST: usize = 200;

/// The package prefixes that the table omits from type names.
const PACKAGES: [&str; 3] = [
    "perfetto.protos.chrome_enums.",
    "perfetto.protos.",
    "com.android.internal.",
];

/// The table, and the declarations that the trace adds to it.
#[derive(Debug)]
pub(crate) struct Declared<'d> {
    pub table: &'d Descriptors,
    messages: FxHashMap<String, Vec<FieldType<'d>>>,
    enums: FxHashMap<String, Vec<(i64, &'d str)>>,
    /// The files read so far. Several programs may declare the same file.
    seen: FxHashSet<&'d [u8]>,
    left: usize,
    /// The number of declarations that were left out because they are invalid or a limit was reached.
    pub refused: u64,
}

impl<'d> Declared<'d> {
    pub fn new(table: &'d Descriptors) -> Self {
        Self {
            table,
            messages: FxHashMap::default(),
            enums: FxHashMap::default(),
            seen: FxHashSet::default(),
            left: MOST,
            refused: 0,
        }
    }

    /// Adds a `FileDescriptorSet`.
    pub fn add(&mut self, set: &'d [u8]) {
        for file in Fields::new(set).filter(|field| field.number == 1) {
            if !self.seen.insert(file.bytes()) {
                continue;
            }
            let package = text(file.fields(), 2).unwrap_or_default();
            for item in file.fields() {
                match item.number {
                    4 => self.add_message(package, item, 0),
                    5 => self.values(package, item),
                    7 => self.extension(package, item),
                    _ => {}
                }
            }
        }
    }

    /// The message with this name.
    pub fn message(&self, name: &str) -> Option<MessageType<'d>> {
        let added = self.messages.get(name);
        let Some(added) = added else {
            return self.table.message(name);
        };
        let mut fields = self.table.message(name).unwrap_or_default().0;
        fields.extend(added);
        Some(MessageType::new(fields))
    }

    /// The names of an enum's values.
    pub fn enum_names(&self, name: &str) -> FxHashMap<i64, &'d str> {
        let added = self.enums.get(name).into_iter().flatten().copied();
        let mut names: FxHashMap<_, _> = added.collect();
        for (value, name) in self.table.values(name) {
            names.insert(value, name);
        }
        names
    }

    fn add_message(&mut self, scope: &str, message: Field<'d>, level: u32) {
        let name = self.full_name(scope, message);
        let Some(name) = name.filter(|_| level < MOST_LEVELS) else {
            self.refused += 1;
            return;
        };
        for item in message.fields() {
            match item.number {
                2 => self.field(&name, item),
                3 => self.add_message(&name, item, level + 1),
                4 => self.values(&name, item),
                6 => self.extension(&name, item),
                _ => {}
            }
        }
    }

    /// Adds an extension field to a message that is declared elsewhere.
    fn extension(&mut self, scope: &str, field: Field<'d>) {
        let Some(extendee) = text(field.fields(), 2) else {
            self.refused += 1;
            return;
        };
        let of_package = || format!("{scope}.{extendee}");
        match extendee.strip_prefix('.') {
            Some(full) => self.field(full, field),
            None => self.field(&of_package(), field),
        }
    }

    /// Adds a field to the message with this full name.
    fn field(&mut self, message: &str, field: Field<'d>) {
        let Some(field) = field_type(field.fields()).filter(|_| self.left > 0) else {
            self.refused += 1;
            return;
        };
        self.left -= 1;
        let fields = self.messages.entry(type_name(message).to_owned());
        fields.or_default().push(field);
    }

    /// Adds the values of an enum.
    fn values(&mut self, scope: &str, values: Field<'d>) {
        let Some(name) = self.full_name(scope, values) else {
            self.refused += 1;
            return;
        };
        self.left -= 1;
        let known = self.enums.entry(type_name(&name).to_owned()).or_default();
        for value in values.fields().filter(|field| field.number == 2) {
            let number = value.fields().find(|field| field.number == 2);
            let Some(name) = text(value.fields(), 1).filter(|_| self.left > 0) else {
                self.refused += 1;
                continue;
            };
            self.left -= 1;
            known.push((number.map_or(0, |number| number.int32().into()), name));
        }
    }

    /// The full name of a type, including its scope. A message that only contains extensions may have no name.
    fn full_name(&self, scope: &str, of: Field<'d>) -> Option<String> {
        let has_name = of.fields().any(|field| field.number == 1);
        let name = if has_name { text(of.fields(), 1)? } else { "" };
        let full = if scope.is_empty() {
            name.to_owned()
        } else {
            format!("{scope}.{name}")
        };
        (self.left > 0 && full.len() <= LONGEST).then_some(full)
    }
}

/// The name and the fields of a single `DescriptorProto`. Invalid fields are left out.
pub(crate) fn lone_message(message: &[u8]) -> Option<(&str, MessageType<'_>)> {
    let name = text(Fields::new(message), 1)?;
    let fields = Fields::new(message).filter(|field| field.number == 2);
    let fields = fields.filter_map(|field| field_type(field.fields()));
    Some((name, MessageType::new(fields.take(MOST).collect())))
}

/// The full name of a type in the form that the table uses.
pub(crate) fn type_name(name: &str) -> &str {
    let name = name.strip_prefix('.').unwrap_or(name);
    let mut packages = PACKAGES.iter();
    let without = packages.find_map(|package| name.strip_prefix(package));
    without.unwrap_or(name)
}

/// The value of a text field, if it is a valid name.
fn text<'d>(mut fields: Fields<'d>, number: u32) -> Option<&'d str> {
    let name = fields.find(|field| field.number == number)?.bytes();
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
    let is_usual = !name.is_empty() && name.len() <= LONGEST && name.iter().all(is_name);
    std::str::from_utf8(name).ok().filter(|_| is_usual)
}

/// A `FieldDescriptorProto`.
fn field_type(fields: Fields<'_>) -> Option<FieldType<'_>> {
    const REPEATED: u64 = 3;
    let number = |wanted: u32| {
        let mut fields = fields.clone().filter(|field| field.number == wanted);
        fields.next().map(Field::uint)
    };
    let of = text(fields.clone(), 6).map(type_name);
    Some(FieldType {
        number: u32::try_from(number(3)?).ok()?,
        name: text(fields.clone(), 1)?,
        kind: kind(number(5), of)?,
        repeated: number(4) == Some(REPEATED),
    })
}

/// Converts a `FieldDescriptorProto.Type`. A missing type means a message.
fn kind(number: Option<u64>, of: Option<&str>) -> Option<Kind<'_>> {
    Some(match number.unwrap_or(11) {
        1 => Kind::Double,
        2 => Kind::Float,
        3 | 5 => Kind::Signed,
        4 | 13 => Kind::Unsigned,
        6 => Kind::Fixed64,
        7 => Kind::Fixed32,
        8 => Kind::Bool,
        9 => Kind::Text,
        11 => Kind::Message(of?),
        12 => Kind::Bytes,
        14 => Kind::Enum(of?),
        15 => Kind::SignedFixed32,
        16 => Kind::SignedFixed64,
        17 | 18 => Kind::Zigzag,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use testkit::Proto;

    use super::*;

    fn field(name: &str, number: i64, kind: i64) -> Proto {
        Proto::new().text(1, name).int(3, number).int(5, kind)
    }

    fn set(file: Proto) -> Proto {
        Proto::new().message(1, file.text(2, "perfetto.protos"))
    }

    fn names(declared: &Declared<'_>, message: &str) -> Vec<(u32, String)> {
        let known = declared.message(message).unwrap_or_default();
        let fields = known.0.iter();
        fields
            .map(|field| (field.number, field.name.to_owned()))
            .collect()
    }

    #[test]
    fn files_add_to_each_other_and_to_the_table() {
        let extension = |name, number| {
            let of = ".perfetto.protos.SourceLocation";
            field(name, number, 5).text(2, of)
        };
        let holder = |extension| Proto::new().message(6, extension);
        let inner = Proto::new()
            .text(1, "Inner")
            .message(2, field("deep", 1, 9));
        let outer = Proto::new().text(1, "Outer").message(3, inner);
        let first = set(Proto::new()
            .message(4, holder(extension("one", 900)))
            .message(4, outer));
        let second = set(Proto::new().message(7, extension("two", 901)));
        let again = set(Proto::new().message(7, extension("other", 2)));
        let table = Descriptors::default();
        let mut declared = Declared::new(&table);
        for set in [&first, &second, &again] {
            declared.add(set.bytes());
        }
        let all = names(&declared, "SourceLocation");
        let numbers: Vec<_> = all.iter().map(|(number, _)| *number).collect();
        assert_eq!(numbers, [1, 2, 3, 4, 900, 901]);
        assert_eq!(all[1].1, "file_name");
        assert_eq!(names(&declared, "Outer.Inner"), [(1, "deep".to_owned())]);
        assert_eq!(declared.refused, 0);
    }

    #[test]
    fn values_of_an_enum_are_those_of_the_table_and_of_the_trace() {
        let value = |name: &str, number| Proto::new().text(1, name).int(2, number);
        let values = Proto::new()
            .text(1, "ChromeAppState")
            .message(2, value("OTHER", 1))
            .message(2, value("NEW", -7));
        let set = set(Proto::new().message(5, values));
        let table = Descriptors::default();
        let mut declared = Declared::new(&table);
        declared.add(set.bytes());
        let names = declared.enum_names("ChromeAppState");
        assert_eq!(names.get(&-7), Some(&"NEW"));
        assert_eq!(names.get(&1), Some(&"APP_STATE_FOREGROUND"));
    }

    #[test]
    fn hostile_declarations_are_refused() {
        let table = Descriptors::default();
        let deep = (0..100).fold(Proto::new().text(1, "m"), |inner, _| {
            Proto::new().text(1, "m").message(3, inner)
        });
        let long = Proto::new().text(1, &"n".repeat(1 << 20));
        let strange = Proto::new().text(1, "a b").message(2, field("x", 1, 9));
        let without_type = Proto::new()
            .text(1, "Fine")
            .message(2, field("x", 1, 11))
            .message(2, field("y", 2, 99))
            .message(2, field("z", -1, 9));
        let file = [deep, long, strange, without_type]
            .into_iter()
            .fold(Proto::new(), |file, message| file.message(4, message));
        let set = set(file);
        let mut declared = Declared::new(&table);
        declared.add(set.bytes());
        assert_eq!(declared.refused, 6);
        let many = (0..MOST + 5).fold(Proto::new().text(1, "Many"), |message, _| {
            message.message(2, field("f", 1, 9))
        });
        let many = Proto::new().message(1, Proto::new().message(4, many));
        let mut declared = Declared::new(&table);
        declared.add(many.bytes());
        assert_eq!(declared.refused, 5);
    }
}
