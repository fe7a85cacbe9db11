//! Why blocks cannot be decoded.

/// What reading gives on the way; boxed, so that what is nearly always fine is not moved about in
/// the room that an error would take.
pub(crate) type Result<T> = std::result::Result<T, Box<ColumnsError>>;

/// What is wrong with blocks of columns. Columns and tables that are not known are no error:
/// newer programs may write more.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ColumnsError {
    /// A block does not begin as blocks do.
    #[error("block {block} does not begin with \"tlco\"")]
    Magic {
        /// Which block, from 0.
        block: usize,
    },
    /// Written by a newer program, in a way that this one cannot read.
    #[error("block {block} has version {found}; this program reads up to {known}")]
    Version {
        /// Which block, from 0.
        block: usize,
        /// Its version.
        found: u64,
        /// The newest known.
        known: u64,
    },
    /// The bytes end inside something.
    #[error("{table}: the data ends inside {inside}")]
    Truncated {
        /// The table.
        table: String,
        /// What was being read.
        inside: &'static str,
    },
    /// A number that makes no sense where it stands.
    #[error("{table}.{column}: {what} is {found}; expected {expected}")]
    Value {
        /// The table.
        table: String,
        /// The column.
        column: String,
        /// What it says.
        what: &'static str,
        /// The number.
        found: i64,
        /// What it may be.
        expected: &'static str,
    },
    /// More rows than the bytes can stand for.
    #[error("{table}: {rows} rows in {bytes} bytes, which no trace packs so well")]
    TooManyRows {
        /// The table.
        table: String,
        /// Rows it claims.
        rows: u64,
        /// Bytes it has.
        bytes: usize,
    },
    /// A table or column that comes twice.
    #[error("{table}: the {what} comes twice")]
    Twice {
        /// The table.
        table: String,
        /// `table`, or `string`.
        what: &'static str,
    },
    /// Text that is not UTF-8.
    #[error("{table}.{column}: the text is not UTF-8")]
    Text {
        /// The table.
        table: String,
        /// The column.
        column: String,
    },
}

impl ColumnsError {
    /// A number that makes no sense: what it says and what it may be.
    #[cold]
    pub(crate) fn wrong(
        table: &str,
        column: &str,
        found: i64,
        (what, expected): (&'static str, &'static str),
    ) -> Box<Self> {
        Box::new(Self::Value {
            table: table.to_owned(),
            column: column.to_owned(),
            what,
            found,
            expected,
        })
    }
}
