//! Version 7: sections, whose offsets are in the options. Sections and pages may be compressed.

use super::compression::DatCompression;
use super::event_formats::PageLayout;
use super::metadata::Metadata;
use super::writer::Writer;

/// Numbers of sections, and of the options with their offsets.
mod id {
    pub const DONE: u16 = 0;
    pub const BUFFER: u16 = 3;
    pub const CPUCOUNT: u16 = 8;
    pub const HEADER_INFO: u16 = 16;
    pub const FTRACE_EVENTS: u16 = 17;
    pub const EVENT_FORMATS: u16 = 18;
    pub const KALLSYMS: u16 = 19;
    pub const PRINTK: u16 = 20;
    pub const CMDLINES: u16 = 21;
}

/// Size of a section header, bytes: number, flags, name, length.
const SECTION_HEADER: u64 = 16;

/// The bytes before the data of the first CPU. `cpu_bytes` has the size of each CPU's pages or
/// compressed chunks.
pub(super) fn header(
    metadata: &Metadata,
    layout: &PageLayout,
    compression: DatCompression,
    cpu_bytes: &[u64],
) -> Vec<u8> {
    let mut out = Writer::default();
    out.raw(b"\x17\x08\x44tracing7\0");
    out.raw(&[u8::from(cfg!(target_endian = "big")), layout.long_bytes]);
    out.u32(layout.page_bytes as u32);
    let (name, version) = compression.name_and_version();
    out.c_text(name);
    out.c_text(version);
    let options_offset = out.0.len();
    out.u64(0);

    let mut options = Writer::default();
    for (number, content) in [
        (id::HEADER_INFO, &metadata.header_info),
        (id::FTRACE_EVENTS, &metadata.ftrace_events),
        (id::EVENT_FORMATS, &metadata.event_formats),
        (id::KALLSYMS, &metadata.kallsyms),
        (id::PRINTK, &metadata.printk_formats),
        (id::CMDLINES, &metadata.cmdlines),
    ] {
        options.option(number, &(out.0.len() as u64).to_ne_bytes());
        out.section(number, compression, content);
    }
    metadata
        .options
        .iter()
        .for_each(|option| options.text_option(option));
    options.option(id::CPUCOUNT, &(cpu_bytes.len() as u32).to_ne_bytes());

    let first = out.0.len();
    out.0[options_offset..options_offset + 8].copy_from_slice(&(first as u64).to_ne_bytes());
    let buffer = Buffer {
        metadata,
        page_bytes: layout.page_bytes as u64,
        is_compressed: compression != DatCompression::None,
        cpu_bytes,
    };
    // The size of the options does not depend on the offset of the buffer's section.
    let with_buffer = |option: &[u8]| {
        let mut all = Writer(options.0.clone());
        all.option(id::BUFFER, option);
        all.option(id::DONE, &0u64.to_ne_bytes()); // no further options
        all.0
    };
    let length = with_buffer(&buffer.option(0)).len() as u64;
    let section = first as u64 + SECTION_HEADER + length;
    out.section(
        id::DONE,
        DatCompression::None,
        &with_buffer(&buffer.option(section)),
    );
    buffer.begin(&mut out);
    out.0
}

/// The section with the pages.
struct Buffer<'a> {
    metadata: &'a Metadata,
    page_bytes: u64,
    is_compressed: bool,
    cpu_bytes: &'a [u64],
}

impl Buffer<'_> {
    /// The offset of the first CPU's data. Uncompressed pages are aligned.
    fn data_offset(&self, section: u64) -> u64 {
        let first = section + SECTION_HEADER;
        if self.is_compressed {
            first
        } else {
            first.next_multiple_of(self.page_bytes)
        }
    }

    /// The option for this section: its offset, name and clock, and the offset and size of each CPU's
    /// data.
    fn option(&self, section: u64) -> Vec<u8> {
        let mut out = Writer::default();
        out.u64(section);
        out.c_text(""); // the file's only buffer has no name
        out.c_text(&self.metadata.clock);
        out.u32(self.page_bytes as u32);
        out.u32(self.cpu_bytes.len() as u32);
        let mut offset = self.data_offset(section);
        for (cpu, &bytes) in self.cpu_bytes.iter().enumerate() {
            out.u32(cpu as u32);
            out.u64(offset);
            out.u64(bytes);
            offset += bytes;
        }
        out.0
    }

    /// Writes the section header, and padding up to the first page.
    fn begin(&self, out: &mut Writer) {
        let data = self.data_offset(out.0.len() as u64);
        let padding = data - out.0.len() as u64 - SECTION_HEADER;
        let length = padding + self.cpu_bytes.iter().sum::<u64>();
        out.section_header(id::BUFFER, self.is_compressed, length);
        out.0.resize(data as usize, 0);
    }
}

impl Writer {
    fn section_header(&mut self, number: u16, is_compressed: bool, length: u64) {
        self.u16(number);
        self.u16(is_compressed.into());
        self.u32(0); // no name
        self.u64(length);
    }

    fn section(&mut self, number: u16, compression: DatCompression, content: &[u8]) {
        match compression {
            DatCompression::None => {
                self.section_header(number, false, content.len() as u64);
                self.raw(content);
            }
            compression => {
                let chunk = compression.chunk(content);
                self.section_header(number, true, chunk.len() as u64);
                self.raw(&chunk);
            }
        }
    }
}
