//! Reads a table.

use std::rc::Rc;

use traceloom_trace::CHUNK_ROWS;

use super::bytes::Input;
use super::check::Seen;
use super::error::{ColumnsError, Result};
use super::group::{by_key, gather, scatter};
use super::pack::{Numbers, unpack};
use super::rule::Known;
use super::transform::{Transform, next_durations, undo};
use super::value::{AnyColumn, Kind, TEXT, Value};
use super::write::{least_row_bytes, needed_bytes, row_bytes};

/// A table's directory. Columns are unpacked on demand.
pub(crate) struct Table<'a> {
    pub name: &'a str,
    pub rows: usize,
    /// Its size in the block.
    bytes: usize,
    columns: Vec<Entry<'a>>,
    orders: Vec<(u8, Rc<Vec<u32>>)>,
    /// Columns that were restored from other columns.
    worked_out: Vec<(&'a str, Numbers)>,
}

#[derive(Clone, Copy)]
struct Entry<'a> {
    name: &'a str,
    ty: u8,
    key: u8,
    transform: u8,
    payload: &'a [u8],
}

impl<'a> Table<'a> {
    /// Reads the directory of the table at the front of `input`.
    pub fn open(input: &mut Input<'a>) -> Result<Self> {
        let whole = input.0.len();
        let mut table = Self {
            name: "a table",
            rows: 0,
            bytes: 0,
            columns: Vec::new(),
            orders: Vec::new(),
            worked_out: Vec::new(),
        };
        let name = input.text().ok_or_else(|| table.truncated("its name"))?;
        table.name = name;
        let rows = input.varint().ok_or_else(|| table.truncated("its rows"))?;
        table
            .directory(input)
            .ok_or_else(|| table.truncated("its columns"))?;
        table.bytes = whole - input.0.len();
        let row = table.columns.iter().map(|column| {
            let transform = Transform::from_code(column.transform).unwrap_or(Transform::Delta);
            row_bytes(column.ty, transform, column.payload)
        });
        let row = row.sum::<u64>().max(least_row_bytes(name));
        if rows >= u64::from(u32::MAX) || needed_bytes(rows, row) > table.bytes as u64 {
            return Err(table.too_many(rows));
        }
        table.rows = rows as usize;
        Ok(table)
    }

    fn too_many(&self, rows: u64) -> Box<ColumnsError> {
        Box::new(ColumnsError::TooManyRows {
            table: self.name.to_owned(),
            rows,
            bytes: self.bytes,
        })
    }

    /// Checks that rows of up to 20 bytes may become slices, which take four times as much memory.
    pub fn can_be_slices(&self) -> Result<()> {
        const FREE: usize = 400_000;
        const BYTES_A_ROW: usize = 5;
        if self.rows > FREE + self.bytes / BYTES_A_ROW {
            return Err(self.too_many(self.rows as u64));
        }
        Ok(())
    }

    fn directory(&mut self, input: &mut Input<'a>) -> Option<()> {
        let count = input.varint()?;
        // A column's entry has at least five bytes.
        if count > input.0.len() as u64 / 5 {
            return None;
        }
        let mut lengths = Vec::new();
        for _ in 0..count {
            self.columns.push(Entry {
                name: input.text()?,
                ty: input.byte()?,
                key: input.byte()?,
                transform: input.byte()?,
                payload: &[],
            });
            lengths.push(input.varint()?);
        }
        for (column, length) in self.columns.iter_mut().zip(lengths) {
            column.payload = input.bytes(length)?;
        }
        Some(())
    }

    #[cold]
    pub fn truncated(&self, inside: &'static str) -> Box<ColumnsError> {
        Box::new(ColumnsError::Truncated {
            table: self.name.to_owned(),
            inside,
        })
    }

    /// A column value out of range: the value and the allowed range.
    pub fn wrong(
        &self,
        column: &str,
        found: i64,
        expected: (&'static str, &'static str),
    ) -> Box<ColumnsError> {
        ColumnsError::wrong(self.name, column, found, expected)
    }

    fn entry(&self, name: &str, ty: u8) -> Result<Option<Entry<'a>>> {
        match self.columns.iter().find(|column| column.name == name) {
            Some(column) if column.ty != ty => {
                let expected = ("the type", "the one this table has");
                Err(self.wrong(name, column.ty.into(), expected))
            }
            column => Ok(column.copied()),
        }
    }

    /// Fills a column of the trace. Returns the range of its values.
    fn put(&mut self, known: &'static Known, column: &mut dyn AnyColumn) -> Result<Seen> {
        let read = self.read(known.name, column.kind(), known.missing)?;
        let seen = Seen {
            table: self.name.to_owned(),
            column: known,
            rows: self.rows,
            least: read.least,
            most: read.most,
        };
        seen.check_order(&read.numbers)?;
        match &read.numbers {
            Numbers::Each(numbers) if read.least < read.most => {
                let chunks = numbers.chunks(CHUNK_ROWS);
                chunks.for_each(|chunk| column.push_numbers(chunk));
            }
            Numbers::Small(numbers) if read.least < read.most => {
                let chunks = numbers.chunks(CHUNK_ROWS);
                let wide =
                    |chunk: &[i32]| -> Vec<i64> { chunk.iter().map(|&n| n.into()).collect() };
                chunks.for_each(|chunk| column.push_numbers(&wide(chunk)));
            }
            _ => column.repeat(read.least, self.rows),
        }
        Ok(seen)
    }

    /// A column's numbers; `missing` for every row if the table was written without the column.
    pub fn values(&mut self, name: &str, kind: &Kind, missing: i64) -> Result<Vec<i64>> {
        Ok(self.read(name, kind, missing)?.numbers.each(self.rows))
    }

    /// A column's numbers, checked against the range of its kind.
    fn read(&mut self, name: &str, kind: &Kind, missing: i64) -> Result<Read> {
        let known = self.worked_out.iter().position(|(known, _)| *known == name);
        let numbers = match (known, self.entry(name, kind.code)?) {
            (Some(at), _) => self.worked_out.swap_remove(at).1,
            (None, Some(entry)) => self.numbers(entry)?,
            (None, None) => Numbers::Same(missing),
        };
        let (least, most) = numbers.extremes();
        for number in [least, most] {
            if !(kind.least..=kind.most).contains(&number) {
                return Err(self.wrong(name, number, ("a value", "one of its type")));
            }
        }
        Ok(Read {
            numbers,
            least,
            most,
        })
    }

    /// The numbers of a required column in another order.
    pub fn in_order(&mut self, name: &'static str, kind: &Kind, order: &[u32]) -> Result<Vec<i64>> {
        if !self.has(name) {
            return Err(self.truncated(name));
        }
        Ok(gather(&self.values(name, kind, 0)?, order))
    }

    /// The numbers of a required column of `u32` in another order, as `i32`. The column is kept in row order for later
    /// readers.
    pub fn small_in_order(&mut self, name: &'static str, order: &[u32]) -> Result<Vec<i32>> {
        if !self.has(name) {
            return Err(self.truncated(name));
        }
        let numbers = self.read(name, &u32::KIND, 0)?.numbers;
        let ordered = match &numbers {
            Numbers::Small(values) => gather(values, order),
            other => order
                .iter()
                .map(|&row| other.at(row as usize) as i32)
                .collect(),
        };
        self.worked_out.push((name, numbers));
        Ok(ordered)
    }

    /// Sets the numbers of a column that was restored from several others.
    pub fn work_out(&mut self, name: &'static str, numbers: Vec<i64>) {
        // They wait here while other columns are restored, and most of them are small.
        self.worked_out.push((name, Numbers::smallest(numbers)));
    }

    /// As [`work_out`](Self::work_out), for numbers that are small.
    pub fn work_out_small(&mut self, name: &'static str, numbers: Vec<i32>) {
        self.worked_out.push((name, Numbers::Small(numbers)));
    }

    /// Sets the order of the columns whose key follows from other columns.
    pub fn set_order(&mut self, key: u8, order: Vec<u32>) {
        self.orders.push((key, Rc::new(order)));
    }

    /// Whether the column exists.
    pub fn has(&self, name: &str) -> bool {
        self.columns.iter().any(|column| column.name == name)
    }

    /// The payload of a column with this transform. Used for columns that are restored together.
    pub fn payload(
        &self,
        name: &str,
        kind: &Kind,
        transform: Transform,
    ) -> Result<Option<&'a [u8]>> {
        let entry = self.entry(name, kind.code)?;
        let wanted = entry.filter(|entry| entry.transform == transform as u8);
        Ok(wanted.map(|entry| entry.payload))
    }

    fn numbers(&mut self, entry: Entry<'a>) -> Result<Numbers> {
        let transform = Transform::from_code(entry.transform).ok_or_else(|| {
            let found = entry.transform.into();
            self.wrong(entry.name, found, ("the transform", "a known one"))
        })?;
        let rows = self.rows;
        let numbers = match transform {
            Transform::Next => self.next(entry)?,
            // Callers combine these from several columns.
            Transform::Nest | Transform::Parent => None,
            simple => undo(simple, &mut Input(entry.payload), rows),
        };
        let mut numbers = numbers.ok_or_else(|| self.truncated("a column"))?;
        let (Numbers::Each(values), key @ 1..) = (&mut numbers, entry.key) else {
            return Ok(numbers);
        };
        let order = self.order(key)?;
        // Both orders are in memory at once, so they should be small.
        Ok(match Numbers::smallest(std::mem::take(values)) {
            Numbers::Each(values) => Numbers::Each(scatter(&values, &order)),
            Numbers::Small(values) => Numbers::Small(scatter(&values, &order)),
            same => same,
        })
    }

    /// Durations that extend to the next row with the same key.
    fn next(&mut self, entry: Entry<'a>) -> Result<Option<Numbers>> {
        let ts = self.entry("ts", i64::KIND.code)?;
        let ts = ts.filter(|ts| ts.transform < Transform::Next as u8);
        let ts = ts.map(|ts| self.numbers(ts)).transpose()?;
        let ts = ts.unwrap_or(Numbers::Same(0)).each(self.rows);
        let keys = self.key_numbers(entry.key)?;
        let order = self.order(entry.key)?;
        let (ts, keys) = (gather(&ts, &order), gather(&keys, &order));
        let durs = next_durations(&mut Input(entry.payload), &ts, &keys);
        Ok(durs.map(Numbers::Each))
    }

    /// The numbers of the column that orders others.
    fn key_numbers(&mut self, key: u8) -> Result<Vec<i64>> {
        let entry = usize::from(key)
            .checked_sub(1)
            .and_then(|at| self.columns.get(at));
        let simple = entry
            .copied()
            .filter(|entry| entry.key == 0 && entry.ty != TEXT);
        let Some(entry) = simple.filter(|entry| entry.transform < Transform::Next as u8) else {
            let expected = ("its place", "a column in the order of rows");
            return Err(self.wrong("key", key.into(), expected));
        };
        Ok(self.numbers(entry)?.each(self.rows))
    }

    /// The rows in the order of a key.
    fn order(&mut self, key: u8) -> Result<Rc<Vec<u32>>> {
        let known = self.orders.iter().position(|(known, _)| *known == key);
        let at = match known {
            Some(at) => at,
            None => {
                let keys = self.key_numbers(key)?;
                self.orders.push((key, Rc::new(by_key(&keys))));
                self.orders.len() - 1
            }
        };
        Ok(Rc::clone(&self.orders[at].1))
    }

    /// The rows in the order of the column with this name.
    pub fn order_of(&mut self, name: &str) -> Result<Rc<Vec<u32>>> {
        let place = self.columns.iter().position(|column| column.name == name);
        // No column has the key 0.
        let key = place.and_then(|place| u8::try_from(place + 1).ok());
        self.order(key.unwrap_or(0))
    }

    /// A column of texts; empty texts if the column is missing.
    pub fn texts(&mut self, name: &str) -> Result<Vec<&'a str>> {
        let Some(entry) = self.entry(name, TEXT)? else {
            return Ok(vec![""; self.rows]);
        };
        let mut input = Input(entry.payload);
        let lengths = unpack(&mut input, self.rows).ok_or_else(|| self.truncated("a text"))?;
        let whole = std::str::from_utf8(input.0).map_err(|_| {
            Box::new(ColumnsError::Text {
                table: self.name.to_owned(),
                column: name.to_owned(),
            })
        })?;
        let mut rest = whole;
        // Bounded: a table with more rows than its block can hold was rejected when it was opened.
        let mut texts = Vec::with_capacity(self.rows);
        for length in lengths.each(self.rows) {
            let length = usize::try_from(length).unwrap_or(usize::MAX);
            let cut = rest.split_at_checked(length);
            let (text, after) = cut.ok_or_else(|| self.truncated("a text"))?;
            texts.push(text);
            rest = after;
        }
        Ok(texts)
    }
}

/// Fills the columns of a table, up to the first error.
pub(crate) struct Filler<'f, 'a> {
    pub table: &'f mut Table<'a>,
    /// Columns that are checked later.
    pub seen: &'f mut Vec<Seen>,
    pub result: Result<()>,
}

impl Filler<'_, '_> {
    /// Reads the next column.
    pub fn column(&mut self, known: &'static Known, column: &mut dyn AnyColumn) {
        if self.result.is_ok() {
            let put = self.table.put(known, column);
            self.result = put.map(|seen| self.seen.push(seen));
        }
    }
}

/// The numbers of a column, with the smallest and the largest number.
struct Read {
    numbers: Numbers,
    least: i64,
    most: i64,
}
