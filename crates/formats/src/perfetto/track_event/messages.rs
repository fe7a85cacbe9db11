//! Converts messages to arguments. Their types are in the table or declared by the trace.

use rustc_hash::FxHashMap;
use traceloom_trace::ArgValue;

use super::super::descriptors::{FieldType, Kind, numbers};
use super::super::wire::{Field, Fields, MOST_LEVELS, Value};
use super::names::interned;
use super::writer::{Writer, unsigned};

/// The number of values so far of each repeated field of a message.
pub(super) type Places = FxHashMap<u32, u32>;

impl<'s> Writer<'_, 's> {
    /// Adds a field of a message of a known type. `prefix` is the key of the message.
    pub fn field(
        &mut self,
        (message, prefix): (&'s str, &str),
        field: Field<'s>,
        places: &mut Places,
        level: u32,
    ) {
        let Some(described) = self.types.field(message, field.number) else {
            return;
        };
        let FieldType { kind, name, .. } = described;
        if let (Kind::Message("DebugAnnotation"), Value::Bytes(annotation)) = (kind, field.value) {
            // The annotation contains its own name.
            return self.annotation(prefix, annotation, level + 1);
        }
        let Some(key) = self.inner(prefix, name) else {
            return;
        };
        let is_location = name == "creation_location_iid";
        if is_location && self.interned_source(prefix, field.uint(), None) {
            return;
        }
        if name == "mojo_interface_method_iid" && self.mojo_method(prefix, field.uint()) {
            return;
        }
        if let ("class_name", false, Value::Bytes(class)) = (name, described.repeated, field.value)
        {
            return self.class_name(&key, prefix, class);
        }
        let is_list = !matches!(kind, Kind::Message(_) | Kind::Text | Kind::Bytes);
        let job = match name {
            "job_name_iid" => self.names.text(interned::JOB_NAMES, field.uint()),
            _ => None,
        };
        if let (Some(job), Some(key)) = (job, self.inner(prefix, "job_name")) {
            return self.text(&key, job);
        }
        match field.value {
            Value::Bytes(packed) if described.repeated && is_list => {
                for bits in numbers(kind, packed) {
                    let value = self.scalar(kind, bits);
                    self.push(&numbered(&key, field.number, places), value);
                }
            }
            value if described.repeated => {
                let key = numbered(&key, field.number, places);
                self.typed(&key, kind, value, level);
            }
            value => self.typed(&key, kind, value, level),
        }
    }

    /// Adds a value with its complete key.
    fn typed(&mut self, key: &str, kind: Kind<'s>, value: Value<'s>, level: u32) {
        match (kind, value) {
            (Kind::Message(inner), Value::Bytes(bytes)) => self.message(key, inner, bytes, level),
            (kind, Value::Number(bits)) => {
                let value = self.scalar(kind, bits);
                self.push(key, value);
            }
            (Kind::Text | Kind::Bytes, Value::Bytes(text)) => self.text(key, text),
            _ => {}
        }
    }

    /// Adds the fields of a message.
    pub fn message(&mut self, key: &str, kind: &'s str, bytes: &'s [u8], level: u32) {
        if level >= MOST_LEVELS {
            return;
        }
        let mut places = Places::default();
        for field in Fields::new(bytes) {
            self.field((kind, key), field, &mut places, level + 1);
        }
    }

    fn scalar(&mut self, kind: Kind<'s>, bits: u64) -> ArgValue {
        match kind {
            Kind::Bool => ArgValue::Bool(bits != 0),
            Kind::Double => ArgValue::Float(f64::from_bits(bits)),
            Kind::Float => ArgValue::Float(f32::from_bits(bits as u32).into()),
            Kind::Zigzag => ArgValue::Int((bits >> 1) as i64 ^ -((bits & 1) as i64)),
            Kind::SignedFixed32 => ArgValue::Int((bits as i32).into()),
            Kind::Enum(of) => match self.types.enum_name(of, bits as i64) {
                Some(name) => ArgValue::Text(self.out.intern(name.as_bytes())),
                None => ArgValue::Int(bits as i64),
            },
            Kind::Unsigned | Kind::Fixed32 | Kind::Fixed64 => unsigned(bits),
            _ => ArgValue::Int(bits as i64),
        }
    }
}

/// The key of the next value of a repeated field.
fn numbered(key: &str, number: u32, places: &mut Places) -> String {
    let place = places.entry(number).or_insert(0);
    *place += 1;
    format!("{key}[{}]", *place - 1)
}
