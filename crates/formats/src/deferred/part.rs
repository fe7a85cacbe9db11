//! A part that is read by itself.

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

/// A part that was read by itself.
pub(super) struct Part {
    /// What it can be aligned by.
    pub clocks: Vec<ClockRow>,
    content: Content,
}

enum Content {
    Read(Box<Trace>),
    /// An empty trace takes more memory than a small part, so this one is read again when it is placed.
    Small {
        bytes: Vec<u8>,
        format: &'static str,
        options: ReadOptions,
    },
}

/// Parts of this many bytes are larger than an empty trace.
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

    /// What was read.
    pub fn into_trace(self) -> Trace {
        match self.content {
            Content::Read(trace) => *trace,
            Content::Small {
                bytes,
                format,
                options,
            } => {
                let mut builder = TraceBuilder::new();
                // It was read without an error before.
                let _ = read_part(&bytes, format, &options, &mut Target::Trace(&mut builder));
                builder.finish()
            }
        }
    }
}
