//! Functions that read the trace.

use std::sync::Arc;

use rusqlite::Connection;
use rusqlite::functions::Context;
use rusqlite::types::{Value, ValueRef};
use traceloom_trace::{ArgSetId, ArgValue, StringId};

use super::arguments::refused;
use super::flags::PURE;
use super::json::args_as_json;
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
    connection.create_scalar_function("run_metric", -1, PURE, |context| no_metrics(context))?;
    let of_json = data.clone();
    let name = "__intrinsic_arg_set_to_json";
    connection.create_scalar_function(name, 1, PURE, move |context| {
        Ok(match context.get_raw(0) {
            ValueRef::Integer(set) => u32::try_from(set)
                .ok()
                .filter(|set| (*set as usize) < of_json.trace.args.len())
                .filter(|set| of_json.is_set(*set as usize))
                .and_then(|set| args_as_json(&of_json, ArgSetId(set))),
            _ => None,
        })
    })?;
    let data = data.clone();
    connection.create_scalar_function("extract_arg", 2, PURE, move |context| {
        Ok(extract_arg(&data, context).unwrap_or(Value::Null))
    })
}

/// `RUN_METRIC(file, …)`: Perfetto's metrics of version 1 are not part of traceloom.
fn no_metrics(_: &Context<'_>) -> rusqlite::Result<Value> {
    Err(refused(
        "RUN_METRIC is not supported: traceloom has no metrics. The modules that INCLUDE PERFETTO MODULE names answer most of \
         their questions",
    ))
}

/// `extract_metadata(name)`, and its variants for a machine, for a trace, or for both.
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
            let number = |at| match context.get_raw(at) {
                ValueRef::Integer(number) => Some(number),
                _ => None,
            };
            let (machine, trace) = match name {
                "extract_metadata" => (None, None),
                "extract_metadata_for_machine" => (Some(number(0)), None),
                "extract_metadata_for_trace" => (None, Some(number(0))),
                _ => (Some(number(0)), Some(number(1))),
            };
            let name = context.get_raw(count as usize - 1);
            Ok(extract_metadata(&data, (machine, trace), name))
        })?;
    }
    Ok(())
}

/// The first fact with a name, and with a machine and a trace if they are given; `None` if there is none. A fact
/// without a machine or trace counts as a fact about the first one.
fn extract_metadata(
    data: &Data,
    (machine, trace): (Option<Option<i64>>, Option<Option<i64>>),
    name: ValueRef<'_>,
) -> Option<Value> {
    let name = name.as_str().ok()?;
    let fact = data.facts.iter().find(|fact| {
        machine.is_none_or(|machine| machine == Some(fact.machine.unwrap_or(0)))
            && trace.is_none_or(|trace| trace == Some(fact.trace.unwrap_or(0)))
            && data.get(fact.name) == name
    })?;
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
    if !data.is_set(set as usize) {
        return None;
    }
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
