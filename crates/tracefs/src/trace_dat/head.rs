//! The start of a file whose pages the caller keeps.

use super::event_formats::PageLayout;
use super::metadata::Metadata;
use super::v6;
use crate::{Error, Instance};

/// The part of a `trace.dat` (version 6) before its pages.
pub struct DatHead {
    layout: PageLayout,
    metadata: Metadata,
}

impl DatHead {
    /// Reads the kernel's descriptions of the events, which must be enabled.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn read(instance: &Instance<'_>) -> Result<Self, Error> {
        let layout = PageLayout::read(instance)?;
        let metadata = Metadata::read(instance, &layout)?;
        Ok(Self { layout, metadata })
    }

    /// Reads again what changes during a recording: names of threads and counts of lost events.
    pub fn refresh(&mut self, instance: &Instance<'_>) {
        self.metadata.refresh(instance);
    }

    /// The size of a page, bytes.
    pub fn page_bytes(&self) -> usize {
        self.layout.page_bytes
    }

    /// The bytes before the pages of the first CPU, if the CPUs have `cpu_bytes` bytes of pages.
    pub fn bytes(&self, cpu_bytes: &[u64]) -> Vec<u8> {
        v6::header(&self.metadata, &self.layout, cpu_bytes)
    }
}
