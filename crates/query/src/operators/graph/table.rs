//! Tables of whole numbers.

use rusqlite::types::ValueRef;

use crate::operators::failure::Failure;
use crate::operators::rows::{Cell, Rows, integer};

/// Calls `each` with the whole numbers of each row; `None` stands for NULL.
pub(super) fn numbers<const WIDTH: usize>(
    table: Option<&ValueRef<'_>>,
    mut each: impl FnMut([Option<i64>; WIDTH]) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut rows = Rows::of(table.copied().unwrap_or(ValueRef::Null))?;
    let mut row = Vec::new();
    while rows.next_row(&mut row)? {
        if row.len() != WIDTH {
            return Err(Failure::refused(format!(
                "a table must have {WIDTH} columns here"
            )));
        }
        let mut numbers = [None; WIDTH];
        for (number, cell) in numbers.iter_mut().zip(&row) {
            *number = integer(cell);
            let is_null = cell.first() == Some(&0);
            if number.is_none() && !is_null {
                return Err(Failure::refused("nodes and groups must be whole numbers"));
            }
        }
        each(numbers)?;
    }
    Ok(())
}

/// A number, or NULL.
pub(super) fn cell(number: Option<i64>) -> Cell {
    number.map_or(Cell::Null, Cell::Integer)
}
