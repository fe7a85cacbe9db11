//! Arguments: named values of slices and events.

mod value;

use std::ops::Range;

use crate::column::Column;
use crate::ids::{ArgSetId, RowId, StringId};
use crate::remap::{IdKind, Remap, Value, remap_column};
pub use value::ArgValue;
use value::{INT, JSON, LAST, LAST_ROW, NULL, TEXT, row_of};

/// The arguments of one set, with separate keys and values, which is faster to store than single
/// pairs.
#[derive(Clone, Debug, Default)]
pub struct ArgColumns {
    keys: Vec<StringId>,
    kinds: Vec<u8>,
    values: Vec<u64>,
}

impl ArgColumns {
    /// Changes the number of arguments to `rows`. Existing ones are unchanged.
    #[inline]
    pub fn resize(&mut self, rows: usize) {
        if self.keys.len() != rows {
            self.keys.resize(rows, StringId::NULL);
            self.kinds.resize(rows, INT);
            self.values.resize(rows, 0);
        }
    }

    /// The keys, mutable.
    pub fn keys_mut(&mut self) -> &mut [StringId] {
        &mut self.keys
    }

    /// Sets the value of each argument to the result of `value` for the next item of `from`, until
    /// there are no more items.
    #[inline]
    pub fn set_values<T>(
        &mut self,
        from: impl Iterator<Item = T>,
        mut value: impl FnMut(T) -> ArgValue,
    ) {
        let rows = self.kinds.iter_mut().zip(&mut self.values);
        for ((kind, bits), from) in rows.zip(from) {
            (*kind, *bits) = value(from).pack();
        }
    }

    fn rows(&self) -> impl Iterator<Item = (StringId, u8, u64)> {
        let values = self.kinds.iter().zip(&self.values);
        let rows = self.keys.iter().zip(values);
        rows.map(|(key, (kind, bits))| (*key, *kind, *bits))
    }
}

/// All arguments of a trace. A set is a range of rows: its [`ArgSetId`] is the first row, and the last row has a mark.
#[derive(Clone, Debug, Default)]
pub struct ArgTable {
    keys: Column<StringId>,
    kinds: Column<u8>,
    values: Column<u64>,
}

impl ArgTable {
    /// Stores a set; an empty one is [`ArgSetId::NONE`].
    pub fn push_set(&mut self, args: impl IntoIterator<Item = (StringId, ArgValue)>) -> ArgSetId {
        let before = self.keys.len();
        let args = args.into_iter();
        let most = args.size_hint().1.unwrap_or(usize::MAX / 2);
        let columns = (
            self.keys.room(most),
            self.kinds.room(most),
            self.values.room(most),
        );
        match columns {
            (Some(keys), Some(kinds), Some(values)) => {
                for (key, value) in args {
                    let (kind, bits) = value.pack();
                    keys.push(key);
                    kinds.push(kind);
                    values.push(bits);
                }
                // If the set is empty, this is the last argument of another set, which already has the mark.
                if let Some(last) = kinds.last_mut() {
                    *last |= LAST;
                }
            }
            _ => self.push_rows(&mut args.map(|(key, value)| {
                let (kind, bits) = value.pack();
                (key, kind, bits)
            })),
        }
        if self.keys.len() == before {
            return ArgSetId::NONE;
        }
        ArgSetId::from_row(before)
    }

    /// Like [`push_set`](Self::push_set).
    pub fn push_columns(&mut self, args: &ArgColumns) -> ArgSetId {
        let rows = args.keys.len();
        if rows == 0 {
            return ArgSetId::NONE;
        }
        let first = self.len();
        let columns = (
            self.keys.room(rows),
            self.kinds.room(rows),
            self.values.room(rows),
        );
        match columns {
            (Some(keys), Some(kinds), Some(values)) => {
                keys.extend_from_slice(&args.keys);
                kinds.extend_from_slice(&args.kinds);
                values.extend_from_slice(&args.values);
                if let Some(last) = kinds.last_mut() {
                    *last |= LAST;
                }
            }
            _ => self.push_rows(&mut args.rows()),
        }
        ArgSetId::from_row(first)
    }

    /// Adds these arguments to a set, except those that it already has. The caller must stop using
    /// `id`: the last set of the table grows in place, any other is copied.
    pub fn add_to_set(&mut self, id: ArgSetId, args: &ArgColumns) -> ArgSetId {
        let old = self.rows(id);
        let mut rows = old.clone();
        // The new arguments usually begin with the existing ones.
        for row in args.rows().skip(self.known_first(rows.clone(), args)) {
            if self.has(rows.clone(), row) {
                continue;
            }
            if rows.end != self.len() || rows.is_empty() {
                rows = self.copy_rows(rows);
            }
            if let Some(last) = rows.clone().last() {
                *self.kinds.get_mut(last) &= !LAST;
            }
            let (key, kind, bits) = row;
            self.push_row((key, kind | LAST, bits));
            rows.end += 1;
        }
        if rows == old {
            return id;
        }
        ArgSetId::from_row(rows.start)
    }

    /// The number of these arguments that `rows` begins with.
    fn known_first(&self, rows: Range<usize>, args: &ArgColumns) -> usize {
        let columns = (
            self.keys.within_chunk(rows.clone()),
            self.kinds.within_chunk(rows.clone()),
            self.values.within_chunk(rows),
        );
        let (Some(keys), Some(kinds), Some(values)) = columns else {
            return 0;
        };
        let rows = keys.len().min(args.keys.len());
        let is_same = |row: usize| {
            let known = (keys[row], kinds[row] & !LAST, values[row]);
            known == (args.keys[row], args.kinds[row], args.values[row])
        };
        (0..rows).position(|row| !is_same(row)).unwrap_or(rows)
    }

    /// Whether one of these rows equals the argument.
    fn has(&self, mut rows: Range<usize>, (key, kind, bits): (StringId, u8, u64)) -> bool {
        let is_value = |row| self.kind(row) == kind && self.values.get(row) == bits;
        match self.keys.within_chunk(rows.clone()) {
            Some(keys) => {
                let mut known = keys.iter().zip(rows);
                known.any(|(known, row)| *known == key && is_value(row))
            }
            None => rows.any(|row| self.keys.get(row) == key && is_value(row)),
        }
    }

    /// Appends a copy of these rows; returns the new range.
    fn copy_rows(&mut self, rows: Range<usize>) -> Range<usize> {
        let start = self.len();
        for row in rows {
            self.keys.push(self.keys.get(row));
            self.kinds.push(self.kinds.get(row));
            self.values.push(self.values.get(row));
        }
        start..self.len()
    }

    /// Appends rows that may not fit into the last chunk.
    #[cold]
    fn push_rows(&mut self, rows: &mut dyn Iterator<Item = (StringId, u8, u64)>) {
        let Some(mut last) = rows.next() else {
            return;
        };
        for row in rows {
            self.push_row(std::mem::replace(&mut last, row));
        }
        let (key, kind, bits) = last;
        self.push_row((key, kind | LAST, bits));
    }

    #[inline]
    fn push_row(&mut self, (key, kind, bits): (StringId, u8, u64)) {
        self.keys.push(key);
        self.kinds.push(kind);
        self.values.push(bits);
    }

    /// The arguments of a set in the order in which they were recorded; empty for
    /// [`ArgSetId::NONE`].
    pub fn set(&self, id: ArgSetId) -> impl Iterator<Item = (StringId, ArgValue)> + '_ {
        self.rows(id).map(|row| self.arg(row))
    }

    /// The rows of a set; none for an id that is not from this table.
    fn rows(&self, id: ArgSetId) -> Range<usize> {
        let (start, rows) = (id.row(), self.len());
        let Some(_) = id.some().filter(|_| start < rows) else {
            return 0..0;
        };
        let last = (start..rows).find(|row| self.is_last(*row));
        start..last.map_or(rows, |last| last + 1)
    }

    /// Whether this argument is the last one of its set.
    fn is_last(&self, row: usize) -> bool {
        self.kinds.get(row) & LAST != 0
    }

    /// Whether a set begins with this argument.
    pub fn is_set(&self, set: ArgSetId) -> bool {
        let row = set.row();
        row < self.len() && (row == 0 || self.is_last(row - 1))
    }

    /// The set that an argument is in, if it begins at most `most` rows before.
    pub fn set_near(&self, row: usize, most: usize) -> Option<ArgSetId> {
        let starts = |start: &usize| *start == 0 || self.is_last(*start - 1);
        let found = (row.saturating_sub(most)..=row).rev().find(starts);
        found.map(ArgSetId::from_row)
    }

    /// The kind of an argument's value.
    fn kind(&self, row: usize) -> u8 {
        self.kinds.get(row) & !LAST
    }

    /// One argument.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn arg(&self, row: usize) -> (StringId, ArgValue) {
        let value = ArgValue::unpack(self.kinds.get(row), self.values.get(row));
        (self.keys.get(row), value)
    }

    /// The sets in the order of their rows.
    pub fn sets(&self) -> impl Iterator<Item = ArgSetId> + '_ {
        let starts = |row: &usize| *row == 0 || self.is_last(*row - 1);
        (0..self.len()).filter(starts).map(ArgSetId::from_row)
    }

    /// The columns as stored: for each argument its key, the kind of its value (0 signed, 1 hexadecimal, 2 float,
    /// 3 text, 4 unsigned, 5 bool, 6 null, 7 JSON, 8 to 13 a row of processes, threads, tracks, slices, sets of
    /// arguments or records; 128 is added for the last one of a set) and the bits of its value.
    pub fn columns(&self) -> (&Column<StringId>, &Column<u8>, &Column<u64>) {
        (&self.keys, &self.kinds, &self.values)
    }

    /// Creates a table from such columns; `None` if they contradict each other.
    pub fn from_columns(
        keys: Column<StringId>,
        kinds: Column<u8>,
        values: Column<u64>,
    ) -> Option<Self> {
        let rows = keys.len();
        let fits = kinds.len() == rows && values.len() == rows;
        let known = kinds.iter().all(|kind| kind & !LAST <= LAST_ROW);
        let ends = rows == 0 || fits && kinds.get(rows - 1) & LAST != 0;
        (fits && ends && known).then_some(Self {
            keys,
            kinds,
            values,
        })
    }

    /// Like [`from_columns`](Self::from_columns). The kinds have no marks; the number of arguments of each set is given
    /// separately. Also returns the sets.
    pub fn from_lengths(
        lengths: &Column<u32>,
        keys: Column<StringId>,
        kinds: &Column<u8>,
        values: Column<u64>,
    ) -> Option<(Self, Vec<ArgSetId>)> {
        let mut marked = Column::new();
        let mut sets = Vec::with_capacity(lengths.len());
        let mut unused = kinds.iter();
        for length in lengths.iter() {
            sets.push(ArgSetId::from_row(marked.len()));
            for left in (0..length).rev() {
                let kind = unused.next().filter(|kind| kind & LAST == 0)?;
                marked.push(if left == 0 { kind | LAST } else { kind });
            }
            if length == 0 {
                return None;
            }
        }
        let is_complete = unused.next().is_none();
        let table = Self::from_columns(keys, marked, values).filter(|_| is_complete)?;
        Some((table, sets))
    }

    /// Gives keys and texts new ids. Sets keep theirs.
    pub(crate) fn remap(&mut self, to: &mut impl Remap) {
        remap_column(&mut self.keys, to);
        if !to.changes(IdKind::String) {
            return;
        }
        for row in 0..self.len() {
            if matches!(self.kind(row), TEXT | JSON) {
                let bits = self.values.get_mut(row);
                *bits = StringId(*bits as u32).remapped(to).0.into();
            }
        }
    }

    /// Gives rows of other tables their new numbers.
    pub(crate) fn remap_rows(&mut self, to: &mut impl Remap) {
        let moves = |kind: u8| row_of(kind & !LAST).is_some_and(|of| to.changes(of));
        if !self.kinds.iter().any(moves) {
            return;
        }
        for row in 0..self.len() {
            let known = row_of(self.kind(row)).filter(|of| to.changes(*of));
            let bits = self.values.get(row);
            let Some(of) = known.filter(|_| bits < u32::MAX.into()) else {
                continue;
            };
            let new = to.new_id(of, bits as u32);
            let is_gone = new == u32::MAX;
            *self.values.get_mut(row) = if is_gone { 0 } else { new.into() };
            if is_gone {
                let kind = self.kinds.get_mut(row);
                *kind = NULL | *kind & LAST;
            }
        }
    }

    /// The value of a set's first argument with this key.
    pub fn value(&self, id: ArgSetId, key: StringId) -> Option<ArgValue> {
        let row = self.rows(id).find(|row| self.keys.get(*row) == key)?;
        Some(self.arg(row).1)
    }

    /// Appends the sets of another table. Their ids continue after those of this table.
    pub(crate) fn append(&mut self, other: Self) {
        for row in 0..other.len() {
            let (key, kind) = (other.keys.get(row), other.kinds.get(row));
            self.push_row((key, kind, other.values.get(row)));
        }
    }

    /// The number of arguments in all sets.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there are no arguments.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Memory used, bytes.
    pub fn heap_bytes(&self) -> usize {
        self.keys.heap_bytes() + self.kinds.heap_bytes() + self.values.heap_bytes()
    }
}

#[cfg(test)]
mod tests;
