//! Lists of columns as texts, such as `(cpu, name)`.

use rusqlite::types::ValueRef;

use crate::operators::failure::Failure;

/// The names in a list.
///
/// # Errors
///
/// If the value is not a text.
pub(crate) fn names(value: Option<&ValueRef<'_>>) -> Result<Vec<String>, Failure> {
    let text = match value {
        Some(ValueRef::Text(text)) => String::from_utf8_lossy(text),
        _ => return Err(Failure::refused("the list of columns is no text")),
    };
    let list = text.trim_matches(['(', ')', ' ', '\n', '\t']);
    let names = list
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty());
    Ok(names.map(str::to_owned).collect())
}

/// The names of the columns, from rows that list each name before its value.
///
/// # Errors
///
/// If a name is not a text.
pub(super) fn of_row<'a>(row: &[&'a [u8]]) -> Result<Vec<&'a str>, Failure> {
    let names = row
        .iter()
        .step_by(2)
        .map(|cell| crate::operators::rows::text(cell));
    let names: Option<Vec<&str>> = names.collect();
    names.ok_or_else(|| Failure::refused("the name of a column is no text"))
}

/// The values of such a row.
pub(super) fn values<'a, 'r>(row: &'r [&'a [u8]]) -> impl Iterator<Item = &'a [u8]> + use<'a, 'r> {
    row.iter().skip(1).step_by(2).copied()
}
