//! Reads the JSON of a manifest.

use serde_json::{Map, Value};

use super::{Clock, File, Manifest, Relation, TimeLine};

/// The clocks that can be named, with their numbers in Perfetto (`builtin_clock.proto`).
const CLOCKS: &[(&str, Clock)] = &[
    ("REALTIME", 1),
    ("REALTIME_COARSE", 2),
    ("MONOTONIC", 3),
    ("MONOTONIC_COARSE", 4),
    ("MONOTONIC_RAW", 5),
    ("BOOTTIME", 6),
];

type Fields = Map<String, Value>;

/// A value, or the reason why it is rejected.
type Read<T> = Result<T, String>;

impl Manifest {
    /// Reads the fields without checking whether they are consistent.
    pub(super) fn from_json(text: &[u8]) -> Read<Self> {
        let text = text.trim_ascii_start();
        let root: Value = serde_json::from_slice(text).map_err(|error| error.to_string())?;
        let fields = root.get("perfetto_manifest").and_then(Value::as_object);
        let fields = fields.ok_or("the value of perfetto_manifest is not an object")?;
        version(fields.get("version"))?;
        Ok(Self {
            trace_time: fields.get("trace_time").map(time_line).transpose()?,
            files: list(fields, "files", file)?,
            attributes: fields
                .get("attributes")
                .map_or(Ok(Vec::new()), attributes)?,
        })
    }
}

fn version(version: Option<&Value>) -> Read<()> {
    let version = version.ok_or("the field version is missing")?;
    match version.as_i64() {
        Some(1) => Ok(()),
        Some(other) => Err(format!(
            "version {other} is not supported; the only one is 1"
        )),
        None => Err(format!("version is {version}; expected an integer")),
    }
}

fn time_line(value: &Value) -> Read<TimeLine> {
    let fields = object(value, "trace_time")?;
    let named = fields
        .get("clock")
        .ok_or("the field trace_time.clock is missing")?;
    Ok(TimeLine {
        clock: clock(named)?,
        file: optional(fields, "file")?,
        machine: optional(fields, "machine")?,
    })
}

fn file(value: &Value) -> Read<File> {
    let fields = object(value, "files")?;
    let machine = fields.get("machine").map(machine).transpose()?;
    if machine.is_some() && fields.contains_key("machines") {
        return Err("a file has both machine and machines; expected one of them".to_owned());
    }
    Ok(File {
        path: text(fields, "path")?,
        machine,
        machines: list(fields, "machines", numbered)?,
        clocks: fields.get("clocks").map(relation).transpose()?,
    })
}

fn machine(value: &Value) -> Read<String> {
    name(object(value, "machine")?)
}

/// A machine with its number in the packets.
fn numbered(value: &Value) -> Read<(u32, String)> {
    let fields = object(value, "machines")?;
    let id = fields.get("id").ok_or("the field machines.id is missing")?;
    let number = id.as_u64().and_then(|id| u32::try_from(id).ok());
    let number =
        number.ok_or_else(|| format!("machines.id is {id}; expected 0 to {}", u32::MAX))?;
    Ok((number, name(fields)?))
}

fn name(fields: &Fields) -> Read<String> {
    let name = text(fields, "name")?;
    if name.is_empty() {
        return Err("the name of a machine is empty".to_owned());
    }
    Ok(name)
}

fn relation(value: &Value) -> Read<Relation> {
    let fields = object(value, "clocks")?;
    let to = fields
        .get("sync_to")
        .ok_or("the field clocks.sync_to is missing")?;
    let to = object(to, "clocks.sync_to")?;
    let offset = fields.get("offset_ns").unwrap_or(&Value::Null);
    let offset_ns = match offset {
        Value::Null if !fields.contains_key("offset_ns") => Some(0),
        offset => offset.as_i64().filter(|offset| *offset != i64::MIN),
    };
    Ok(Relation {
        clock: fields.get("clock").map(clock).transpose()?,
        machine: optional(fields, "machine")?,
        to_file: text(to, "file")?,
        to_machine: optional(to, "machine")?,
        to_clock: to.get("clock").map(clock).transpose()?,
        offset_ns: offset_ns.ok_or_else(|| {
            format!("clocks.offset_ns is {offset}; expected an integer of 64 bits")
        })?,
    })
}

/// Numbers become text, because facts about a trace are text.
fn attributes(value: &Value) -> Read<Vec<(String, String)>> {
    let attribute = |(key, value): (&String, &Value)| {
        let text = match value {
            _ if key.is_empty() => return Err("the key of an attribute is empty".to_owned()),
            Value::String(text) => text.clone(),
            Value::Number(number) if !number.is_f64() => number.to_string(),
            _ => {
                return Err(format!(
                    "the attribute {key} is {value}; expected a string or an integer"
                ));
            }
        };
        Ok((key.clone(), text))
    };
    let fields = object(value, "attributes")?;
    fields.iter().map(attribute).collect()
}

fn clock(value: &Value) -> Read<Clock> {
    let name = value.as_str().unwrap_or_default();
    let known = CLOCKS.iter().find(|(known, _)| *known == name);
    known.map(|(_, number)| *number).ok_or_else(|| {
        let names: Vec<&str> = CLOCKS.iter().map(|(name, _)| *name).collect();
        format!("there is no clock {value}; expected {}", names.join(", "))
    })
}

fn object<'v>(value: &'v Value, name: &str) -> Read<&'v Fields> {
    let fields = value.as_object();
    fields.ok_or_else(|| format!("{name} is {value}; expected an object"))
}

/// The objects of an optional array.
fn list<T>(fields: &Fields, name: &str, item: impl Fn(&Value) -> Read<T>) -> Read<Vec<T>> {
    let Some(value) = fields.get(name) else {
        return Ok(Vec::new());
    };
    let items = value.as_array();
    let items = items.ok_or_else(|| format!("{name} is {value}; expected an array"))?;
    items.iter().map(item).collect()
}

fn text(fields: &Fields, name: &str) -> Read<String> {
    optional(fields, name)?.ok_or_else(|| format!("the field {name} is missing"))
}

fn optional(fields: &Fields, name: &str) -> Read<Option<String>> {
    let Some(value) = fields.get(name) else {
        return Ok(None);
    };
    let text = value.as_str().map(|text| Some(text.to_owned()));
    text.ok_or_else(|| format!("{name} is {value}; expected a string"))
}
