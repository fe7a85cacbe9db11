//! Why an input cannot be read, or a trace not be written.

use traceloom_report::ColumnsError;
use traceloom_trace::Place;

/// Input that is not a trace, or that breaks off where nothing can be kept. Everything less is a
/// repair, counted in the trace.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// No format recognises the bytes.
    #[error("not a trace that traceloom knows: the input begins with {found}")]
    UnknownFormat {
        /// The first bytes, made printable.
        found: String,
    },
    /// The input is empty.
    #[error("the input is empty")]
    Empty,
    /// A field has a value that the format does not allow, and nothing after it can be trusted.
    #[error("{format}: {field} is {found} at {place}; expected {expected}")]
    Field {
        /// The format that was being read.
        format: &'static str,
        /// The broken field.
        field: &'static str,
        /// Its value, made printable.
        found: String,
        /// What it should be.
        expected: &'static str,
        /// Where it stands.
        place: Place,
    },
    /// The input ends before the part without which it is no trace.
    #[error("{format}: the input ends at byte {offset}, inside {inside}")]
    Truncated {
        /// The format that was being read.
        format: &'static str,
        /// What was being read.
        inside: &'static str,
        /// Where it ends, bytes.
        offset: u64,
    },
    /// A binary trace that some tool took for text.
    #[error(
        "{format}: the file looks re-encoded as UTF-8 (bytes EF BF BD in binary data at byte {offset}); \
         copy it again in binary mode"
    )]
    Reencoded {
        /// The format that was being read.
        format: &'static str,
        /// The first such byte.
        offset: u64,
    },
    /// Compressed data that cannot be unpacked any further.
    #[error("{format}: compressed data broken after {offset} bytes of output: {reason}")]
    Compression {
        /// The container.
        format: &'static str,
        /// Bytes unpacked so far.
        offset: u64,
        /// What the decoder said.
        reason: String,
    },
    /// Decompression gives more than the limit: a bomb, or a very big trace.
    #[error(
        "{format}: unpacks to more than {limit} bytes; if this is a real trace, raise --max-decompressed"
    )]
    TooBig {
        /// The container.
        format: &'static str,
        /// The limit, bytes.
        limit: u64,
    },
    /// Data that unpacks to far more than any real trace does: a compression bomb.
    #[error(
        "{format}: {packed} bytes unpack to more than {unpacked}, as no trace does; \
         if this is a real one, unpack it with another tool first"
    )]
    Bomb {
        /// The container.
        format: &'static str,
        /// Compressed bytes read.
        packed: u64,
        /// Bytes they gave.
        unpacked: u64,
    },
    /// Containers within containers beyond any real use.
    #[error("{format}: containers nested more than {limit} deep")]
    TooDeep {
        /// The innermost container.
        format: &'static str,
        /// The limit.
        limit: u8,
    },
    /// A container with nothing in it that is a trace.
    #[error("{format}: no trace inside ({entries} entries looked at)")]
    NothingInside {
        /// The container.
        format: &'static str,
        /// How many entries it has.
        entries: usize,
    },
    /// The columns of a report contradict themselves.
    #[error("report: {0}")]
    Columns(#[from] ColumnsError),
    /// Method events were asked for, but the input is of another kind.
    #[error("{format} has no method events")]
    NoMethodEvents {
        /// The format of the input.
        format: &'static str,
    },
}

/// Why a trace cannot be written in a format.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The sink failed.
    #[error("cannot write: {0}")]
    Io(#[from] std::io::Error),
    /// The trace has nothing that the format can hold.
    #[error("{format} holds {holds}, and this trace has none")]
    NothingToWrite {
        /// The format.
        format: &'static str,
        /// What it holds.
        holds: &'static str,
    },
    /// An option that the format does not have.
    #[error("{format}: {option} is {found}; expected {expected}")]
    Option {
        /// The format.
        format: &'static str,
        /// The option.
        option: &'static str,
        /// Its value.
        found: String,
        /// What it may be.
        expected: &'static str,
    },
}

/// The first bytes of an input, printable and short, for messages.
pub(crate) fn printable(bytes: &[u8]) -> String {
    const SHOWN: usize = 24;
    let shown = &bytes[..bytes.len().min(SHOWN)];
    let more = if bytes.len() > SHOWN { "…" } else { "" };
    format!("\"{}{more}\"", shown.escape_ascii())
}
