//! traceloom's own reports: HTML pages that carry a trace as columns. The `traceloom-report` crate
//! defines the format; this is its entry in the registry.

use traceloom_report::{DecodeError, Decoder, is_report};
use traceloom_trace::Place;

use crate::error::ReadError;
use crate::format::{Confidence, Format, ReadOptions, Reader, Target};
use crate::unwrap::Allowance;

const ID: &str = "report";

/// A report. Its trace is taken over unchanged, including its sources and repairs.
pub(crate) struct Report;

impl Format for Report {
    fn id(&self) -> &'static str {
        ID
    }

    fn title(&self) -> &'static str {
        "traceloom report"
    }

    /// The trace inside already has its sources.
    fn is_container(&self) -> bool {
        true
    }

    fn sniff(&self, head: &[u8]) -> Confidence {
        if is_report(head) {
            Confidence::Certain
        } else {
            Confidence::No
        }
    }

    fn reader(&self, options: &ReadOptions) -> Option<Box<dyn Reader>> {
        Some(Box::new(ReportReader {
            decoder: Decoder::default(),
            allowance: Allowance::new(ID, options),
        }))
    }
}

struct ReportReader {
    decoder: Decoder,
    allowance: Allowance,
}

impl Reader for ReportReader {
    fn feed(&mut self, chunk: &[u8], out: &mut Target<'_>) -> Result<(), ReadError> {
        out.trace(ID)?;
        let allowance = &self.allowance;
        // The columns of a regular trace compress better than any text, so only their total length
        // is limited, not the ratio.
        self.decoder.feed(chunk, |bytes| allowance.take_any(bytes))
    }

    fn finish(&mut self, out: &mut Target<'_>) -> Result<(), ReadError> {
        let builder = out.trace(ID)?;
        let trace = std::mem::take(&mut self.decoder).finish()?;
        builder.append(trace, 0);
        Ok(())
    }
}

impl From<DecodeError> for ReadError {
    fn from(error: DecodeError) -> Self {
        match error {
            DecodeError::Truncated { offset } => Self::Truncated {
                format: ID,
                inside: "the columns",
                offset,
            },
            DecodeError::Compression { unpacked, reason } => Self::Compression {
                format: ID,
                offset: unpacked,
                reason,
            },
            DecodeError::Length {
                declared,
                expected,
                offset,
            } => Self::Field {
                format: ID,
                field: "data-bytes",
                found: declared,
                expected,
                place: Place::at_offset(offset),
            },
            DecodeError::Blocks { declared, .. } => Self::Field {
                format: ID,
                field: "data-blocks",
                found: declared,
                expected: "the number of blocks in the page",
                place: Place::default(),
            },
            DecodeError::NoColumns => Self::NothingInside {
                format: ID,
                entries: 0,
            },
            DecodeError::Columns(error) => Self::Columns(error),
            // `DecodeError` is non-exhaustive.
            other => Self::Compression {
                format: ID,
                offset: 0,
                reason: other.to_string(),
            },
        }
    }
}

#[cfg(test)]
mod tests;
