//! What the file's parts told, gathered before pages are read.

use traceloom_trace::{Place, RepairKind, TraceBuilder};

use super::facts::Facts;
use crate::ring_buffer::RawFormats;

/// All of a file but its pages.
#[derive(Debug)]
pub(super) struct Collected {
    pub formats: RawFormats,
    pub buffers: Vec<Buffer>,
    pub facts: Facts,
    repairs: Vec<(RepairKind, u64, Place, String)>,
}

/// One ring buffer: the machine's own, or that of a trace instance.
#[derive(Clone, Debug, Default)]
pub(super) struct Buffer {
    /// The instance's name; empty for the machine's own.
    pub name: String,
    /// The clock of its times, where the file says it of each buffer.
    pub clock: Option<String>,
    pub content: Content,
}

/// What is recorded of a buffer.
#[derive(Clone, Debug)]
pub(super) enum Content {
    /// Raw pages of each CPU.
    Pages {
        cpus: Vec<CpuPlace>,
        /// Bytes of a page where they are said of the buffer; else as in `header_page`.
        page_bytes: Option<u32>,
        /// Whether they are compressed in chunks.
        packed: bool,
    },
    /// The text of tracefs's `trace`, as the latency tracers are recorded.
    Text(Vec<u8>),
}

impl Default for Content {
    fn default() -> Self {
        Self::Text(Vec::new())
    }
}

/// Where a CPU's pages stand in the file, bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct CpuPlace {
    pub cpu: u32,
    pub offset: u64,
    pub length: u64,
}

impl Buffer {
    /// Whether anything is recorded of it.
    pub fn has_events(&self) -> bool {
        match &self.content {
            Content::Pages { cpus, .. } => cpus.iter().any(|cpu| cpu.length > 0),
            Content::Text(text) => !text.is_empty(),
        }
    }
}

impl Collected {
    pub fn new(formats: RawFormats) -> Self {
        Self {
            formats,
            buffers: Vec::new(),
            facts: Facts::default(),
            repairs: Vec::new(),
        }
    }

    /// Notes a repair, to be told once there is a trace.
    pub fn note(&mut self, kind: RepairKind, count: u64, place: Place, detail: String) {
        self.repairs.push((kind, count, place, detail));
    }

    /// Tells the repairs.
    pub fn tell_repairs(&mut self, out: &mut TraceBuilder) {
        for (kind, count, place, detail) in self.repairs.drain(..) {
            out.repair(kind, count, place, || detail);
        }
    }
}
