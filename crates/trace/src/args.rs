//! Arguments: named values that hang on slices and events.

use std::ops::Range;

use crate::column::Column;
use crate::digits::plain_digits;
use crate::ids::{ArgSetId, RowId, StringId};
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
            Self::Float(value) => plain_digits(value),
            Self::Text(id) => strings.get(id).to_owned(),
        }
    }
}

/// All arguments of a trace. A set is a run of rows that [`ArgSetId`] names.
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

    /// Stores a set of which keys and values stand apart, as many of each: faster than
    /// [`push_set`](Self::push_set).
    pub fn push_columns(&mut self, keys: &[StringId], values: &[ArgValue]) -> ArgSetId {
        if keys.is_empty() {
            return ArgSetId::NONE;
        }
        self.push_apart(keys, values);
        self.ends.push(self.keys.len() as u32);
        ArgSetId::from_row(self.ends.len() - 1)
    }

    fn push_apart(&mut self, keys: &[StringId], values: &[ArgValue]) {
        debug_assert_eq!(keys.len(), values.len());
        let columns = (
            self.keys.room(keys.len()),
            self.kinds.room(keys.len()),
            self.values.room(keys.len()),
        );
        match columns {
            (Some(key), Some(kind), Some(bits)) => {
                key.extend_from_slice(keys);
                kind.extend(values.iter().map(|value| value.pack().0));
                bits.extend(values.iter().map(|value| value.pack().1));
            }
            _ => self.push_rows(&mut keys.iter().copied().zip(values.iter().copied())),
        }
    }

    /// A set with these arguments added to it, without those that it has already. Whoever has `id`
    /// gives it up: the last set of all grows where it stands, any other is copied.
    pub fn add_to_set(&mut self, id: ArgSetId, keys: &[StringId], values: &[ArgValue]) -> ArgSetId {
        let old = self.rows(id);
        let mut rows = old.clone();
        // What is added mostly begins with what is there.
        let known = self.known_first(rows.clone(), keys, values);
        for (&key, &value) in keys.iter().zip(values).skip(known) {
            if self.has(rows.clone(), key, value) {
                continue;
            }
            if rows.end != self.len() || rows.is_empty() {
                rows = self.copy_rows(rows);
            }
            self.push_row(key, value);
            rows.end += 1;
        }
        match id.some() {
            Some(_) if rows == old => {}
            Some(id) if rows.start == old.start => {
                *self.ends.get_mut(id.row()) = rows.end as u32;
            }
            _ if rows.is_empty() => {}
            _ => {
                self.ends.push(rows.end as u32);
                return ArgSetId::from_row(self.ends.len() - 1);
            }
        }
        id
    }

    /// How many of these arguments stand at the front of `rows`.
    fn known_first(&self, rows: Range<usize>, keys: &[StringId], values: &[ArgValue]) -> usize {
        let Some((known_keys, kinds, bits)) = self.within_chunks(rows) else {
            return 0;
        };
        let known = known_keys.iter().zip(kinds.iter().zip(bits));
        let added = keys.iter().zip(values);
        let same = known
            .zip(added)
            .take_while(|((known, (kind, bits)), (key, value))| {
                known == key && value.pack() == (**kind, **bits)
            });
        same.count()
    }

    /// Whether one of these rows is this argument.
    fn has(&self, mut rows: Range<usize>, key: StringId, value: ArgValue) -> bool {
        let is_value = |row| (self.kinds.get(row), self.values.get(row)) == value.pack();
        match self.keys.within_chunk(rows.clone()) {
            Some(keys) => {
                let mut known = keys.iter().zip(rows);
                known.any(|(known, row)| *known == key && is_value(row))
            }
            None => rows.any(|row| self.keys.get(row) == key && is_value(row)),
        }
    }

    /// Adds these rows again, and tells where.
    fn copy_rows(&mut self, rows: Range<usize>) -> Range<usize> {
        let start = self.len();
        for row in rows {
            self.keys.push(self.keys.get(row));
            self.kinds.push(self.kinds.get(row));
            self.values.push(self.values.get(row));
        }
        start..self.len()
    }

    /// The columns of these rows, where each column has them in one chunk.
    fn within_chunks(&self, rows: Range<usize>) -> Option<(&[StringId], &[u8], &[u64])> {
        Some((
            self.keys.within_chunk(rows.clone())?,
            self.kinds.within_chunk(rows.clone())?,
            self.values.within_chunk(rows)?,
        ))
    }

    /// Adds rows for which there may be no room in the last chunk.
    #[cold]
    fn push_rows(&mut self, args: &mut dyn Iterator<Item = (StringId, ArgValue)>) {
        args.for_each(|(key, value)| self.push_row(key, value));
    }

    #[inline]
    fn push_row(&mut self, key: StringId, value: ArgValue) {
        let (kind, bits) = value.pack();
        self.keys.push(key);
        self.kinds.push(kind);
        self.values.push(bits);
    }

    /// The arguments of a set in the order they were recorded; none for [`ArgSetId::NONE`].
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

    /// The columns as they are stored: where each set ends, and of each argument the key, the
    /// kind of its value (0 signed, 1 hexadecimal, 2 float, 3 text) and the value's bits.
    pub fn columns(&self) -> (&Column<u32>, &Column<StringId>, &Column<u8>, &Column<u64>) {
        (&self.ends, &self.keys, &self.kinds, &self.values)
    }

    /// The table of such columns; `None` where they contradict each other.
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

    /// How many sets there are.
    pub fn sets(&self) -> usize {
        self.ends.len()
    }

    /// How many arguments there are in all sets.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of memory held.
    pub fn heap_bytes(&self) -> usize {
        self.ends.heap_bytes()
            + self.keys.heap_bytes()
            + self.kinds.heap_bytes()
            + self.values.heap_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_come_back_as_they_went_in() {
        let mut strings = StringPool::default();
        let (a, b) = (strings.intern("a"), strings.intern("b"));
        let mut args = ArgTable::default();
        let first = [(a, ArgValue::Int(-3)), (b, ArgValue::Hex(0xff))];
        let second = [(a, ArgValue::Float(1.5)), (b, ArgValue::Text(a))];
        let (one, none) = (args.push_set(first), args.push_set([]));
        let two = args.push_set(second);
        assert_eq!(args.set(one).collect::<Vec<_>>(), first);
        assert_eq!(args.set(none).count(), 0);
        assert_eq!(args.set(two).collect::<Vec<_>>(), second);
        assert_eq!(ArgValue::Hex(255).display(&strings), "0xff");
    }

    #[test]
    fn keys_and_values_apart_are_the_same_set() {
        let mut args = ArgTable::default();
        let keys: Vec<_> = (0..7).map(StringId).collect();
        let values = keys.iter().map(|key| match key.0 % 3 {
            0 => ArgValue::Int(-5),
            1 => ArgValue::Hex(u64::MAX),
            _ => ArgValue::Text(*key),
        });
        let values: Vec<_> = values.collect();
        // So many that sets lie across chunks.
        let sets: Vec<_> = (0..30_000)
            .map(|nth| args.push_columns(&keys[..nth % 7], &values[..nth % 7]))
            .collect();
        for (nth, set) in sets.into_iter().enumerate() {
            let expected = keys.iter().copied().zip(values.iter().copied());
            assert!(args.set(set).eq(expected.take(nth % 7)));
        }
    }

    #[test]
    fn only_what_is_new_is_added_to_a_set() {
        let mut args = ArgTable::default();
        let arg = |key: u32, value: i64| (StringId(key), ArgValue::Int(value));
        let add = |args: &mut ArgTable, set, added: &[(StringId, ArgValue)]| {
            let (keys, values): (Vec<_>, Vec<_>) = added.iter().copied().unzip();
            args.add_to_set(set, &keys, &values)
        };
        let held = |args: &ArgTable, set| args.set(set).collect::<Vec<_>>();
        let none = add(&mut args, ArgSetId::NONE, &[]);
        assert_eq!((none, args.len()), (ArgSetId::NONE, 0));
        let first = add(&mut args, none, &[arg(1, 1), arg(2, 2), arg(1, 1)]);
        assert_eq!(held(&args, first), [arg(1, 1), arg(2, 2)]);
        // The last set grows where it is.
        let same = add(&mut args, first, &[arg(1, 1), arg(2, 3), arg(2, 2)]);
        assert_eq!((same, args.len(), args.sets()), (first, 3, 1));
        let second = add(&mut args, none, &[arg(9, 9)]);
        assert_eq!(add(&mut args, first, &[arg(2, 3)]), first);
        let grown = add(&mut args, first, &[arg(1, 1), arg(4, 4)]);
        assert_eq!(
            held(&args, grown),
            [arg(1, 1), arg(2, 2), arg(2, 3), arg(4, 4)]
        );
        assert_eq!(held(&args, second), [arg(9, 9)]);
        assert_eq!((args.len(), args.sets()), (8, 3));
    }
}
