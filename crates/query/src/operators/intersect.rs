//! `__intrinsic_interval_intersect(t0, t1, …)`: the overlaps of intervals from all tables, within each partition.
//!
//! The rows of a table are `id, ts, dur` and the values that identify the partition.

use rusqlite::types::ValueRef;
use rustc_hash::FxHashMap;

use super::failure::Failure;
use super::meter::Meter;
use super::operator::{Cells, Operator};
use super::overlap::{Interval, pairs};
use super::rows::{Cell, Rows, cell, value};

/// The maximum number of tables, as in Perfetto.
pub(super) const TABLES: usize = 15;
/// The maximum number of columns that can identify a partition, as in Perfetto.
pub(super) const KEYS: usize = 4;

/// The columns of the result.
pub(super) const COLUMNS: &[&str] = &[
    "ts", "dur", "id_0", "id_1", "id_2", "id_3", "id_4", "id_5", "id_6", "id_7", "id_8", "id_9",
    "id_10", "id_11", "id_12", "id_13", "id_14", "key_0", "key_1", "key_2", "key_3",
];

pub(super) fn operator() -> Operator {
    Operator::built_in(
        "__intrinsic_interval_intersect",
        COLUMNS,
        (1, TABLES),
        |tables, meter| {
            run(
                tables,
                number,
                |row| row.get(3..).unwrap_or_default().to_vec(),
                meter,
            )
        },
    )
}

/// The number of a cell. As in Perfetto, NULL is 0, and the fraction of a real number is left out.
fn number(cell: &[u8]) -> Option<i64> {
    match value(cell) {
        ValueRef::Null => Some(0),
        ValueRef::Integer(value) => Some(value),
        ValueRef::Real(value) => Some(value as i64),
        ValueRef::Text(_) | ValueRef::Blob(_) => None,
    }
}

fn too_many_keys() -> Failure {
    Failure::refused(format!("more than {KEYS} columns name the partition"))
}

/// The encoded values that identify a partition.
pub(super) type Key<'a> = Vec<&'a [u8]>;

/// A list of intervals. Each belongs to a row of ids: one id for each table so far.
#[derive(Default)]
struct List {
    intervals: Vec<Interval>,
    ids: Vec<i64>,
}

/// The intervals of a partition, by table.
type Partition = Vec<List>;

/// Intersects tables. `number` returns the number of `id`, `ts` or `dur`, and `key` the values of a row that name its
/// partition.
pub(super) fn run<'a>(
    tables: &[ValueRef<'a>],
    number: fn(&[u8]) -> Option<i64>,
    key: impl for<'r> Fn(&'r [&'a [u8]]) -> Key<'a>,
    meter: &mut Meter,
) -> Result<Cells, Failure> {
    let mut numbers: FxHashMap<Key<'a>, usize> = FxHashMap::default();
    let mut partitions: Vec<(Key<'a>, Partition)> = Vec::new();
    for (table, rows) in tables.iter().enumerate() {
        let mut rows = Rows::of(*rows)?;
        let mut row = Vec::new();
        while rows.next_row(&mut row)? {
            let (id, start, end) = interval(&row, number)?;
            let key = key(&row);
            if key.len() > KEYS {
                return Err(too_many_keys());
            }
            meter.grow(64 + key.len() * 16)?;
            let number = *numbers.entry(key.clone()).or_insert_with(|| {
                partitions.push((key, Partition::default()));
                partitions.len() - 1
            });
            let Some((_, lists)) = partitions.get_mut(number) else {
                continue;
            };
            lists.resize_with(lists.len().max(table + 1), List::default);
            if let Some(list) = lists.get_mut(table) {
                let of = list.ids.len();
                list.ids.push(id);
                list.intervals.push(Interval { start, end, of });
            }
        }
    }
    let mut out = Cells::new();
    for (key, lists) in partitions {
        if lists.len() == tables.len() {
            write(
                &key,
                intersect(lists, meter)?,
                tables.len(),
                meter,
                &mut out,
            )?;
        }
    }
    Ok(out)
}

/// The id, the start and the end of a row.
fn interval(row: &[&[u8]], number: fn(&[u8]) -> Option<i64>) -> Result<(i64, i64, i64), Failure> {
    let number = |at: usize| row.get(at).and_then(|cell| number(cell));
    let (Some(id), Some(ts), Some(dur)) = (number(0), number(1), number(2)) else {
        return Err(Failure::refused(
            "id, ts and dur of an interval must be integers or NULL",
        ));
    };
    if dur < 0 {
        let message = format!("the interval with the id {id} has the negative duration {dur}");
        return Err(Failure::refused(message));
    }
    Ok((id, ts, ts.saturating_add(dur)))
}

/// Intersects the lists one after the other.
fn intersect(lists: Partition, meter: &mut Meter) -> Result<List, Failure> {
    let mut lists = lists.into_iter();
    let mut all = lists.next().unwrap_or_default();
    sort(&mut all);
    for (width, mut list) in (1..).zip(lists) {
        sort(&mut list);
        let mut both = List::default();
        let mut count = 0;
        pairs(
            &all.intervals,
            &list.intervals,
            meter,
            |meter, (start, end), left, right| {
                meter.grow(size_of::<Interval>() + 8 * (width + 1))?;
                both.intervals.push(Interval {
                    start,
                    end,
                    of: count,
                });
                count += 1;
                let ids = all.ids.get(left * width..(left + 1) * width);
                both.ids.extend(ids.unwrap_or_default());
                both.ids.extend(list.ids.get(right));
                Ok(())
            },
        )?;
        sort(&mut both);
        all = both;
    }
    Ok(all)
}

fn sort(list: &mut List) {
    list.intervals.sort_by_key(|interval| interval.start);
}

/// Appends the rows of a partition.
fn write(
    key: &[&[u8]],
    list: List,
    width: usize,
    meter: &mut Meter,
    out: &mut Cells,
) -> Result<(), Failure> {
    let key: Vec<Cell> = key.iter().map(|bytes| cell(bytes)).collect();
    let key_bytes: usize = key.iter().map(Cell::bytes).sum();
    let nulls = |count: usize| std::iter::repeat_n(Cell::Null, count);
    for it in &list.intervals {
        meter.grow(key_bytes + (2 + TABLES + KEYS) * size_of::<Cell>())?;
        out.extend([it.start, it.end - it.start].map(Cell::Integer));
        let ids = list.ids.get(it.of * width..(it.of + 1) * width);
        out.extend(ids.unwrap_or_default().iter().copied().map(Cell::Integer));
        out.extend(nulls(TABLES - width));
        out.extend(key.iter().cloned());
        out.extend(nulls(KEYS - key.len()));
    }
    Ok(())
}
