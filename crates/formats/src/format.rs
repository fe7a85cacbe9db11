//! The one trait a format implements, and what passes through it.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use traceloom_trace::{MethodEvents, Place, RepairKind, Trace, TraceBuilder};

use crate::error::{ReadError, WriteError};
use crate::left_out::Written;
use crate::rules::EventRules;

/// How sure a format is that some bytes are its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Confidence {
    /// They are not.
    No,
    /// They may be, if nobody else knows them better.
    Maybe,
    /// Most of it looks right.
    Likely,
    /// A magic number that nobody else has.
    Certain,
}

/// A format: how to recognise it, read it and, for some, write it. A folder of this crate holds
/// each, and [`FORMATS`](crate::FORMATS) lists them.
pub trait Format: Sync {
    /// Its stable short name, as `--to` takes it and `info --json` prints it.
    fn id(&self) -> &'static str;
    /// What it is, in a few words for people.
    fn title(&self) -> &'static str;
    /// Whether it only wraps other formats: what is inside goes through the registry again.
    fn is_container(&self) -> bool {
        false
    }
    /// Looks at the first bytes (up to [`SNIFF_BYTES`], fewer only where the input is shorter).
    fn sniff(&self, head: &[u8]) -> Confidence;
    /// Whether its reader jumps about in the input, and so is best given it as a whole
    /// ([`Reader::whole`]). Fed in chunks, it keeps a copy.
    fn wants_whole(&self) -> bool {
        false
    }
    /// Starts reading; `None` for a format that is only written.
    fn reader(&self, options: &ReadOptions) -> Option<Box<dyn Reader>>;
    /// How it is written, if it is.
    fn writer(&self) -> Option<&dyn Writer> {
        None
    }
}

/// How many bytes [`Format::sniff`] is shown where the input has them.
pub const SNIFF_BYTES: usize = 64 << 10;

/// How much of an input that lies in memory is read before [`Reader::feed_parts`] tells so, bytes: enough for
/// readers that share it out to threads, and little beside what it becomes.
pub const PART_BYTES: usize = 16 << 20;

/// A reader of one input. Bytes are pushed into it in chunks of any size, as they come from a
/// file, a pipe or a device; the result does not depend on where chunks end.
pub trait Reader {
    /// Reads the next bytes.
    fn feed(&mut self, chunk: &[u8], out: &mut Target<'_>) -> Result<(), ReadError>;
    /// As [`feed`](Self::feed), for many bytes that lie in memory. Part by part `done` hears how many of them, from
    /// the first one on, are of no use any more.
    fn feed_parts(
        &mut self,
        bytes: &[u8],
        out: &mut Target<'_>,
        done: &mut dyn FnMut(usize),
    ) -> Result<(), ReadError> {
        for part in bytes.chunks(PART_BYTES) {
            self.feed(part, out)?;
            done(part.len());
        }
        Ok(())
    }
    /// The input is over.
    fn finish(&mut self, out: &mut Target<'_>) -> Result<(), ReadError>;
    /// Reads an input that lies in memory from its beginning to its end.
    fn whole(&mut self, bytes: &[u8], out: &mut Target<'_>) -> Result<(), ReadError> {
        self.feed(bytes, out)?;
        self.finish(out)
    }
}

/// Where a reader puts what it reads.
pub enum Target<'a> {
    /// Into the tables of a trace.
    Trace(&'a mut TraceBuilder),
    /// Method events go straight to a consumer, without tables. Only method traces can.
    Methods(&'a mut dyn MethodEvents),
}

impl Target<'_> {
    /// The builder; an error for a reader that has no method events to give.
    pub fn trace(&mut self, format: &'static str) -> Result<&mut TraceBuilder, ReadError> {
        match self {
            Self::Trace(builder) => Ok(builder),
            Self::Methods(_) => Err(ReadError::NoMethodEvents { format }),
        }
    }

    /// Counts a repair, wherever the reading goes. A container does this for its own damage, so a
    /// consumer of method events may hear of it after its `finish`.
    pub fn repair(
        &mut self,
        kind: RepairKind,
        count: u64,
        place: Place,
        detail: impl FnOnce() -> String,
    ) {
        match self {
            Self::Trace(builder) => builder.repair(kind, count, place, detail),
            Self::Methods(_) if count == 0 => {}
            Self::Methods(consumer) => consumer.repair(kind, count, place, detail()),
        }
    }
}

/// What readers may need to know besides the bytes.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// What the input is called in the source table and in messages.
    pub name: String,
    /// How many threads may read at once, at least 1. The result does not depend on it.
    pub threads: usize,
    /// The most bytes that decompression may produce, over all containers of the input.
    pub max_decompressed: u64,
    /// How to read kernel events that traceloom does not know.
    pub rules: Arc<EventRules>,
    /// A process dump taken beside the trace (`ps -AT`, or systrace's PROCESS DUMP): tells the
    /// processes of threads and their names.
    pub process_dump: Option<Arc<Vec<u8>>>,
    /// The containers around the input. Containers fill it in; everyone else keeps the default.
    pub nesting: Nesting,
}

impl ReadOptions {
    /// The options for an input that belongs to the current source instead of beginning its own:
    /// the blocks of a systrace page share threads and processes.
    pub fn joined(&self) -> Self {
        let mut options = self.clone();
        options.nesting.joined = true;
        options
    }
}

/// Where an input stands among the containers around it.
#[derive(Clone, Debug)]
pub struct Nesting {
    /// How many containers are around the input.
    pub(crate) depth: u8,
    /// Whether the input belongs to the current source ([`ReadOptions::joined`]).
    pub(crate) joined: bool,
    /// Bytes that decompression has produced so far, over all containers of the input.
    pub(crate) decompressed: Arc<AtomicU64>,
    /// Opens what a container holds, whatever its format. The registry provides it, so that
    /// containers do not depend on the list of formats.
    pub(crate) open: fn(ReadOptions) -> Box<dyn Reader>,
}

/// How a format is written.
pub trait Writer: Sync {
    /// File name endings that mean this format, without the dot, longest first.
    fn extensions(&self) -> &'static [&'static str];
    /// Writes the trace, and tells what of it the format has no place for.
    fn write(
        &self,
        trace: &Trace,
        options: &WriteOptions,
        out: &mut dyn Write,
    ) -> Result<Written, WriteError>;
}

/// Choices for writers; each format looks at its own.
#[derive(Clone, Debug)]
pub struct WriteOptions {
    /// `.trace`: record version, 1 to 3.
    pub trace_version: u8,
    /// `.trace`: the streaming variant.
    pub streaming: bool,
    /// Collapsed stacks: count CPU time where it was recorded, else wall time.
    pub cpu_time: bool,
}

impl Default for WriteOptions {
    fn default() -> Self {
        Self {
            trace_version: 3,
            streaming: false,
            cpu_time: false,
        }
    }
}
