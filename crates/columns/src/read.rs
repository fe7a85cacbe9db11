//! Reading a table.

use traceloom_trace::Column;

use crate::bytes::Input;
use crate::error::ColumnsError;
use crate::group::{by_key, gather, scatter};
use crate::pack::{Numbers, unpack};
use crate::transform::{Transform, next_durations, undo};
use crate::value::{TEXT, Value};
use crate::write::{needed_bytes, row_bytes};

/// Takes the numbers of a column, and how many rows there are.
type Taker<'t> = dyn FnMut(Option<&Numbers>, usize) -> Result<(), i64> + 't;

/// A table's directory; columns are unpacked when they are asked for.
pub(crate) struct Table<'a> {
    pub name: &'a str,
    pub rows: usize,
    columns: Vec<Entry<'a>>,
    orders: Vec<(u8, Vec<u32>)>,
    /// What was wrong first with the columns that [`put`](Self::put) read.
    failed: Option<ColumnsError>,
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
    pub fn open(input: &mut Input<'a>) -> Result<Self, ColumnsError> {
        let whole = input.0.len();
        let mut table = Self {
            name: "a table",
            rows: 0,
            columns: Vec::new(),
            orders: Vec::new(),
            failed: None,
        };
        let name = input.text().ok_or_else(|| table.truncated("its name"))?;
        table.name = name;
        let rows = input.varint().ok_or_else(|| table.truncated("its rows"))?;
        table
            .directory(input)
            .ok_or_else(|| table.truncated("its columns"))?;
        let bytes = whole - input.0.len();
        let row = table.columns.iter().map(|column| {
            let transform = Transform::from_code(column.transform).unwrap_or(Transform::Delta);
            row_bytes(column.ty, transform, column.payload)
        });
        if rows >= u64::from(u32::MAX) || needed_bytes(rows, row.sum()) > bytes as u64 {
            return Err(ColumnsError::TooManyRows {
                table: name.to_owned(),
                rows,
                bytes,
            });
        }
        table.rows = rows as usize;
        Ok(table)
    }

    fn directory(&mut self, input: &mut Input<'a>) -> Option<()> {
        let count = input.varint()?;
        // A column's entry takes five bytes at least.
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

    pub fn truncated(&self, inside: &'static str) -> ColumnsError {
        ColumnsError::Truncated {
            table: self.name.to_owned(),
            inside,
        }
    }

    /// An error about a number in a column.
    pub fn wrong(
        &self,
        column: &str,
        what: &'static str,
        found: i64,
        expected: &'static str,
    ) -> ColumnsError {
        ColumnsError::Value {
            table: self.name.to_owned(),
            column: column.to_owned(),
            what,
            found,
            expected,
        }
    }

    fn entry(&self, name: &str, ty: u8) -> Result<Option<Entry<'a>>, ColumnsError> {
        match self.columns.iter().find(|column| column.name == name) {
            None => Ok(None),
            Some(column) if column.ty == ty => Ok(Some(*column)),
            Some(column) => {
                Err(self.wrong(name, "the type", column.ty.into(), "the one this table has"))
            }
        }
    }

    /// A column; `missing` in every row if a program that did not know it wrote the table.
    pub fn column<T: Value>(&mut self, name: &str, missing: T) -> Result<Column<T>, ColumnsError> {
        let mut column = Column::default();
        self.put(&mut column, name, missing);
        self.checked()?;
        Ok(column)
    }

    /// Reads a column to its place. What is wrong [`checked`](Self::checked) tells once for many:
    /// there are more columns than places that could do something about it.
    pub fn put<T: Value>(&mut self, column: &mut Column<T>, name: &str, missing: T) {
        self.take(name, T::TYPE, &mut |numbers, rows| {
            *column = match numbers {
                None => Column::repeated(missing, rows),
                Some(numbers) => column_of(numbers, rows)?,
            };
            Ok(())
        });
    }

    /// What went wrong, if anything did.
    pub fn checked(&mut self) -> Result<(), ColumnsError> {
        self.failed.take().map_or(Ok(()), Err)
    }

    /// Gives `taker` a column's numbers, if there are any, and how many rows there are; nothing
    /// once something failed. Its error is a number that is no value of the column's type.
    // Once for all types: a report carries the code.
    #[inline(never)]
    fn take(&mut self, name: &str, ty: u8, taker: &mut Taker<'_>) {
        if self.failed.is_some() {
            return;
        }
        let taken = self.numbers_of(name, ty).and_then(|numbers| {
            taker(numbers.as_ref(), self.rows).map_err(|number| self.bad(name, number))
        });
        self.failed = taken.err();
    }

    #[cold]
    #[inline(never)]
    fn bad(&self, name: &str, number: i64) -> ColumnsError {
        self.wrong(name, "a value", number, "one of its type")
    }

    /// A column's numbers, in the order of rows; `None` if there is no such column.
    pub fn rows_of<T: Value>(&mut self, name: &str) -> Result<Option<Numbers>, ColumnsError> {
        self.numbers_of(name, T::TYPE)
    }

    /// Numbers of a type of their own.
    pub fn numbers_of(&mut self, name: &str, ty: u8) -> Result<Option<Numbers>, ColumnsError> {
        let entry = self.entry(name, ty)?;
        entry.map(|entry| self.numbers(entry)).transpose()
    }

    /// The payload of a column that must be there.
    pub fn input_of<T: Value>(
        &self,
        name: &'static str,
        transform: Transform,
    ) -> Result<Input<'a>, ColumnsError> {
        let payload = self.payload::<T>(name, transform)?;
        payload.map(Input).ok_or_else(|| self.truncated(name))
    }

    /// Says in what order the columns of a key stand that follows from others.
    pub fn set_order(&mut self, key: u8, order: Vec<u32>) {
        self.orders.push((key, order));
    }

    /// Whether there is such a column.
    pub fn has(&self, name: &str) -> bool {
        self.columns.iter().any(|column| column.name == name)
    }

    /// A column's payload and transform, for what is put together from several columns.
    pub fn payload<T: Value>(
        &self,
        name: &str,
        transform: Transform,
    ) -> Result<Option<&'a [u8]>, ColumnsError> {
        let entry = self.entry(name, T::TYPE)?;
        let wanted = entry.filter(|entry| entry.transform == transform as u8);
        Ok(wanted.map(|entry| entry.payload))
    }

    /// Numbers as the values that they stand for.
    pub fn typed<T: Value>(&self, name: &str, numbers: Numbers) -> Result<Column<T>, ColumnsError> {
        column_of(&numbers, self.rows).map_err(|number| self.bad(name, number))
    }

    fn numbers(&mut self, entry: Entry<'a>) -> Result<Numbers, ColumnsError> {
        let transform = Transform::from_code(entry.transform).ok_or_else(|| {
            let found = entry.transform.into();
            self.wrong(entry.name, "the transform", found, "a known one")
        })?;
        let rows = self.rows;
        let numbers = match transform {
            Transform::Next => self.next(entry)?,
            // These are put together from several columns, by those who ask for them.
            Transform::Nest | Transform::Parent => None,
            simple => undo(simple, &mut Input(entry.payload), rows),
        };
        let numbers = numbers.ok_or_else(|| self.truncated("a column"))?;
        match (numbers, entry.key) {
            (Numbers::Each(values), key @ 1..) => {
                Ok(Numbers::Each(scatter(&values, self.order(key)?)))
            }
            (numbers, _) => Ok(numbers),
        }
    }

    /// Lengths that reach to the next row of their key.
    fn next(&mut self, entry: Entry<'a>) -> Result<Option<Numbers>, ColumnsError> {
        let ts = self.entry("ts", i64::TYPE)?;
        let ts = ts.filter(|ts| ts.transform < Transform::Next as u8);
        let ts = ts.map(|ts| self.numbers(ts)).transpose()?;
        let ts = ts.unwrap_or(Numbers::Same(0)).each(self.rows);
        let keys = self.key_numbers(entry.key)?;
        let order = self.order(entry.key)?;
        let (ts, keys) = (gather(&ts, order), gather(&keys, order));
        let durs = next_durations(&mut Input(entry.payload), &ts, &keys);
        Ok(durs.map(Numbers::Each))
    }

    /// The numbers of the column that others are ordered by.
    fn key_numbers(&mut self, key: u8) -> Result<Vec<i64>, ColumnsError> {
        let entry = usize::from(key)
            .checked_sub(1)
            .and_then(|at| self.columns.get(at));
        let simple = entry
            .copied()
            .filter(|entry| entry.key == 0 && entry.ty != TEXT);
        let Some(entry) = simple.filter(|entry| entry.transform < Transform::Next as u8) else {
            return Err(self.wrong(
                "key",
                "its place",
                key.into(),
                "a column in the order of rows",
            ));
        };
        Ok(self.numbers(entry)?.each(self.rows))
    }

    /// The rows in the order of a key.
    fn order(&mut self, key: u8) -> Result<&[u32], ColumnsError> {
        let known = self.orders.iter().position(|(known, _)| *known == key);
        let at = match known {
            Some(at) => at,
            None => {
                let keys = self.key_numbers(key)?;
                self.orders.push((key, by_key(&keys)));
                self.orders.len() - 1
            }
        };
        Ok(&self.orders[at].1)
    }

    /// The rows in the order of the column that is called so.
    pub fn order_of(&mut self, name: &str) -> Result<Vec<u32>, ColumnsError> {
        let place = self.columns.iter().position(|column| column.name == name);
        let key = place.map_or(0, |place| place as u8 + 1);
        self.order(key).map(<[u32]>::to_vec)
    }

    /// A column of texts; empty ones if there is no such column.
    pub fn texts(&mut self, name: &str) -> Result<Vec<&'a str>, ColumnsError> {
        let Some(entry) = self.entry(name, TEXT)? else {
            return Ok(vec![""; self.rows]);
        };
        let mut input = Input(entry.payload);
        let lengths = unpack(&mut input, self.rows).ok_or_else(|| self.truncated("a text"))?;
        let whole = std::str::from_utf8(input.0).map_err(|_| ColumnsError::Text {
            table: self.name.to_owned(),
            column: name.to_owned(),
        })?;
        let mut rest = whole;
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

/// A column of numbers, or the first that is no such value.
#[inline(never)]
fn column_of<T: Value>(numbers: &Numbers, rows: usize) -> Result<Column<T>, i64> {
    match *numbers {
        Numbers::Same(number) => {
            let value = T::from_number(number).ok_or(number)?;
            Ok(Column::repeated(value, rows))
        }
        Numbers::Each(ref numbers) => {
            let mut column = Column::default();
            for &number in numbers {
                column.push(T::from_number(number).ok_or(number)?);
            }
            Ok(column)
        }
    }
}
