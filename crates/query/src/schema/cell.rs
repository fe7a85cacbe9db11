//! A value of a table.

use traceloom_trace::{RowId, StringId};

/// A value of a table, before it is passed to SQLite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Cell {
    /// Absent.
    Null,
    /// A whole number.
    Int(i64),
    /// A number with a fraction.
    Float(f64),
    /// A text of the pools of the trace and the query.
    Text(StringId),
}

impl Cell {
    /// A row number of another table; NULL for none.
    pub fn id<T: RowId>(id: T) -> Self {
        id.some()
            .map_or(Self::Null, |id| Self::Int(id.row() as i64))
    }

    /// A number, or NULL if it equals `absent`.
    pub fn unless(value: i64, absent: i64) -> Self {
        if value == absent {
            Self::Null
        } else {
            Self::Int(value)
        }
    }

    /// A text; NULL if the trace does not have it.
    pub fn text(id: StringId) -> Self {
        if id == StringId::NULL {
            Self::Null
        } else {
            Self::Text(id)
        }
    }

    /// A text that is empty if it is absent.
    pub fn text_unless_empty(id: StringId) -> Self {
        if id.is_empty() {
            Self::Null
        } else {
            Self::Text(id)
        }
    }
}
