//! Parts of a systrace page or JSON file with their own clock: WALT events, BattOr samples, dumps
//! of processes' memory. They are read after everything else, because the data that relates their
//! clocks to the trace's clock may come anywhere in the file:
//!
//! ```text
//! ftrace      |----------*-----|            marker a
//! controller           ( a  b )             its own clock noted both
//! BattOr                  |--*-----|        marker b
//! ```

mod part;
mod queue;

use traceloom_trace::{Place, RepairKind};

use crate::error::ReadError;
use crate::format::{ReadOptions, Target, TextPart, TextParts};
use crate::{battor, process_dump};
use part::{Part, read_part};
use queue::Queue;

/// The number of bytes in which the clock of a part is looked for.
const HEAD: usize = 64;

/// Whether a part that begins with `head` has its own clock.
pub(crate) fn is_deferred(head: &[u8]) -> bool {
    let head = &head[..head.len().min(HEAD)];
    head.starts_with(battor::TITLE)
        || head.starts_with(process_dump::memory::TITLE)
        || memchr::memmem::find(head, b"# clock_type=").is_some()
}

/// Collects such parts until everything else is read.
#[derive(Default)]
pub(crate) struct Deferred {
    parts: Vec<(String, Vec<u8>)>,
}

impl Deferred {
    /// Adds a part. `name` becomes the name of its source.
    pub fn add(&mut self, name: &str, bytes: Vec<u8>) {
        self.parts.push((name.to_owned(), bytes));
    }

    /// Reads the parts and places them on the trace's time line. Parts that share a clock or a
    /// marker with the existing trace come first.
    ///
    /// # Errors
    /// [`ReadError::TooDeep`] and [`ReadError::TooBig`]; any other damage is counted as a repair.
    pub fn finish(
        &mut self,
        format: &'static str,
        options: &ReadOptions,
        out: &mut Target<'_>,
    ) -> Result<(), ReadError> {
        if let Target::Text(parts) = out {
            self.pass_on(*parts);
            return Ok(());
        }
        let mut apart = Vec::new();
        for (name, bytes) in std::mem::take(&mut self.parts) {
            let joins = bytes.starts_with(process_dump::memory::TITLE);
            let mut options = options.clone();
            options.name = name;
            options.nesting.joined = joins;
            let read = if joins {
                read_part(
                    &bytes,
                    format,
                    &options,
                    &mut Target::Trace(out.trace(format)?),
                )
            } else {
                Part::read(bytes, format, options.clone()).map(|part| apart.push(part))
            };
            match read {
                Ok(()) => {}
                Err(error) if error.is_limit() => {
                    return Err(error);
                }
                Err(error) => out.repair(RepairKind::BrokenBlock, 1, Place::default(), || {
                    format!("{}: {error}", options.name)
                }),
            }
        }
        if !apart.is_empty() {
            Queue::new(apart).place(out.trace(format)?);
        }
        Ok(())
    }
}

impl Deferred {
    /// Passes on the text of the parts. Only a dump belongs to the trace; the others have their own
    /// clock.
    fn pass_on(&mut self, out: &mut dyn TextParts) {
        for (_, bytes) in std::mem::take(&mut self.parts) {
            if bytes.starts_with(process_dump::memory::TITLE) {
                out.begin_part(TextPart::TimedDump);
                out.text(&bytes);
            } else {
                out.other();
            }
        }
    }
}
