//! Version 7: sections that options tell of; sections and pages may be compressed.

use super::PageLayout;
use super::bytes::Bytes;
use super::pack::DatCompression;
use super::parts::Parts;

/// Numbers of sections, and of the options that tell where they are.
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

/// Bytes of a section's header: number, flags, name, length.
const SECTION_HEADER: u64 = 16;

/// The bytes before what the first CPU has, for CPUs with so many bytes each: of pages, or of the
/// chunks that they are packed into.
pub(super) fn head(
    parts: &Parts,
    layout: &PageLayout,
    compression: DatCompression,
    cpu_bytes: &[u64],
) -> Vec<u8> {
    let mut out = Bytes::default();
    out.raw(b"\x17\x08\x44tracing7\0");
    out.raw(&[u8::from(cfg!(target_endian = "big")), layout.long_bytes]);
    out.u32(layout.page_bytes as u32);
    let (name, version) = compression.name_and_version();
    out.c_text(name);
    out.c_text(version);
    let place_of_options = out.0.len();
    out.u64(0);

    let mut options = Bytes::default();
    for (number, content) in [
        (id::HEADER_INFO, &parts.header_info),
        (id::FTRACE_EVENTS, &parts.ftrace_events),
        (id::EVENT_FORMATS, &parts.event_formats),
        (id::KALLSYMS, &parts.kallsyms),
        (id::PRINTK, &parts.printk_formats),
        (id::CMDLINES, &parts.cmdlines),
    ] {
        options.option(number, &(out.0.len() as u64).to_ne_bytes());
        out.section(number, compression, content);
    }
    parts
        .options
        .iter()
        .for_each(|option| options.text_option(option));
    options.option(id::CPUCOUNT, &(cpu_bytes.len() as u32).to_ne_bytes());

    let first = out.0.len();
    out.0[place_of_options..place_of_options + 8].copy_from_slice(&(first as u64).to_ne_bytes());
    let buffer = Buffer {
        parts,
        page_bytes: layout.page_bytes as u64,
        is_packed: compression != DatCompression::None,
        cpu_bytes,
    };
    // The option is as long wherever the buffer's section is.
    let ends = |option: &[u8]| {
        let mut all = Bytes(options.0.clone());
        all.option(id::BUFFER, option);
        all.option(id::DONE, &0u64.to_ne_bytes()); // no further options
        all.0
    };
    let length = ends(&buffer.option(0)).len() as u64;
    let section = first as u64 + SECTION_HEADER + length;
    out.section(
        id::DONE,
        DatCompression::None,
        &ends(&buffer.option(section)),
    );
    buffer.begin(&mut out);
    out.0
}

/// The section with the pages.
struct Buffer<'a> {
    parts: &'a Parts,
    page_bytes: u64,
    is_packed: bool,
    cpu_bytes: &'a [u64],
}

impl Buffer<'_> {
    /// Where what the CPUs have begins; pages begin at a multiple of their size.
    fn first(&self, section: u64) -> u64 {
        let first = section + SECTION_HEADER;
        if self.is_packed {
            first
        } else {
            first.next_multiple_of(self.page_bytes)
        }
    }

    /// The option that tells of it: the section's place, name, clock, and each CPU's place.
    fn option(&self, section: u64) -> Vec<u8> {
        let mut out = Bytes::default();
        out.u64(section);
        out.c_text(""); // the file's only buffer has no name
        out.c_text(&self.parts.clock);
        out.u32(self.page_bytes as u32);
        out.u32(self.cpu_bytes.len() as u32);
        let mut place = self.first(section);
        for (cpu, &bytes) in self.cpu_bytes.iter().enumerate() {
            out.u32(cpu as u32);
            out.u64(place);
            out.u64(bytes);
            place += bytes;
        }
        out.0
    }

    /// The section's header, and room up to the first page.
    fn begin(&self, out: &mut Bytes) {
        let first = self.first(out.0.len() as u64);
        let room = first - out.0.len() as u64 - SECTION_HEADER;
        let length = room + self.cpu_bytes.iter().sum::<u64>();
        out.section_header(id::BUFFER, self.is_packed, length);
        out.0.resize(first as usize, 0);
    }
}

impl Bytes {
    fn section_header(&mut self, number: u16, is_packed: bool, length: u64) {
        self.u16(number);
        self.u16(is_packed.into());
        self.u32(0); // no name
        self.u64(length);
    }

    fn section(&mut self, number: u16, compression: DatCompression, content: &[u8]) {
        match compression {
            DatCompression::None => {
                self.section_header(number, false, content.len() as u64);
                self.raw(content);
            }
            packed => {
                let chunk = packed.chunk(content);
                self.section_header(number, true, chunk.len() as u64);
                self.raw(&chunk);
            }
        }
    }
}
