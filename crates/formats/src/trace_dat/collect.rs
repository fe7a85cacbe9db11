//! The contents of the file except pages. They are collected before pages are read.

use traceloom_trace::{Place, RepairKind, TraceBuilder};

use super::facts::Facts;
use crate::ring_buffer::RawFormats;

/// Everything in a file except its pages.
#[derive(Debug)]
pub(super) struct Collected {
    pub formats: RawFormats,
    pub buffers: Vec<Buffer>,
    pub facts: Facts,
    repairs: Vec<(RepairKind, u64, Place, String)>,
}

/// A ring buffer: the main buffer or the buffer of a trace instance.
#[derive(Clone, Debug, Default)]
pub(super) struct Buffer {
    /// The name of the instance; empty for the main buffer.
    pub name: String,
    /// The clock of its timestamps, if the file gives one for each buffer.
    pub clock: Option<String>,
    pub content: Content,
}

/// The content of a buffer.
#[derive(Clone, Debug)]
pub(super) enum Content {
    /// Raw pages of each CPU.
    Pages {
        cpus: Vec<CpuPlace>,
        /// The page size of this buffer, bytes; `None` if it is the size in `header_page`.
        page_bytes: Option<u32>,
        /// Whether the pages are compressed in chunks.
        packed: bool,
    },
    /// The text of tracefs's `trace`. Latency tracers are recorded this way.
    Text(Vec<u8>),
}

impl Default for Content {
    fn default() -> Self {
        Self::Text(Vec::new())
    }
}

/// The position of a CPU's pages in the file, bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct CpuPlace {
    pub cpu: u32,
    pub offset: u64,
    pub length: u64,
}

impl Buffer {
    /// Whether it has any content.
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

    /// Notes a repair. It is reported once there is a trace.
    pub fn note(&mut self, kind: RepairKind, count: u64, place: Place, detail: String) {
        self.repairs.push((kind, count, place, detail));
    }

    /// The number of repairs so far.
    pub fn broken(&self) -> u64 {
        self.repairs.len() as u64
    }

    /// Reports the repairs.
    pub fn report_repairs(&mut self, out: &mut TraceBuilder) {
        for (kind, count, place, detail) in self.repairs.drain(..) {
            out.repair(kind, count, place, || detail);
        }
    }
}
