//! Writes a table: a directory of its columns, then their contents.
//!
//! ```text
//! table:   name, rows, number of columns, { name, type, key, transform, bytes } …, payloads …
//! ```
//! Numbers are LEB128; `key` is 0 for row order, otherwise 1 + the index of the ordering column.

use traceloom_trace::Column;

use super::bytes::{put_text, put_varint};
use super::group::{by_key, gather};
use super::pack::{is_same, pack};
use super::transform::{Transform, choose};
use super::value::{ORIGIN, TEXT, Value, numbers, width};

/// The key of columns whose order follows from other columns.
pub(crate) const DERIVED: u8 = 255;

/// A table that is being written.
pub(crate) struct TableWriter {
    name: &'static str,
    rows: usize,
    columns: Vec<Written>,
    /// Columns that order others: their index, and the rows in that order.
    orders: Vec<(usize, Vec<u32>)>,
}

struct Written {
    name: &'static str,
    ty: u8,
    key: u8,
    transform: Transform,
    payload: Vec<u8>,
}

impl TableWriter {
    pub fn new(name: &'static str, rows: usize) -> Self {
        Self {
            name,
            rows,
            columns: Vec::new(),
            orders: Vec::new(),
        }
    }

    /// Adds a column in the order of rows.
    pub fn column<T: Value>(&mut self, name: &'static str, column: &Column<T>) -> &mut Self {
        let (transform, payload) = choose_for(column, |column| numbers(column));
        self.raw(name, T::KIND.code, 0, transform, payload)
    }

    /// Adds a column that orders others.
    pub fn key<T: Value>(&mut self, name: &'static str, column: &Column<T>) -> &mut Self {
        let order = by_key(&numbers(column));
        self.orders.push((self.columns.len(), order));
        self.column(name, column)
    }

    /// Adds a column in the order of an earlier one.
    pub fn keyed<T: Value>(
        &mut self,
        name: &'static str,
        column: &Column<T>,
        key: &str,
    ) -> &mut Self {
        let (place, order) = self.order(key);
        let (transform, payload) = choose_for(column, |column| gather(&numbers(column), order));
        self.raw(name, T::KIND.code, place, transform, payload)
    }

    /// Adds a column in an order that the reader can derive.
    pub fn derived<T: Value>(
        &mut self,
        name: &'static str,
        column: &Column<T>,
        order: &[u32],
    ) -> &mut Self {
        let (transform, payload) = choose_for(column, |column| gather(&numbers(column), order));
        self.raw(name, T::KIND.code, DERIVED, transform, payload)
    }

    /// Adds numbers of a special type, in the order of rows.
    pub fn numbers(&mut self, name: &'static str, ty: u8, values: &[i64]) -> &mut Self {
        let (transform, payload) = choose(values, false);
        self.raw(name, ty, 0, transform, payload)
    }

    /// The position of a key in the written form, and the rows in its order.
    pub fn order(&self, key: &str) -> (u8, &[u32]) {
        let mut orders = self.orders.iter();
        let found = orders.find(|(column, _)| self.columns[*column].name == key);
        found.map_or((0, &[]), |(column, order)| (*column as u8 + 1, order))
    }

    /// Adds a packed column.
    pub fn raw(
        &mut self,
        name: &'static str,
        ty: u8,
        key: u8,
        transform: Transform,
        payload: Vec<u8>,
    ) -> &mut Self {
        self.columns.push(Written {
            name,
            ty,
            key,
            transform,
            payload,
        });
        self
    }

    /// Adds a column of texts: first their lengths, then the texts.
    pub fn text<'a>(
        &mut self,
        name: &'static str,
        texts: impl Iterator<Item = &'a str> + Clone,
    ) -> &mut Self {
        let lengths: Vec<i64> = texts.clone().map(|text| text.len() as i64).collect();
        let mut payload = pack(&lengths).bytes;
        texts.for_each(|text| payload.extend_from_slice(text.as_bytes()));
        self.raw(name, TEXT, 0, Transform::Plain, payload)
    }

    /// Appends the table to a block. A table without rows is omitted.
    pub fn finish(&mut self, block: &mut Vec<u8>) {
        if self.rows == 0 {
            return;
        }
        self.pad();
        put_text(block, self.name);
        put_varint(block, self.rows as u64);
        put_varint(block, self.columns.len() as u64);
        for column in &self.columns {
            put_text(block, column.name);
            block.extend([column.ty, column.key, column.transform as u8]);
            put_varint(block, column.payload.len() as u64);
        }
        for column in &self.columns {
            block.extend_from_slice(&column.payload);
        }
    }

    /// Readers limit the number of rows of a table by its size, see [`needed_bytes`]. A table that
    /// packs better is padded with an unknown column of zeros, which deflates to almost nothing.
    fn pad(&mut self) {
        let columns = self.columns.iter();
        let bytes: usize = columns.clone().map(|column| column.payload.len()).sum();
        let row_bytes =
            columns.map(|column| row_bytes(column.ty, column.transform, &column.payload));
        let row_bytes = row_bytes.sum::<u64>().max(least_row_bytes(self.name));
        let needed = needed_bytes(self.rows as u64, row_bytes);
        if needed > bytes as u64 {
            let padding = vec![0; (needed - bytes as u64) as usize];
            self.raw("padding", 0, 0, Transform::Plain, padding);
        }
    }
}

fn choose_for<T: Value>(
    column: &Column<T>,
    values: impl FnOnce(&Column<T>) -> Vec<i64>,
) -> (Transform, Vec<u8>) {
    match column.constant() {
        Some(value) => (Transform::Plain, pack(&[value.number()]).bytes),
        None => choose(&values(column), T::KIND.code == f64::KIND.code),
    }
}

/// Bytes in memory for each row of a column.
pub(crate) fn row_bytes(ty: u8, transform: Transform, payload: &[u8]) -> u64 {
    let is_same = transform == Transform::Plain && ty != TEXT && is_same(payload);
    match ty {
        0 => 0,
        _ if is_same && ty != ORIGIN.code => 0,
        _ => width(ty),
    }
}

/// The minimum that counts as the size of a row in memory, bytes. Rows of these tables take memory even if all of them
/// are equal, which does not happen in real traces. Larger values would reject reports of earlier versions.
pub(crate) fn least_row_bytes(table: &str) -> u64 {
    match table {
        "repairs" | "clocks" => 96,
        "sources" => 16,
        "strings" | "processes" | "threads" | "tracks" | "slices" | "methods" | "metadata" => 12,
        _ => 1,
    }
}

/// The minimum size of a table with this number of rows: a quarter of its size in memory, minus the
/// first megabyte. Decoding needs up to three times as much in addition.
pub(crate) fn needed_bytes(rows: u64, row_bytes: u64) -> u64 {
    const FREE: u64 = 1 << 20;
    const RATIO: u64 = 4;
    let memory = rows.saturating_mul(row_bytes);
    memory.saturating_sub(FREE).div_ceil(RATIO)
}
