//! Orders of a table's rows by one column, for lookups and groups. Each takes four bytes per row, and is built when a
//! query first uses it.

use std::sync::Arc;

use traceloom_trace::StringId;

use crate::schema::{Cell, Column, Data};

/// The rows of a table in the order of a column's values. Rows with equal values stay in table order.
pub(crate) type Order = Arc<[u32]>;

/// The order of `rows` rows by a column of whole numbers or texts; NULL comes first.
pub(crate) fn order_by(data: &Data, column: &Column, rows: usize) -> Order {
    let cells = || (0..rows).map(|row| column.get(data, row));
    let ranks = Ranks::of_texts(data, cells());
    let key = |cell: Cell| match cell {
        Cell::Int(value) => Some(value),
        Cell::Text(id) => Some(ranks.get(id)),
        Cell::Null | Cell::Float(_) => None,
    };
    let numbers = cells().filter_map(key);
    let (least, most) = numbers.fold((i64::MAX, i64::MIN), |(least, most), value| {
        (least.min(value), most.max(value))
    });
    let span = most
        .checked_sub(least)
        .and_then(|span| usize::try_from(span).ok());
    // One place for NULL, and one for each value. Without values, the span is negative.
    let places = match span {
        Some(span) => span.saturating_add(2),
        None if most < least => 1,
        None => usize::MAX,
    };
    if places > rows.saturating_mul(2).saturating_add(1 << 16) {
        return sorted(cells().map(key));
    }
    let place = |cell| key(cell).map_or(0, |value| (value - least) as usize + 1);
    counted(rows, places, |row| place(column.get(data, row)))
}

/// Sorts by comparison, because the values are far apart.
fn sorted(keys: impl Iterator<Item = Option<i64>>) -> Order {
    let mut keyed: Vec<(Option<i64>, u32)> = keys.zip(0..).collect();
    keyed.sort_unstable();
    keyed.into_iter().map(|(_, row)| row).collect()
}

/// Sorts by counting the rows at each place.
fn counted(rows: usize, places: usize, place: impl Fn(usize) -> usize) -> Order {
    let mut next = vec![0u32; places + 1];
    for row in 0..rows {
        next[place(row) + 1] += 1;
    }
    for place in 1..next.len() {
        next[place] += next[place - 1];
    }
    let mut order: Order = std::iter::repeat_n(0, rows).collect();
    if let Some(order) = Arc::get_mut(&mut order) {
        for row in 0..rows {
            let next = &mut next[place(row)];
            order[*next as usize] = row as u32;
            *next += 1;
        }
    }
    order
}

/// The position of each text among those of a column, sorted as SQLite's collation BINARY does.
struct Ranks(Vec<u32>);

impl Ranks {
    fn of_texts(data: &Data, cells: impl Iterator<Item = Cell>) -> Self {
        let mut used: Vec<StringId> = Vec::new();
        let mut ranks = Vec::new();
        for cell in cells {
            let Cell::Text(id) = cell else { continue };
            if ranks.is_empty() {
                ranks = vec![u32::MAX; data.texts()];
            }
            if std::mem::replace(&mut ranks[id.0 as usize], 0) == u32::MAX {
                used.push(id);
            }
        }
        used.sort_unstable_by(|&a, &b| data.get(a).cmp(data.get(b)));
        for (rank, id) in used.iter().enumerate() {
            ranks[id.0 as usize] = rank as u32;
        }
        Self(ranks)
    }

    fn get(&self, id: StringId) -> i64 {
        self.0[id.0 as usize].into()
    }
}
