//! Tables as values: a BLOB with the cells of all rows.
//!
//! ```text
//! cells per row (1 byte) | whether the first row has the names of the columns, 0 or 1 (1)
//! each cell: 0 NULL | 1 integer (8 bytes) | 2 real (8) | 3 text, 4 BLOB (length, 4; bytes)
//! ```

use rusqlite::types::ValueRef;

use super::failure::Failure;

const NULL: u8 = 0;
const INTEGER: u8 = 1;
const REAL: u8 = 2;
const TEXT: u8 = 3;
const BLOB: u8 = 4;

/// A value of a table.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cell {
    Null,
    Integer(i64),
    Real(f64),
    Text(Box<[u8]>),
    Blob(Box<[u8]>),
}

impl Cell {
    /// The value.
    pub fn value(&self) -> ValueRef<'_> {
        match self {
            Self::Null => ValueRef::Null,
            Self::Integer(value) => ValueRef::Integer(*value),
            Self::Real(value) => ValueRef::Real(*value),
            Self::Text(bytes) => ValueRef::Text(bytes),
            Self::Blob(bytes) => ValueRef::Blob(bytes),
        }
    }

    /// The memory it takes, bytes.
    pub fn bytes(&self) -> usize {
        let more = match self {
            Self::Text(bytes) | Self::Blob(bytes) => bytes.len(),
            _ => 0,
        };
        size_of::<Self>() + more
    }
}

/// The header of a table whose rows have `width` cells.
///
/// # Errors
/// If `width` is more than 255.
pub(crate) fn begin(width: usize, has_names: bool) -> Result<Vec<u8>, Failure> {
    let width = u8::try_from(width);
    let width = width.map_err(|_| Failure::refused("a table has more than 255 columns"))?;
    Ok(vec![width, has_names.into()])
}

/// A table with names as a value.
///
/// # Errors
/// If it has more than 255 columns, or a text of 4 GiB.
pub(crate) fn table(names: &[impl AsRef<str>], cells: &[Cell]) -> Result<Vec<u8>, Failure> {
    let mut out = begin(names.len(), true)?;
    for name in names {
        write_bytes(TEXT, name.as_ref().as_bytes(), &mut out)?;
    }
    for cell in cells {
        write(cell.value(), &mut out)?;
    }
    Ok(out)
}

/// Appends a value to a table.
///
/// # Errors
/// If it is 4 GiB or longer.
pub(crate) fn write(value: ValueRef<'_>, out: &mut Vec<u8>) -> Result<(), Failure> {
    match value {
        ValueRef::Null => out.push(NULL),
        ValueRef::Integer(value) => {
            out.push(INTEGER);
            out.extend(value.to_le_bytes());
        }
        ValueRef::Real(value) => {
            out.push(REAL);
            out.extend(value.to_le_bytes());
        }
        ValueRef::Text(bytes) => write_bytes(TEXT, bytes, out)?,
        ValueRef::Blob(bytes) => write_bytes(BLOB, bytes, out)?,
    }
    Ok(())
}

fn write_bytes(tag: u8, bytes: &[u8], out: &mut Vec<u8>) -> Result<(), Failure> {
    let length = u32::try_from(bytes.len()).map_err(|_| Failure::Memory)?;
    out.push(tag);
    out.extend(length.to_le_bytes());
    out.extend(bytes);
    Ok(())
}

/// The table of a value; no rows if the value is empty.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rows<'a> {
    width: usize,
    /// Whether the first row has names.
    has_names: bool,
    cells: &'a [u8],
}

impl<'a> Rows<'a> {
    /// The table of a value that `__intrinsic_rows` created. NULL is a table without rows.
    ///
    /// # Errors
    ///
    /// If the value is something else.
    pub fn of(value: ValueRef<'a>) -> Result<Self, Failure> {
        let bytes = match value {
            ValueRef::Blob(bytes) => bytes,
            ValueRef::Null => &[],
            _ => return Err(not_rows()),
        };
        match bytes {
            [] | [_] => Ok(Self::default()),
            [width, has_names @ (0 | 1), cells @ ..] => Ok(Self {
                width: usize::from(*width),
                has_names: *has_names == 1,
                cells,
            }),
            _ => Err(not_rows()),
        }
    }

    /// Takes the column names; empty if the table has none.
    ///
    /// # Errors
    ///
    /// If the value does not come from `__intrinsic_rows`.
    pub fn take_names(&mut self) -> Result<Vec<&'a [u8]>, Failure> {
        let mut names = Vec::new();
        if std::mem::take(&mut self.has_names) {
            self.next_row(&mut names)?;
        }
        let text = |cell: &'a [u8]| cell.get(5..).unwrap_or_default();
        Ok(names.into_iter().map(text).collect())
    }

    /// Rows without names, which begin with `cells`.
    pub fn new(width: u8, cells: &'a [u8]) -> Self {
        Self {
            width: width.into(),
            has_names: false,
            cells,
        }
    }

    /// The bytes of the remaining rows.
    pub fn rest(&self) -> &'a [u8] {
        self.cells
    }

    /// The number of cells per row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Takes the next row: the encoded form of each cell. `None` at the end.
    ///
    /// # Errors
    /// If the value was made by something else.
    pub fn next_row(&mut self, row: &mut Vec<&'a [u8]>) -> Result<bool, Failure> {
        row.clear();
        if self.cells.is_empty() {
            return Ok(false);
        }
        if std::mem::take(&mut self.has_names) {
            self.next_row(row)?;
            return self.next_row(row);
        }
        if self.width == 0 {
            return Err(not_rows());
        }
        for _ in 0..self.width {
            let length = length(self.cells).ok_or_else(not_rows)?;
            let (cell, rest) = self.cells.split_at_checked(length).ok_or_else(not_rows)?;
            row.push(cell);
            self.cells = rest;
        }
        Ok(true)
    }
}

/// The length of the first cell.
fn length(cells: &[u8]) -> Option<usize> {
    match cells.first()? {
        &NULL => Some(1),
        &INTEGER | &REAL => Some(9),
        &TEXT | &BLOB => {
            let length = cells.get(1..5)?.try_into().ok()?;
            Some(5 + u32::from_le_bytes(length) as usize)
        }
        _ => None,
    }
}

fn not_rows() -> Failure {
    Failure::refused("the argument is not a table that __intrinsic_rows() made")
}

/// The integer of an encoded cell; `None` for other values.
pub(crate) fn integer(cell: &[u8]) -> Option<i64> {
    match cell.split_first()? {
        (&INTEGER, bytes) => Some(i64::from_le_bytes(bytes.try_into().ok()?)),
        _ => None,
    }
}

/// The number of an encoded cell. As in SQLite, NULL is 0; unlike in SQLite, every text is also 0.
pub(crate) fn real(cell: &[u8]) -> f64 {
    match value(cell) {
        ValueRef::Integer(value) => value as f64,
        ValueRef::Real(value) => value,
        _ => 0.0,
    }
}

/// Like [`real`], as a whole number. It is never `None`.
pub(crate) fn whole(cell: &[u8]) -> Option<i64> {
    Some(match value(cell) {
        ValueRef::Integer(value) => value,
        ValueRef::Real(value) => value as i64,
        _ => 0,
    })
}

/// The text of an encoded cell; `None` for other values.
pub(crate) fn text(cell: &[u8]) -> Option<&str> {
    match value(cell) {
        ValueRef::Text(bytes) => std::str::from_utf8(bytes).ok(),
        _ => None,
    }
}

/// The value of an encoded cell.
pub(crate) fn value(cell: &[u8]) -> ValueRef<'_> {
    let Some((tag, bytes)) = cell.split_first() else {
        return ValueRef::Null;
    };
    let number = || <[u8; 8]>::try_from(bytes).ok();
    let after_length = || bytes.get(4..).unwrap_or_default();
    match *tag {
        INTEGER => number().map_or(ValueRef::Null, |it| {
            ValueRef::Integer(i64::from_le_bytes(it))
        }),
        REAL => number().map_or(ValueRef::Null, |it| ValueRef::Real(f64::from_le_bytes(it))),
        TEXT => ValueRef::Text(after_length()),
        BLOB => ValueRef::Blob(after_length()),
        _ => ValueRef::Null,
    }
}

/// The value of an encoded cell, copied.
pub(crate) fn cell(cell: &[u8]) -> Cell {
    value(cell).into()
}

impl From<ValueRef<'_>> for Cell {
    fn from(value: ValueRef<'_>) -> Self {
        match value {
            ValueRef::Null => Self::Null,
            ValueRef::Integer(value) => Self::Integer(value),
            ValueRef::Real(value) => Self::Real(value),
            ValueRef::Text(bytes) => Self::Text(bytes.into()),
            ValueRef::Blob(bytes) => Self::Blob(bytes.into()),
        }
    }
}
