//! The trait that every format implements, and the types it uses.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use traceloom_trace::{MethodEvents, Place, RepairKind, Trace, TraceBuilder};

use crate::error::{ReadError, WriteError};
use crate::omissions::Written;
use crate::parts::Parts;
use crate::rules::EventRules;
use crate::symbolizer::Symbolizer;

/// How sure a format is that an input is in this format.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Confidence {
    /// It is not.
    No,
    /// It may be, if no other format has a higher confidence.
    Maybe,
    /// It looks like it.
    Likely,
    /// It begins with something only this format has, such as a magic number.
    Certain,
}

/// A format: how to recognise it, read it and, for some, write it. [`FORMATS`](crate::FORMATS) lists
/// them all.
pub trait Format: Sync {
    /// The stable short name, which `--to` takes and `info --json` prints.
    fn id(&self) -> &'static str;
    /// A description in a few words.
    fn title(&self) -> &'static str;
    /// Whether it only wraps inputs of other formats.
    fn is_container(&self) -> bool {
        false
    }
    /// Judges an input by its first bytes: [`SNIFF_BYTES`], or fewer if the input is shorter.
    fn sniff(&self, head: &[u8]) -> Confidence;
    /// Whether its reader needs random access, so that [`Reader::whole`] is the better choice. A reader that is fed in
    /// chunks keeps a copy.
    fn wants_whole(&self) -> bool {
        false
    }
    /// Creates a reader; `None` for a format that can only be written.
    fn reader(&self, options: &ReadOptions) -> Option<Box<dyn Reader>>;
    /// The writer, if the format can be written.
    fn writer(&self) -> Option<&dyn Writer> {
        None
    }
}

/// The number of bytes that [`Format::sniff`] looks at.
pub const SNIFF_BYTES: usize = 64 << 10;

/// Bytes after which [`Reader::feed_parts`] reports progress: enough to keep several threads busy, and
/// little compared with the tables they become.
pub const PART_BYTES: usize = 16 << 20;

/// A reader of one input. Bytes are pushed in chunks of any size, as they arrive from a file, a pipe
/// or a device. The result does not depend on where chunks end.
pub trait Reader {
    /// Reads the next bytes.
    ///
    /// # Errors
    /// If the input is not a trace of this format; see [`ReadError`].
    fn feed(&mut self, chunk: &[u8], out: &mut Target<'_>) -> Result<(), ReadError>;
    /// Like [`feed`](Self::feed), for a large input in memory. After each part, `done` is called
    /// with the number of further bytes that are no longer needed.
    ///
    /// # Errors
    /// Like [`feed`](Self::feed).
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
    /// Ends the input.
    ///
    /// # Errors
    /// If the input was too short to be a trace of this format.
    fn finish(&mut self, out: &mut Target<'_>) -> Result<(), ReadError>;
    /// Reads an input that is completely in memory.
    ///
    /// # Errors
    /// Like [`feed`](Self::feed) and [`finish`](Self::finish).
    fn whole(&mut self, bytes: &[u8], out: &mut Target<'_>) -> Result<(), ReadError> {
        self.feed(bytes, out)?;
        self.finish(out)
    }
}

/// The destination of a reader.
pub enum Target<'a> {
    /// The tables of a trace.
    Trace(&'a mut TraceBuilder),
    /// A consumer of method events. Only readers of method traces support it.
    Methods(&'a mut dyn MethodEvents),
    /// A consumer of the text itself. Only ftrace text and process dumps support it.
    Text(&'a mut dyn TextParts),
}

/// Receives the text of an input unchanged, without tables. Containers are unpacked first.
pub trait TextParts {
    /// Begins an input. A systrace page counts as one input, whatever its number of blocks. Each entry of an archive
    /// is an input.
    fn begin_source(&mut self);
    /// Begins a part. The previous part is complete.
    fn begin_part(&mut self, part: TextPart);
    /// The next bytes of the part.
    fn text(&mut self, bytes: &[u8]);
    /// Receives a part that is not text. Its reader also returns an error.
    fn other(&mut self);
    /// Counts damage to a container.
    fn repair(&mut self, kind: RepairKind);
}

/// A part of the text of an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TextPart {
    /// ftrace text.
    Events,
    /// A list of processes and threads that was taken together with the trace.
    Dump,
    /// The memory of processes, with timestamps of its own clock.
    TimedDump,
}

impl Target<'_> {
    /// The builder.
    ///
    /// # Errors
    /// [`ReadError::NoMethodEvents`] if method events were requested, [`ReadError::NoText`] if text
    /// was requested; `format` provides neither.
    pub fn trace(&mut self, format: &'static str) -> Result<&mut TraceBuilder, ReadError> {
        match self {
            Self::Trace(builder) => Ok(builder),
            Self::Methods(_) => Err(ReadError::NoMethodEvents { format }),
            Self::Text(parts) => {
                parts.other();
                Err(ReadError::NoText { format })
            }
        }
    }

    /// Begins an input. The following rows belong to it.
    pub(crate) fn begin_source(&mut self, name: &str, format: &'static str) {
        match self {
            Self::Trace(builder) => _ = builder.begin_source(name, format),
            Self::Methods(_) => {}
            Self::Text(parts) => parts.begin_source(),
        }
    }

    /// Counts a repair. Containers report their own damage with this, so a consumer of method
    /// events may receive it after its `finish`.
    pub fn repair(
        &mut self,
        kind: RepairKind,
        count: u64,
        place: Place,
        detail: impl FnOnce() -> String,
    ) {
        match self {
            Self::Trace(builder) => builder.repair(kind, count, place, detail),
            _ if count == 0 => {}
            Self::Methods(consumer) => consumer.repair(kind, count, place, detail()),
            Self::Text(parts) => parts.repair(kind),
        }
    }

    /// Counts a repair of a container with several sources. It belongs to none of them.
    pub(crate) fn repair_container(
        &mut self,
        kind: RepairKind,
        count: u64,
        place: Place,
        detail: impl FnOnce() -> String,
    ) {
        match self {
            Self::Trace(builder) => builder.repair_container(kind, count, place, detail),
            other => other.repair(kind, count, place, detail),
        }
    }
}

/// Options for readers.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// The name of the input in the source table and in messages.
    pub name: String,
    /// The number of threads to use, at least 1. The result does not depend on it.
    pub threads: usize,
    /// The maximum number of bytes that decompression may produce, over all containers of the
    /// input.
    pub max_decompressed: u64,
    /// Rules for kernel events that traceloom does not know.
    pub rules: Arc<EventRules>,
    /// A process dump taken together with the trace (`ps -AT`, or systrace's PROCESS DUMP), from which
    /// threads get their processes and names.
    pub process_dump: Option<Arc<Vec<u8>>>,
    /// Names functions of which the trace has only addresses.
    pub symbolizer: Option<Arc<dyn Symbolizer>>,
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

/// The position of an input among the containers around it.
#[derive(Clone, Debug)]
pub struct Nesting {
    /// How many containers are around the input.
    pub(crate) depth: u8,
    /// Whether the input belongs to the current source ([`ReadOptions::joined`]).
    pub(crate) joined: bool,
    /// Bytes that decompression has produced so far, over all containers of the input.
    pub(crate) decompressed: Arc<AtomicU64>,
    /// Receives the machines of the trace if the archive around the input merges them.
    pub(crate) parts: Option<Parts>,
    /// Opens the contents of a container, whatever their format. The registry provides it, so that containers do not
    /// depend on the list of formats.
    pub(crate) open: fn(ReadOptions) -> Box<dyn Reader>,
}

/// A writer of a format.
pub trait Writer: Sync {
    /// File name extensions of this format, without the dot, longest first.
    fn extensions(&self) -> &'static [&'static str];
    /// Writes the trace. Returns what the format cannot express.
    ///
    /// # Errors
    /// If the trace holds nothing that the format can express, an option is out of range, or `out`
    /// fails.
    fn write(
        &self,
        trace: &Trace,
        options: &WriteOptions,
        out: &mut dyn Write,
    ) -> Result<Written, WriteError>;
}

/// Options for writers; each format uses its own.
#[derive(Clone, Debug)]
pub struct WriteOptions {
    /// `.trace`: record version, 1 to 3.
    pub trace_version: u8,
    /// `.trace`: the streaming variant.
    pub streaming: bool,
    /// Collapsed stacks: CPU time if it was recorded, otherwise wall time.
    pub cpu_time: bool,
    /// Collapsed stacks: the maximum number of frames per thread. The time of deeper frames counts
    /// for the last frame that is written.
    pub max_depth: u32,
    /// Collapsed stacks: the maximum size of the result, bytes. Each stack names all frames above
    /// it, so a deep call tree needs far more space than the trace itself.
    pub max_bytes: u64,
}

impl Default for WriteOptions {
    fn default() -> Self {
        Self {
            trace_version: 3,
            streaming: false,
            cpu_time: false,
            max_depth: u32::MAX,
            max_bytes: u64::MAX,
        }
    }
}
