//! Functions that read the trace.

use std::sync::Arc;

use rusqlite::Connection;
use rusqlite::functions::Context;
use rusqlite::types::{Value, ValueRef};
use traceloom_trace::{ArgSetId, ArgValue, StringId};

use super::flags::PURE;
use crate::schema::{Cell, Data, FactValue};

pub(super) fn register(connection: &Connection, data: &Arc<Data>) -> rusqlite::Result<()> {
    let (start, end) = data.trace.bounds;
    let bounds = [
        ("trace_start", start),
        ("trace_end", end),
        ("trace_dur", end.saturating_sub(start)),
    ];
    for (name, value) in bounds {
        connection.create_scalar_function(name, 0, PURE, move |_| Ok(value))?;
    }
    metadata(connection, data)?;
    let data = data.clone();
    connection.create_scalar_function("extract_arg", 2, PURE, move |context| {
        Ok(extract_arg(&data, context).unwrap_or(Value::Null))
    })
}

/// `extract_metadata(name)`, and the same for a machine or a trace, of which there is one: number 0.
fn metadata(connection: &Connection, data: &Arc<Data>) -> rusqlite::Result<()> {
    let functions = [
        ("extract_metadata", 1),
        ("extract_metadata_for_machine", 2),
        ("extract_metadata_for_trace", 2),
        ("extract_exact_metadata", 3),
    ];
    for (name, count) in functions {
        let data = data.clone();
        connection.create_scalar_function(name, count, PURE, move |context| {
            let last = context.len().saturating_sub(1);
            let mut numbers = (0..last).map(|at| context.get_raw(at));
            let is_first = numbers.all(|number| number == ValueRef::Integer(0));
            Ok(extract_metadata(&data, context.get_raw(last)).filter(|_| is_first))
        })?;
    }
    Ok(())
}

/// The first fact of a name; `None` if there is none.
fn extract_metadata(data: &Data, name: ValueRef<'_>) -> Option<Value> {
    let name = name.as_str().ok()?;
    let fact = data.facts.iter().find(|fact| data.get(fact.name) == name)?;
    Some(match fact.value {
        FactValue::Number(value) => Value::Integer(value),
        FactValue::Text(id) => Value::Text(data.get(id).to_owned()),
    })
}

/// The value of an argument: `extract_arg(arg_set_id, key)`. `None` if there is none.
fn extract_arg(data: &Data, context: &Context<'_>) -> Option<Value> {
    let set = match context.get_raw(0) {
        ValueRef::Integer(set) => u32::try_from(set).ok()?,
        _ => return None,
    };
    let key = match context.get_raw(1) {
        ValueRef::Text(key) => std::str::from_utf8(key).ok()?,
        _ => return None,
    };
    if let Some(value) = data.dimension_value(set as usize, key) {
        return match value {
            Cell::Int(value) => Some(Value::Integer(value)),
            Cell::Float(value) => Some(Value::Real(value)),
            Cell::Text(StringId::NULL) | Cell::Null => None,
            Cell::Text(id) => Some(Value::Text(data.get(id).to_owned())),
        };
    }
    let args = &data.trace.args;
    let key = data.trace.strings.lookup(key)?;
    let (_, value) = args.set(ArgSetId(set)).find(|(known, _)| *known == key)?;
    Some(match value {
        ArgValue::Int(value) => Value::Integer(value),
        ArgValue::Hex(value) | ArgValue::Unsigned(value) => Value::Integer(value as i64),
        ArgValue::Bool(value) => Value::Integer(value.into()),
        ArgValue::Float(value) => Value::Real(value),
        ArgValue::Row(_, row) => Value::Integer(row.into()),
        ArgValue::Null => Value::Null,
        ArgValue::Text(id) | ArgValue::Json(id) => Value::Text(data.get(id).to_owned()),
    })
}
