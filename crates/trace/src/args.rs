//! Arguments: named values of slices and events.

use std::ops::Range;

use crate::column::Column;
use crate::ids::{ArgSetId, RowId, StringId};
use crate::remap::{IdKind, Remap, Value, remap_column};
use crate::strings::StringPool;

/// One value of an argument.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ArgValue {
    /// A signed number.
    Int(i64),
    /// A number that was written in hexadecimal: an address, flags.
    Hex(u64),
    /// A number with a fraction.
    Float(f64),
    /// Text.
    Text(StringId),
}

const INT: u8 = 0;
const HEX: u8 = 1;
const FLOAT: u8 = 2;
const TEXT: u8 = 3;

impl ArgValue {
    #[inline]
    fn pack(self) -> (u8, u64) {
        match self {
            Self::Int(value) => (INT, value as u64),
            Self::Hex(value) => (HEX, value),
            Self::Float(value) => (FLOAT, value.to_bits()),
            Self::Text(id) => (TEXT, id.0.into()),
        }
    }

    fn unpack(kind: u8, bits: u64) -> Self {
        match kind {
            INT => Self::Int(bits as i64),
            HEX => Self::Hex(bits),
            FLOAT => Self::Float(f64::from_bits(bits)),
            _ => Self::Text(StringId(bits as u32)),
        }
    }

    /// The value as text, as ftrace prints it.
    pub fn display(self, strings: &StringPool) -> String {
        match self {
            Self::Int(value) => value.to_string(),
            Self::Hex(value) => format!("{value:#x}"),
            Self::Float(value) => value.to_string(),
            Self::Text(id) => strings.get(id).to_owned(),
        }
    }
}

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

/// All arguments of a trace. A set is a range of rows that has an [`ArgSetId`].
#[derive(Clone, Debug, Default)]
pub struct ArgTable {
    ends: Column<u32>,
    keys: Column<StringId>,
    kinds: Column<u8>,
    values: Column<u64>,
}

impl ArgTable {
    /// Stores a set; an empty one is [`ArgSetId::NONE`].
    pub fn push_set(&mut self, args: impl IntoIterator<Item = (StringId, ArgValue)>) -> ArgSetId {
        let before = self.keys.len();
        let mut args = args.into_iter();
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
            }
            _ => self.push_rows(&mut args),
        }
        if self.keys.len() == before {
            return ArgSetId::NONE;
        }
        self.ends.push(self.keys.len() as u32);
        ArgSetId::from_row(self.ends.len() - 1)
    }

    /// Like [`push_set`](Self::push_set).
    pub fn push_columns(&mut self, args: &ArgColumns) -> ArgSetId {
        let rows = args.keys.len();
        if rows == 0 {
            return ArgSetId::NONE;
        }
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
            }
            _ => args.rows().for_each(|row| self.push_row(row)),
        }
        self.ends.push(self.keys.len() as u32);
        ArgSetId::from_row(self.ends.len() - 1)
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
            self.push_row(row);
            rows.end += 1;
        }
        if rows == old {
            return id;
        }
        match id.some() {
            Some(id) if rows.start == old.start => {
                *self.ends.get_mut(id.row()) = rows.end as u32;
                id
            }
            _ => {
                self.ends.push(rows.end as u32);
                ArgSetId::from_row(self.ends.len() - 1)
            }
        }
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
            let known = (keys[row], kinds[row], values[row]);
            known == (args.keys[row], args.kinds[row], args.values[row])
        };
        (0..rows).position(|row| !is_same(row)).unwrap_or(rows)
    }

    /// Whether one of these rows equals the argument.
    fn has(&self, mut rows: Range<usize>, (key, kind, bits): (StringId, u8, u64)) -> bool {
        let is_value = |row| self.kinds.get(row) == kind && self.values.get(row) == bits;
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
    fn push_rows(&mut self, args: &mut dyn Iterator<Item = (StringId, ArgValue)>) {
        for (key, value) in args {
            let (kind, bits) = value.pack();
            self.push_row((key, kind, bits));
        }
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
        self.rows(id).map(|row| {
            let value = ArgValue::unpack(self.kinds.get(row), self.values.get(row));
            (self.keys.get(row), value)
        })
    }

    fn rows(&self, id: ArgSetId) -> Range<usize> {
        let Some(id) = id.some() else {
            return 0..0;
        };
        let before = id.row().checked_sub(1);
        let start = before.map_or(0, |before| self.ends.get(before));
        start as usize..self.ends.get(id.row()) as usize
    }

    /// The columns as stored: the end of each set, and for each argument its key, the kind of its
    /// value (0 signed, 1 hexadecimal, 2 float, 3 text) and the bits of its value.
    pub fn columns(&self) -> (&Column<u32>, &Column<StringId>, &Column<u8>, &Column<u64>) {
        (&self.ends, &self.keys, &self.kinds, &self.values)
    }

    /// Creates a table from such columns; `None` if they contradict each other.
    pub fn from_columns(
        ends: Column<u32>,
        keys: Column<StringId>,
        kinds: Column<u8>,
        values: Column<u64>,
    ) -> Option<Self> {
        let rows = keys.len();
        let last = ends.len().checked_sub(1).map_or(0, |set| ends.get(set));
        let fits = kinds.len() == rows && values.len() == rows && last as usize == rows;
        let mut before = 0;
        let rises = ends
            .iter()
            .all(|end| std::mem::replace(&mut before, end) < end);
        let known = kinds.iter().all(|kind| kind <= TEXT);
        (fits && rises && known).then_some(Self {
            ends,
            keys,
            kinds,
            values,
        })
    }

    /// Gives keys and texts new ids. Sets keep theirs.
    pub(crate) fn remap(&mut self, to: &mut impl Remap) {
        remap_column(&mut self.keys, to);
        if !to.changes(IdKind::String) {
            return;
        }
        for row in 0..self.len() {
            if self.kinds.get(row) == TEXT {
                let bits = self.values.get_mut(row);
                *bits = StringId(*bits as u32).remapped(to).0.into();
            }
        }
    }

    /// Appends the sets of another table. Their ids go on after those of this one.
    pub(crate) fn append(&mut self, other: Self) {
        let before = self.len() as u32;
        for end in other.ends.iter() {
            self.ends.push(before + end);
        }
        for row in 0..other.len() {
            let (key, kind) = (other.keys.get(row), other.kinds.get(row));
            self.push_row((key, kind, other.values.get(row)));
        }
    }

    /// The number of sets.
    pub fn sets(&self) -> usize {
        self.ends.len()
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
        self.ends.heap_bytes()
            + self.keys.heap_bytes()
            + self.kinds.heap_bytes()
            + self.values.heap_bytes()
    }
}

#[cfg(test)]
mod tests;
