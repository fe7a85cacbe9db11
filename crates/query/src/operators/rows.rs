//! Tables as values: a BLOB with the cells of all rows.
//!
//! ```text
//! cells per row (1 byte), then each cell: 0 NULL | 1 integer (8 bytes) | 2 real (8) | 3 text, 4 BLOB (length, 4; bytes)
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
    /// The memory it takes, bytes.
    pub fn bytes(&self) -> usize {
        let more = match self {
            Self::Text(bytes) | Self::Blob(bytes) => bytes.len(),
            _ => 0,
        };
        size_of::<Self>() + more
    }
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
    cells: &'a [u8],
}

impl<'a> Rows<'a> {
    /// The table of a value that `__intrinsic_rows` made. NULL is a table without rows.
    ///
    /// # Errors
    /// If the value is something else.
    pub fn of(value: ValueRef<'a>) -> Result<Self, Failure> {
        let bytes = match value {
            ValueRef::Blob(bytes) => bytes,
            ValueRef::Null => &[],
            _ => return Err(not_rows()),
        };
        Ok(match bytes.split_first() {
            Some((width, cells)) => Self {
                width: usize::from(*width),
                cells,
            },
            None => Self::default(),
        })
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

/// The value of an encoded cell.
pub(crate) fn cell(cell: &[u8]) -> Cell {
    let Some((tag, bytes)) = cell.split_first() else {
        return Cell::Null;
    };
    let number = || <[u8; 8]>::try_from(bytes).ok();
    let after_length = || bytes.get(4..).unwrap_or_default().into();
    match *tag {
        INTEGER => number().map_or(Cell::Null, |it| Cell::Integer(i64::from_le_bytes(it))),
        REAL => number().map_or(Cell::Null, |it| Cell::Real(f64::from_le_bytes(it))),
        TEXT => Cell::Text(after_length()),
        BLOB => Cell::Blob(after_length()),
        _ => Cell::Null,
    }
}
