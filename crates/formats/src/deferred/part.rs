//! A part that is read separately.

use traceloom_trace::{ClockRow, Trace, TraceBuilder};

use crate::error::ReadError;
use crate::format::{ReadOptions, Target};
use crate::unwrap::Inner;

/// Reads a part into `out`.
pub(super) fn read_part(
    bytes: &[u8],
    format: &'static str,
    options: &ReadOptions,
    out: &mut Target<'_>,
) -> Result<(), ReadError> {
    let mut inner = Inner::new(format, options);
    inner.feed(bytes, out)?;
    inner.finish(out)
}

/// A part that was read separately.
pub(super) struct Part {
    /// The clocks by which it can be aligned.
    pub clocks: Vec<ClockRow>,
    content: Content,
}

enum Content {
    Read(Box<Trace>),
    /// An empty trace takes more memory than a small part, so a small part is read again when it is
    /// placed.
    Small {
        bytes: Vec<u8>,
        format: &'static str,
        options: ReadOptions,
    },
}

/// A part of at least this many bytes is larger than an empty trace.
const SMALL: usize = 16 << 10;

impl Part {
    /// Reads a part.
    pub fn read(
        bytes: Vec<u8>,
        format: &'static str,
        options: ReadOptions,
    ) -> Result<Self, ReadError> {
        let mut builder = TraceBuilder::new();
        read_part(&bytes, format, &options, &mut Target::Trace(&mut builder))?;
        let clocks = builder.trace().clocks.clone();
        let content = if bytes.len() < SMALL {
            Content::Small {
                bytes,
                format,
                options,
            }
        } else {
            Content::Read(Box::new(builder.finish()))
        };
        Ok(Self { clocks, content })
    }

    /// Returns the trace of this part.
    pub fn into_trace(self) -> Trace {
        match self.content {
            Content::Read(trace) => *trace,
            Content::Small {
                bytes,
                format,
                options,
            } => {
                let mut builder = TraceBuilder::new();
                // The first read succeeded, so the second one does, too.
                let _ = read_part(&bytes, format, &options, &mut Target::Trace(&mut builder));
                builder.finish()
            }
        }
    }
}
