//! Rows of analyses as tables: the fields of inner objects become columns.

use serde::Serialize;
use serde_json::{Map, Value as Json};
use traceloom_query::{ArrowRows, Output, Value, ValueRef};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arrow::Rows;

/// Makes a table of objects. A field `b` of an inner object `a` is the column `a_b`; lists are JSON texts. The columns
/// of all rows are united.
///
/// # Errors
/// If the rows are not objects.
pub(crate) fn table<T: Serialize>(rows: &[T]) -> PyResult<Rows> {
    let mut objects = Vec::with_capacity(rows.len());
    let mut names: Vec<String> = Vec::new();
    for row in rows {
        let mut object = Map::new();
        let json = serde_json::to_value(row).map_err(wrong)?;
        flatten("", json, &mut object);
        for name in object
            .keys()
            .filter(|name| !names.contains(name))
            .cloned()
            .collect::<Vec<_>>()
        {
            names.push(name);
        }
        objects.push(object);
    }
    let mut out = ArrowRows::new(u64::MAX);
    out.columns(&names).map_err(wrong)?;
    for object in objects {
        let values = names.iter().map(|name| cell(object.get(name)));
        let values: Vec<Value> = values.collect();
        let row: Vec<ValueRef<'_>> = values.iter().map(ValueRef::from).collect();
        out.row(&row).map_err(wrong)?;
    }
    Rows::of_result(out.into_result())
}

fn flatten(before: &str, value: Json, out: &mut Map<String, Json>) {
    match value {
        Json::Object(fields) => {
            for (name, value) in fields {
                let name = if before.is_empty() {
                    name
                } else {
                    format!("{before}_{name}")
                };
                flatten(&name, value, out);
            }
        }
        value => {
            out.insert(before.to_owned(), value);
        }
    }
}

fn cell(value: Option<&Json>) -> Value {
    match value {
        None | Some(Json::Null) => Value::Null,
        Some(Json::Bool(value)) => Value::Integer((*value).into()),
        Some(Json::String(text)) => Value::Text(text.clone()),
        Some(Json::Number(number)) => match number.as_i64() {
            Some(number) => Value::Integer(number),
            None => number.as_f64().map_or(Value::Null, Value::Real),
        },
        Some(other) => Value::Text(other.to_string()),
    }
}

fn wrong(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}
