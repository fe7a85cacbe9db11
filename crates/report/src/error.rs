//! Why a report's trace cannot be read.

use crate::columns::ColumnsError;

/// An error while reading the trace of a report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// The page ends inside a block, or before the last one.
    #[error("the page ends at byte {offset}, inside the columns")]
    Truncated {
        /// Length of the page, bytes.
        offset: u64,
    },
    /// A block is not valid gzip.
    #[error("a block of columns is broken after {unpacked} bytes: {reason}")]
    Compression {
        /// Bytes of the block that could be unpacked.
        unpacked: u64,
        /// The decompressor's message.
        reason: String,
    },
    /// A block's declared length is missing, or is not the length of its content.
    #[error("a block's data-bytes is {declared}; expected the block's length, {expected}")]
    Length {
        /// The value of `data-bytes`; empty if it is missing.
        declared: String,
        /// The available information about the length.
        expected: &'static str,
        /// The start of the element's content in the page, bytes.
        offset: u64,
    },
    /// Blocks are missing, or there are too many.
    #[error("the page has {found} blocks of columns, but data-blocks is {declared}")]
    Blocks {
        /// The value of `data-blocks`.
        declared: String,
        /// The number of blocks in the page.
        found: usize,
    },
    /// The page has no block of columns.
    #[error("the page has no columns")]
    NoColumns,
    /// The blocks contradict each other, or come from a newer version.
    #[error(transparent)]
    Columns(#[from] ColumnsError),
}
