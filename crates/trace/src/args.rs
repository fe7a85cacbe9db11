//! Arguments: named values that hang on slices and events.

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

    /// Adds rows for which there may be no room in the last chunk.
    #[cold]
    fn push_rows(&mut self, args: &mut dyn Iterator<Item = (StringId, ArgValue)>) {
        for (key, value) in args {
            let (kind, bits) = value.pack();
            self.keys.push(key);
            self.kinds.push(kind);
            self.values.push(bits);
        }
    }

    /// The arguments of a set in the order they were recorded; none for [`ArgSetId::NONE`].
    pub fn set(&self, id: ArgSetId) -> impl Iterator<Item = (StringId, ArgValue)> + '_ {
        self.rows(id).map(|row| {
            let value = ArgValue::unpack(self.kinds.get(row), self.values.get(row));
            (self.keys.get(row), value)
        })
    }

    /// Adds the arguments of a set to `out`: faster than [`set`](Self::set).
    pub fn copy_set(&self, id: ArgSetId, out: &mut Vec<(StringId, ArgValue)>) {
        let rows = self.rows(id);
        let columns = (
            self.keys.within_chunk(rows.clone()),
            self.kinds.within_chunk(rows.clone()),
            self.values.within_chunk(rows),
        );
        let (Some(keys), Some(kinds), Some(values)) = columns else {
            return out.extend(self.set(id));
        };
        let values = kinds.iter().zip(values);
        let values = values.map(|(kind, bits)| ArgValue::unpack(*kind, *bits));
        out.extend(keys.iter().copied().zip(values));
    }

    fn rows(&self, id: ArgSetId) -> std::ops::Range<usize> {
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
        let mut copied = Vec::new();
        for set in [one, none, two] {
            args.copy_set(set, &mut copied);
        }
        assert_eq!(copied, [first, second].concat());
        assert_eq!(ArgValue::Hex(255).display(&strings), "0xff");
    }
}
