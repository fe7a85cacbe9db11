//! A column of a batch of rows.

use rusqlite::types::ValueRef;

use crate::sqlite::real;

/// The kind of a column's values. Each kind can also hold values of the earlier kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// All values are absent.
    Null,
    /// Whole numbers.
    Int,
    /// Numbers with a fraction.
    Real,
    /// Texts.
    Text,
    /// Bytes.
    Bytes,
}

/// The values of a column, in Arrow's layout. When a value of another kind is added, the column is converted to the
/// kind that can hold all values.
#[derive(Debug)]
pub(super) struct Column {
    kind: Kind,
    rows: usize,
    nulls: usize,
    /// One bit per row, lowest bit first: whether the row has a value.
    valid: Vec<u8>,
    /// For numbers: eight bytes per row. For texts and bytes: the contents of all rows.
    bytes: Vec<u8>,
    /// For texts and bytes: the offset at which each row ends.
    ends: Vec<i32>,
}

impl Column {
    pub fn new(kind: Kind) -> Self {
        Self {
            kind,
            rows: 0,
            nulls: 0,
            valid: Vec::new(),
            bytes: Vec::new(),
            ends: Vec::new(),
        }
    }

    pub fn kind(&self) -> Kind {
        self.kind
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    pub fn nulls(&self) -> usize {
        self.nulls
    }

    /// The approximate memory that it takes, bytes.
    pub fn size(&self) -> usize {
        self.bytes.len() + self.ends.len() * 4 + self.valid.len()
    }

    /// Adds a row.
    pub fn push(&mut self, value: ValueRef<'_>) {
        let kind = kind_of(&value);
        if kind > self.kind {
            *self = self.converted(kind);
        }
        self.mark(kind != Kind::Null);
        match (self.kind, value) {
            (Kind::Int, ValueRef::Integer(value)) => self.number(value.to_le_bytes()),
            (Kind::Real, ValueRef::Integer(value)) => self.number((value as f64).to_le_bytes()),
            (Kind::Real, ValueRef::Real(value)) => self.number(value.to_le_bytes()),
            (Kind::Int | Kind::Real, _) => self.number([0; 8]),
            (Kind::Text | Kind::Bytes, value) => self.content(value),
            (Kind::Null, _) => {}
        }
    }

    fn mark(&mut self, is_valid: bool) {
        if self.rows.is_multiple_of(8) {
            self.valid.push(0);
        }
        if let Some(last) = self.valid.last_mut() {
            *last |= u8::from(is_valid) << (self.rows % 8);
        }
        self.rows += 1;
        self.nulls += usize::from(!is_valid);
    }

    fn number(&mut self, bytes: [u8; 8]) {
        self.bytes.extend(bytes);
    }

    fn content(&mut self, value: ValueRef<'_>) {
        match value {
            ValueRef::Null => {}
            ValueRef::Integer(value) => self.bytes.extend(value.to_string().bytes()),
            ValueRef::Real(value) => self.bytes.extend(real::text(value).bytes()),
            // The bytes may not be UTF-8, because a query can turn any bytes into a text.
            ValueRef::Text(text) if self.kind == Kind::Text => {
                self.bytes.extend(String::from_utf8_lossy(text).bytes());
            }
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => self.bytes.extend(bytes),
        }
        // `Batch` keeps the contents below 2 GB.
        self.ends
            .push(i32::try_from(self.bytes.len()).unwrap_or(i32::MAX));
    }

    /// Copies the rows into a column of a more general kind.
    pub fn converted(&self, kind: Kind) -> Self {
        let mut column = Self::new(kind);
        (0..self.rows).for_each(|row| column.push(self.value(row)));
        column
    }

    fn value(&self, row: usize) -> ValueRef<'_> {
        let is_valid = self.valid[row / 8] >> (row % 8) & 1 == 1;
        match self.kind {
            _ if !is_valid => ValueRef::Null,
            Kind::Null => ValueRef::Null,
            Kind::Int => ValueRef::Integer(i64::from_le_bytes(self.eight(row))),
            Kind::Real => ValueRef::Real(f64::from_le_bytes(self.eight(row))),
            Kind::Text => ValueRef::Text(self.text(row)),
            Kind::Bytes => ValueRef::Blob(self.text(row)),
        }
    }

    fn eight(&self, row: usize) -> [u8; 8] {
        std::array::from_fn(|byte| self.bytes[row * 8 + byte])
    }

    fn text(&self, row: usize) -> &[u8] {
        let end = |row: usize| usize::try_from(self.ends[row]).unwrap_or(0);
        let start = row.checked_sub(1).map_or(0, end);
        &self.bytes[start..end(row)]
    }

    /// The memory of the column: the bits of its rows unless all rows have values, the contents, and the ends of texts.
    pub fn into_parts(self) -> (Option<Vec<u8>>, Vec<u8>, Vec<i32>) {
        let valid = (self.nulls > 0).then_some(self.valid);
        (valid, self.bytes, self.ends)
    }

    /// The buffers of the column in an Arrow file, in their order.
    pub fn buffers(&self) -> Vec<Vec<u8>> {
        // The bits can be left out if no value is absent.
        let valid = || {
            if self.nulls == 0 {
                Vec::new()
            } else {
                self.valid.clone()
            }
        };
        let ends = self.ends.iter().flat_map(|end| end.to_le_bytes());
        let offsets = || [0; 4].into_iter().chain(ends).collect();
        match self.kind {
            Kind::Null => Vec::new(),
            Kind::Int | Kind::Real => vec![valid(), self.bytes.clone()],
            Kind::Text | Kind::Bytes => vec![valid(), offsets(), self.bytes.clone()],
        }
    }
}

fn kind_of(value: &ValueRef<'_>) -> Kind {
    match value {
        ValueRef::Null => Kind::Null,
        ValueRef::Integer(_) => Kind::Int,
        ValueRef::Real(_) => Kind::Real,
        ValueRef::Text(_) => Kind::Text,
        ValueRef::Blob(_) => Kind::Bytes,
    }
}

/// The approximate length of a value, bytes.
pub(super) fn size_of(value: &ValueRef<'_>) -> usize {
    match value {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes.len() + 4,
        _ => 8,
    }
}
