//! A table that queries read: its declaration, the trace, and the orders built so far.

use std::sync::{Arc, OnceLock};

use super::interval::Interval;
use super::order::{Order, order_by};
use crate::schema::{Affinity, Cell, Column, Data, Table};

/// How the rows with a given value in a column are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// The value is the row's number.
    RowNumber,
    /// The values increase from row to row.
    Sorted,
    /// Through an order of the rows.
    Ordered,
    /// Only by reading all rows.
    Scan,
}

/// A table of a trace.
#[derive(Debug)]
pub(crate) struct Source {
    pub data: Arc<Data>,
    pub table: &'static Table,
    /// The number of rows.
    pub rows: usize,
    orders: Vec<OnceLock<Order>>,
    is_sorted: Vec<OnceLock<bool>>,
}

impl Source {
    pub fn new(data: Arc<Data>, table: &'static Table) -> Self {
        let rows = (table.rows)(&data);
        Self::with_rows(data, table, rows)
    }

    /// A table with this number of rows.
    pub fn with_rows(data: Arc<Data>, table: &'static Table, rows: usize) -> Self {
        Self {
            rows,
            data,
            table,
            orders: table.columns.iter().map(|_| OnceLock::new()).collect(),
            is_sorted: table.columns.iter().map(|_| OnceLock::new()).collect(),
        }
    }

    /// A value. The row must exist; a column that does not exist is NULL.
    #[inline]
    pub fn cell(&self, column: usize, row: usize) -> Cell {
        match self.table.columns.get(column) {
            Some(column) => column.get(&self.data, row),
            None => Cell::Null,
        }
    }

    /// How to find values of a column; `None` is the row's number.
    pub fn access(&self, column: Option<usize>) -> Access {
        let Some((at, column)) = column.and_then(|at| Some((at, self.table.columns.get(at)?)))
        else {
            return Access::RowNumber;
        };
        if column.is_row_number() {
            Access::RowNumber
        } else if column.is_sorted && self.rises(at, column) {
            Access::Sorted
        } else if column.kind.affinity() == Affinity::Real {
            Access::Scan
        } else {
            Access::Ordered
        }
    }

    /// Whether the values of a column really increase, and none is absent.
    fn rises(&self, at: usize, column: &Column) -> bool {
        let check = || {
            let mut cells = (0..self.rows).map(|row| column.get(&self.data, row));
            let mut last = i64::MIN;
            cells.all(|cell| match cell {
                Cell::Int(value) => std::mem::replace(&mut last, value) <= value,
                _ => false,
            })
        };
        *self.is_sorted[at].get_or_init(check)
    }

    /// Whether a column is compared as text.
    pub fn is_text(&self, column: Option<usize>) -> bool {
        let column = column.and_then(|at| self.table.columns.get(at));
        column.is_some_and(|column| column.kind.affinity() == Affinity::Text)
    }

    /// The rows in the order of a column.
    pub fn order(&self, column: usize) -> Option<Order> {
        let declared = self.table.columns.get(column)?;
        let order = self.orders[column].get_or_init(|| order_by(&self.data, declared, self.rows));
        Some(order.clone())
    }
}

/// Rows that a query visits one after the other: a range in table order, or in another order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    order: Option<Order>,
    start: usize,
    end: usize,
    is_reversed: bool,
}

impl Rows {
    /// All rows of a table.
    pub fn all(source: &Source, order: Option<Order>, is_reversed: bool) -> Self {
        Self {
            order,
            start: 0,
            end: source.rows,
            is_reversed,
        }
    }

    /// The number of remaining rows.
    pub fn len(&self) -> usize {
        self.end - self.start
    }

    /// The current row; `None` at the end.
    #[inline]
    pub fn current(&self) -> Option<usize> {
        if self.start == self.end {
            return None;
        }
        let at = if self.is_reversed {
            self.end - 1
        } else {
            self.start
        };
        Some(self.row(at))
    }

    /// Moves to the next row.
    #[inline]
    pub fn advance(&mut self) {
        if self.is_reversed {
            self.end = self.end.saturating_sub(1).max(self.start);
        } else {
            self.start = (self.start + 1).min(self.end);
        }
    }

    #[inline]
    fn row(&self, at: usize) -> usize {
        match &self.order {
            Some(order) => order[at] as usize,
            None => at,
        }
    }

    /// Removes all rows.
    pub fn clear(&mut self) {
        self.end = self.start;
    }

    /// Keeps the rows whose value in `column` is in the interval; `None` means the row's number. The values must
    /// increase from row to row.
    pub fn narrow(&mut self, source: &Source, column: Option<usize>, (low, high): Interval) {
        if low > high {
            return self.clear();
        }
        let value = |row| match column {
            None => Some(row as i64),
            Some(column) => match source.cell(column, row) {
                Cell::Int(value) => Some(value),
                _ => None,
            },
        };
        self.keep(|row| value(row) < Some(low), |row| value(row) <= Some(high));
    }

    /// Keeps the rows with this text. They are in the order of the column.
    pub fn narrow_to_text(&mut self, source: &Source, column: usize, text: &str) {
        let value = |row| match source.cell(column, row) {
            Cell::Text(id) => Some(source.data.get(id)),
            _ => None,
        };
        self.keep(
            |row| value(row) < Some(text),
            |row| value(row) <= Some(text),
        );
    }

    /// Removes rows at both ends: the first ones, for which `before` holds, and the last ones, for which `until` does
    /// not hold.
    fn keep(&mut self, before: impl Fn(usize) -> bool, until: impl Fn(usize) -> bool) {
        let start = self.first_without(self.start, &before);
        self.end = self.first_without(start, &until);
        self.start = start;
    }

    /// The first position from `low` on at which `holds` is false. It must be true for all positions before that.
    fn first_without(&self, mut low: usize, holds: &dyn Fn(usize) -> bool) -> usize {
        let mut high = self.end;
        while low < high {
            let middle = low.midpoint(high);
            if holds(self.row(middle)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}
