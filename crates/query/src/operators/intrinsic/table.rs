//! A table that a function returns.

use std::borrow::Cow;

use crate::operators::operator::Cells;

/// A table: the names of its columns, and the cells row by row.
#[derive(Debug)]
pub(crate) struct Table {
    pub names: Vec<Cow<'static, str>>,
    pub cells: Cells,
}

impl Table {
    /// A table with these columns.
    pub fn new(names: &[&'static str], cells: Cells) -> Self {
        let names = names.iter().map(|name| (*name).into()).collect();
        Self { names, cells }
    }
}
