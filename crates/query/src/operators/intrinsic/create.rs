//! `__intrinsic_interval_create(starts, ends)`: an interval from each start to the first end after it.

use rusqlite::types::ValueRef;

use super::table::Table;
use crate::operators::failure::Failure;
use crate::operators::meter::Meter;
use crate::operators::operator::Cells;
use crate::operators::rows::{Cell, Rows, integer};

pub(super) fn run(arguments: &[ValueRef<'_>], meter: &mut Meter) -> Result<Table, Failure> {
    let starts = times(arguments.first(), meter)?;
    let ends = times(arguments.get(1), meter)?;
    let mut ends = ends.into_iter().peekable();
    let mut cells = Cells::new();
    for start in starts {
        while ends.next_if(|end| *end <= start).is_some() {}
        let Some(end) = ends.peek() else { break };
        meter.grow(2 * size_of::<Cell>())?;
        cells.extend([start, end.saturating_sub(start)].map(Cell::Integer));
    }
    Ok(Table::new(&["ts", "dur"], cells))
}

/// The times of a table, in order.
fn times(table: Option<&ValueRef<'_>>, meter: &mut Meter) -> Result<Vec<i64>, Failure> {
    let mut rows = Rows::of(table.copied().unwrap_or(ValueRef::Null))?;
    let (mut row, mut times) = (Vec::new(), Vec::new());
    while rows.next_row(&mut row)? {
        meter.grow(size_of::<i64>())?;
        times.extend(row.first().and_then(|cell| integer(cell)));
    }
    times.sort_unstable();
    Ok(times)
}
