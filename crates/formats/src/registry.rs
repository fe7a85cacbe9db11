//! The list of all formats, and detection by content.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::error::ReadError;
use crate::foreign::unknown_format;
use crate::format::{Confidence, Format, Nesting, ReadOptions, Reader, SNIFF_BYTES, Target};

#[cfg(test)]
mod tests;

/// All formats that traceloom reads or writes.
pub static FORMATS: &[&dyn Format] = &[
    #[cfg(test)]
    &crate::capture::Capture,
    // Containers with a magic number at a fixed place win ties: text that they store uncompressed may look like a
    // trace.
    &crate::gzip::Gzip,
    &crate::zlib::Zlib,
    &crate::zstd::Zstd,
    &crate::zip::Zip,
    &crate::tar::Tar,
    &crate::method_trace::ArtMethod,
    &crate::method_trace::LongRunning,
    &crate::ftrace::FtraceText,
    &crate::trace_dat::TraceDat,
    &crate::perfetto::Perfetto,
    &crate::perf_data::PerfData,
    &crate::perf_script::PerfScript,
    &crate::simpleperf::SimpleperfProto,
    &crate::ring_file::RingFile,
    &crate::process_dump::ProcessDump,
    &crate::process_dump::CgroupDump,
    &crate::process_dump::MemoryDump,
    &crate::battor::Battor,
    &crate::strace::Strace,
    &crate::atrace::Atrace,
    &crate::report::Report,
    &crate::systrace_html::SystraceHtml,
    &crate::systrace_html::SystraceJs,
    &crate::chrome_json::ChromeJson,
    &crate::firefox::FirefoxProfile,
    &crate::cpu_profile::CpuProfile,
    &crate::utf16::Utf16,
    &crate::collapsed::Collapsed,
];

/// Defined here rather than next to the type, because the registry opens the contents of
/// containers.
impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            name: String::new(),
            threads: 1,
            max_decompressed: 8 << 30,
            rules: Arc::default(),
            process_dump: None,
            symbolizer: None,
            nesting: Nesting {
                depth: 0,
                joined: false,
                decompressed: Arc::default(),
                parts: None,
                open: |options| Box::new(AnyReader::new(options)),
            },
        }
    }
}

/// The format with the highest confidence for an input beginning with `head`. On a tie, the first
/// in the list wins.
pub fn detect(head: &[u8]) -> Option<&'static dyn Format> {
    let mut best: Option<(&dyn Format, Confidence)> = None;
    for format in FORMATS {
        let confidence = format.sniff(head);
        if confidence > best.map_or(Confidence::No, |(_, sure)| sure) {
            best = Some((*format, confidence));
        }
    }
    best.map(|(format, _)| format)
}

/// A reader for any format. It buffers the first bytes until the format can be detected.
pub struct AnyReader {
    options: ReadOptions,
    head: Vec<u8>,
    reader: Option<(&'static dyn Format, Box<dyn Reader>)>,
}

impl AnyReader {
    /// A reader of one input.
    pub fn new(mut options: ReadOptions) -> Self {
        if options.nesting.depth == 0 {
            // The limit applies to each input, even if its options are reused for the next one.
            options.nesting.decompressed = Arc::default();
        }
        Self {
            options,
            head: Vec::new(),
            reader: None,
        }
    }

    /// Bytes that decompression has produced so far, over all containers of the input.
    pub fn decompressed_bytes(&self) -> u64 {
        self.options.nesting.decompressed.load(Ordering::Relaxed)
    }

    /// The format, once it is known.
    pub fn format(&self) -> Option<&'static dyn Format> {
        self.reader.as_ref().map(|(format, _)| *format)
    }

    fn open(&mut self, head: &[u8], out: &mut Target<'_>) -> Result<&mut dyn Reader, ReadError> {
        let shown = &head[..head.len().min(SNIFF_BYTES)];
        let unknown = || unknown_format(shown);
        let format = detect(shown).ok_or_else(unknown)?;
        let reader = format.reader(&self.options).ok_or_else(unknown)?;
        let begins_source = !format.is_container() && !self.options.nesting.joined;
        if begins_source {
            out.begin_source(&self.options.name, format.id());
        }
        Ok(self.reader.insert((format, reader)).1.as_mut())
    }
}

impl Reader for AnyReader {
    fn feed(&mut self, chunk: &[u8], out: &mut Target<'_>) -> Result<(), ReadError> {
        if let Some((_, reader)) = &mut self.reader {
            return reader.feed(chunk, out);
        }
        if self.head.is_empty() && chunk.len() >= SNIFF_BYTES {
            return self.open(chunk, out)?.feed(chunk, out);
        }
        self.head.extend_from_slice(chunk);
        if self.head.len() < SNIFF_BYTES {
            return Ok(());
        }
        let head = std::mem::take(&mut self.head);
        self.open(&head, out)?.feed(&head, out)
    }

    fn feed_parts(
        &mut self,
        bytes: &[u8],
        out: &mut Target<'_>,
        done: &mut dyn FnMut(usize),
    ) -> Result<(), ReadError> {
        if let Some((_, reader)) = &mut self.reader {
            return reader.feed_parts(bytes, out, done);
        }
        if self.head.is_empty() && bytes.len() >= SNIFF_BYTES {
            return self.open(bytes, out)?.feed_parts(bytes, out, done);
        }
        self.feed(bytes, out)?;
        done(bytes.len());
        Ok(())
    }

    fn whole(&mut self, bytes: &[u8], out: &mut Target<'_>) -> Result<(), ReadError> {
        if self.reader.is_some() || !self.head.is_empty() || bytes.is_empty() {
            self.feed(bytes, out)?;
            return self.finish(out);
        }
        self.open(bytes, out)?.whole(bytes, out)
    }

    fn finish(&mut self, out: &mut Target<'_>) -> Result<(), ReadError> {
        if let Some((_, reader)) = &mut self.reader {
            return reader.finish(out);
        }
        if self.head.is_empty() {
            return Err(ReadError::Empty);
        }
        let head = std::mem::take(&mut self.head);
        let reader = self.open(&head, out)?;
        reader.feed(&head, out)?;
        reader.finish(out)
    }
}
