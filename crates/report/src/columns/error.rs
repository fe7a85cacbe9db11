//! Errors of decoding.

/// The result of a decoding step. The error is boxed to keep the common case small.
pub(crate) type Result<T> = std::result::Result<T, Box<ColumnsError>>;

/// Why blocks cannot be decoded. Unknown tables and columns are not errors, because newer versions may
/// add some.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ColumnsError {
    /// A block without the magic number.
    #[error("block {block} does not begin with \"tlco\"")]
    Magic {
        /// Index of the block.
        block: usize,
    },
    /// A version of the encoding that is too new.
    #[error("block {block} has version {found}; this program reads up to {known}")]
    Version {
        /// Index of the block.
        block: usize,
        /// The version of the block.
        found: u64,
        /// The newest supported version.
        known: u64,
    },
    /// The block ends too early.
    #[error("{table}: the data ends inside {inside}")]
    Truncated {
        /// The table.
        table: String,
        /// The part that was being read.
        inside: &'static str,
    },
    /// A column value out of range.
    #[error("{table}.{column}: {what} is {found}; expected {expected}")]
    Value {
        /// The table.
        table: String,
        /// The column.
        column: String,
        /// The kind of value.
        what: &'static str,
        /// The value.
        found: i64,
        /// The allowed values.
        expected: &'static str,
    },
    /// More rows than the bytes can encode.
    #[error("{table}: {rows} rows in {bytes} bytes, which is too dense for a trace")]
    TooManyRows {
        /// The table.
        table: String,
        /// The declared number of rows.
        rows: u64,
        /// The table's length, bytes.
        bytes: usize,
    },
    /// A duplicate table or string.
    #[error("{table}: duplicate {what}")]
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
    /// A column value out of range: the value, its kind and the allowed values.
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
