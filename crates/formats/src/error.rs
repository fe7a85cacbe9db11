//! Errors of readers and writers.

use traceloom_report::ColumnsError;
use traceloom_trace::Place;

/// Why an input cannot be read: it is not a trace, or it ends too early to contain any event.
/// Lesser damage is repaired and counted in the trace.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// No format recognises the bytes.
    #[error("not a trace that traceloom knows: the input begins with {found}")]
    UnknownFormat {
        /// The first bytes, made printable.
        found: String,
    },
    /// The input is a file of another tool, which traceloom does not read.
    #[error("this is {name}, which traceloom does not read")]
    Foreign {
        /// What the file is, with an article.
        name: &'static str,
        /// What the user can do with it.
        advice: &'static str,
    },
    /// The input is empty.
    #[error("the input is empty")]
    Empty,
    /// A field has a value that the format does not allow, so nothing after it can be read.
    #[error("{format}: {field} is {found} at {place}; expected {expected}")]
    Field {
        /// The format that was being read.
        format: &'static str,
        /// The field.
        field: &'static str,
        /// Its value, made printable.
        found: String,
        /// The allowed values.
        expected: &'static str,
        /// Its position.
        place: Place,
    },
    /// The input ends inside a part that is required.
    #[error("{format}: the input ends at byte {offset}, inside {inside}")]
    Truncated {
        /// The format that was being read.
        format: &'static str,
        /// The part.
        inside: &'static str,
        /// The length of the input, bytes.
        offset: u64,
    },
    /// A binary trace that was converted as if it were text.
    #[error(
        "{format}: the file looks re-encoded as UTF-8 (bytes EF BF BD in binary data at byte {offset}); \
         copy it again in binary mode"
    )]
    Reencoded {
        /// The format that was being read.
        format: &'static str,
        /// The position of the first such byte.
        offset: u64,
    },
    /// Compressed data that is damaged from this position on.
    #[error("{format}: compressed data broken after {offset} bytes of output: {reason}")]
    Compression {
        /// The container.
        format: &'static str,
        /// Bytes decompressed so far.
        offset: u64,
        /// The message of the decoder.
        reason: String,
    },
    /// Decompression exceeds the limit: a decompression bomb or a very large trace.
    #[error(
        "{format}: unpacks to more than {limit} bytes; if this is a real trace, raise --max-decompressed"
    )]
    TooBig {
        /// The container.
        format: &'static str,
        /// The limit, bytes.
        limit: u64,
    },
    /// A decompression bomb: the data expands far more than any real trace.
    #[error(
        "{format}: {packed} bytes unpack to more than {unpacked}, as no trace does; \
         if this is a real one, unpack it with another tool first"
    )]
    Bomb {
        /// The container.
        format: &'static str,
        /// Compressed bytes read.
        packed: u64,
        /// Bytes they expanded to.
        unpacked: u64,
    },
    /// Too many nested containers.
    #[error("{format}: containers nested more than {limit} deep")]
    TooDeep {
        /// The innermost container.
        format: &'static str,
        /// The limit.
        limit: u8,
    },
    /// An entry of an archive cannot be read.
    #[error("{name}: {error}")]
    InMember {
        /// The name of the entry.
        name: String,
        /// Why it cannot be read.
        error: Box<ReadError>,
    },
    /// An entry of an archive needs a password.
    #[error("is encrypted")]
    Encrypted,
    /// An entry of an archive is compressed in a way that is not supported.
    #[error("uses {name}, which traceloom does not unpack")]
    Method {
        /// The name of the compression.
        name: String,
    },
    /// A container without a trace in it.
    #[error("{format}: no trace inside ({entries} entries looked at)")]
    NothingInside {
        /// The container.
        format: &'static str,
        /// The number of its entries.
        entries: usize,
    },
    /// The manifest of an archive of traces requests something impossible.
    #[error("perfetto_manifest: {reason}")]
    Manifest {
        /// What is wrong.
        reason: String,
    },
    /// The columns of a report are invalid.
    #[error("report: {0}")]
    Columns(#[from] ColumnsError),
    /// Method events were requested from an input that has none.
    #[error("{format} has no method events")]
    NoMethodEvents {
        /// The format of the input.
        format: &'static str,
    },
    /// The text was requested from an input that is not text.
    #[error("{format} is not ftrace text")]
    NoText {
        /// The format of the input.
        format: &'static str,
    },
}

impl ReadError {
    /// The error itself, without the names of the archive's entries in which it happened.
    pub fn innermost(&self) -> &Self {
        let mut error = self;
        while let Self::InMember { error: inner, .. } = error {
            error = inner;
        }
        error
    }

    /// Whether a container is nested too deep or unpacks to too much.
    pub(crate) fn is_limit(&self) -> bool {
        matches!(self.innermost(), Self::TooDeep { .. } | Self::TooBig { .. })
    }

    /// This error in an entry of an archive.
    pub(crate) fn inside(self, name: &str) -> Self {
        Self::InMember {
            name: name.to_owned(),
            error: Box::new(self),
        }
    }
}

/// Why a trace cannot be written in a format.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// Writing to the output failed.
    #[error("cannot write: {0}")]
    Io(#[from] std::io::Error),
    /// The trace holds nothing that the format can express.
    #[error("{format} holds {holds}, and this trace has none")]
    NothingToWrite {
        /// The format.
        format: &'static str,
        /// What it can express.
        holds: &'static str,
    },
    /// A copy of the lines of a range was requested, but the range contains no event.
    #[error("no event is in the range")]
    EmptyRange,
    /// An option value that the format does not allow.
    #[error("{format}: {option} is {found}; expected {expected}")]
    Option {
        /// The format.
        format: &'static str,
        /// The option.
        option: &'static str,
        /// Its value.
        found: String,
        /// The allowed values.
        expected: &'static str,
    },
    /// The result exceeds [`WriteOptions::max_bytes`](crate::WriteOptions::max_bytes).
    #[error("the result would have {bytes} bytes, and the limit is {most}")]
    TooLong {
        /// The size of the result.
        bytes: u64,
        /// The limit.
        most: u64,
    },
}

/// The first bytes of an input in printable form, for messages.
pub(crate) fn printable(bytes: &[u8]) -> String {
    const SHOWN: usize = 24;
    let shown = &bytes[..bytes.len().min(SHOWN)];
    let more = if bytes.len() > SHOWN { "…" } else { "" };
    format!("\"{}{more}\"", shown.escape_ascii())
}
