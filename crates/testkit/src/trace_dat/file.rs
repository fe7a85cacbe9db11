//! The file structure of `trace.dat`.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::Machine;
use super::events::{DatEvent, format_files};
use super::pages::RingPages;

/// Compression of sections and pages in version 7.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DatCompression {
    /// No compression.
    None,
    /// zlib.
    Zlib,
    /// Zstandard, in frames of raw blocks.
    Zstd,
}

/// The pages of one ring buffer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DatBuffer {
    /// The trace instance's name; empty for the machine's own.
    pub name: String,
    /// The pages of each CPU.
    pub cpus: Vec<Vec<u8>>,
}

/// An assembler for `trace.dat`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DatBytes {
    /// 6 or 7.
    pub version: u8,
    /// Layout of numbers.
    pub machine: Machine,
    /// Compression in version 7.
    pub compression: DatCompression,
    /// Bytes of a page of the ring buffer.
    pub page_bytes: usize,
    /// Size of the machine's pages, bytes. The data of each CPU begins at a multiple of it.
    pub align: usize,
    /// The events whose formats are in the file; all supported ones if empty.
    pub only: Vec<&'static str>,
    /// Further format files, with their subsystems.
    pub more_formats: Vec<(&'static str, String)>,
    /// The clock's name.
    pub clock: String,
    /// `/proc/kallsyms`.
    pub kallsyms: String,
    /// tracefs's `printk_formats`.
    pub printk_formats: String,
    /// tracefs's `saved_cmdlines`.
    pub cmdlines: String,
    /// Further options: number and content.
    pub options: Vec<(u16, Vec<u8>)>,
    /// The buffers; the machine's own first.
    pub buffers: Vec<DatBuffer>,
}

const BUFFER: u16 = 3;
const TRACECLOCK: u16 = 4;
const CPUCOUNT: u16 = 8;

impl DatBytes {
    /// A file with the machine's main buffer and the event formats, and nothing else.
    pub fn of(version: u8, machine: Machine, cpus: Vec<Vec<u8>>) -> Self {
        Self {
            version,
            machine,
            compression: DatCompression::None,
            page_bytes: 4096,
            align: 4096,
            only: Vec::new(),
            more_formats: Vec::new(),
            clock: "local".to_owned(),
            kallsyms: String::new(),
            printk_formats: String::new(),
            cmdlines: String::new(),
            options: Vec::new(),
            buffers: vec![DatBuffer {
                name: String::new(),
                cpus,
            }],
        }
    }

    /// Writes events to the pages of each CPU. They must be ordered by time.
    pub fn pages(events: &[DatEvent], machine: Machine, page_bytes: usize) -> Vec<Vec<u8>> {
        let cpus = events.iter().map(|event| event.cpu + 1).max().unwrap_or(1);
        let mut pages = vec![RingPages::new(machine, page_bytes); cpus];
        for event in events {
            pages[event.cpu].push(event.ts, &event.bytes(machine));
        }
        pages.into_iter().map(RingPages::finish).collect()
    }

    /// The bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = b"\x17\x08\x44tracing".to_vec();
        out.extend([b'0' + self.version, 0]);
        out.push(self.machine.big_endian.into());
        out.push(self.machine.long_bytes as u8);
        out.extend(self.n(self.align as u64, 4));
        match self.version {
            6 => self.six(out),
            _ => self.seven(out),
        }
    }

    /// The formats of events as perf writes them into a `perf.data`.
    pub fn perf_formats(&self) -> Vec<u8> {
        let mut out = b"\x17\x08\x44tracing0.6\0".to_vec();
        out.push(self.machine.big_endian.into());
        out.push(self.machine.long_bytes as u8);
        out.extend(self.n(4096, 4));
        self.descriptions(&mut out);
        out
    }

    fn n(&self, value: u64, size: usize) -> Vec<u8> {
        self.machine.number(value, size)
    }

    fn sized(&self, text: &str, size: usize) -> Vec<u8> {
        [self.n(text.len() as u64, size), text.as_bytes().to_vec()].concat()
    }

    fn header_info(&self) -> Vec<u8> {
        let long = self.machine.long_bytes;
        let (at, rest) = (8 + long, self.page_bytes - 8 - long);
        let page = format!(
            "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\
             \tfield: local_t commit;\toffset:8;\tsize:{long};\tsigned:1;\n\
             \tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n\
             \tfield: char data;\toffset:{at};\tsize:{rest};\tsigned:0;\n"
        );
        let event = "# compressed entry header\n\ttype_len    :    5 bits\n";
        let mut out = b"header_page\0".to_vec();
        out.extend(self.sized(&page, 8));
        out.extend(b"header_event\0");
        out.extend(self.sized(event, 8));
        out
    }

    fn format_files(&self) -> Vec<(&'static str, String)> {
        let known = format_files(self.machine, &self.only).into_iter();
        known.chain(self.more_formats.clone()).collect()
    }

    fn ftrace_events(&self) -> Vec<u8> {
        let files = self.format_files();
        let own: Vec<_> = files
            .iter()
            .filter(|(system, _)| *system == "ftrace")
            .collect();
        let mut out = self.n(own.len() as u64, 4);
        for (_, file) in own {
            out.extend(self.sized(file, 8));
        }
        out
    }

    fn event_formats(&self) -> Vec<u8> {
        let files = self.format_files();
        let mut systems: Vec<_> = files.iter().map(|(system, _)| *system).collect();
        systems.sort_unstable();
        systems.dedup();
        systems.retain(|system| *system != "ftrace");
        let mut out = self.n(systems.len() as u64, 4);
        for system in systems {
            out.extend(system.as_bytes());
            out.push(0);
            let own: Vec<_> = files.iter().filter(|(of, _)| *of == system).collect();
            out.extend(self.n(own.len() as u64, 4));
            for (_, file) in own {
                out.extend(self.sized(file, 8));
            }
        }
        out
    }

    fn option(&self, id: u16, content: &[u8]) -> Vec<u8> {
        let (id, length) = (self.n(id.into(), 2), self.n(content.len() as u64, 4));
        [id, length, content.to_vec()].concat()
    }

    /// Pads to the next page boundary.
    fn pad(&self, out: &mut Vec<u8>) {
        out.resize(out.len().next_multiple_of(self.align), 0);
    }

    fn descriptions(&self, out: &mut Vec<u8>) {
        out.extend(self.header_info());
        out.extend(self.ftrace_events());
        out.extend(self.event_formats());
        out.extend(self.sized(&self.kallsyms, 4));
        out.extend(self.sized(&self.printk_formats, 4));
        out.extend(self.sized(&self.cmdlines, 8));
    }

    fn six(&self, mut out: Vec<u8>) -> Vec<u8> {
        self.descriptions(&mut out);
        let cpus = self.buffers[0].cpus.len();
        out.extend(self.n(cpus as u64, 4));
        out.extend(b"options  \0");
        for (id, content) in &self.options {
            out.extend(self.option(*id, content));
        }
        out.extend(self.option(TRACECLOCK, &[]));
        // The offsets of instances are written later.
        let mut places = Vec::new();
        for buffer in &self.buffers[1..] {
            places.push(out.len() + 6);
            let content = [self.n(0, 8), buffer.name.clone().into_bytes(), vec![0]].concat();
            out.extend(self.option(BUFFER, &content));
        }
        out.extend(self.n(0, 2));
        self.six_buffer(&self.buffers[0], &mut out);
        for (buffer, place) in self.buffers[1..].iter().zip(places) {
            let offset = self.n(out.len() as u64, 8);
            out[place..place + 8].copy_from_slice(&offset);
            self.six_buffer(buffer, &mut out);
        }
        out
    }

    fn six_buffer(&self, buffer: &DatBuffer, out: &mut Vec<u8>) {
        out.extend(b"flyrecord\0");
        let table = out.len();
        out.resize(table + buffer.cpus.len() * 16, 0);
        out.extend(self.sized(&format!("[{}] other", self.clock), 8));
        self.pad(out);
        for (cpu, pages) in buffer.cpus.iter().enumerate() {
            let entry = [self.n(out.len() as u64, 8), self.n(pages.len() as u64, 8)].concat();
            out[table + cpu * 16..table + cpu * 16 + 16].copy_from_slice(&entry);
            out.extend(pages);
            self.pad(out);
        }
    }

    fn seven(&self, mut out: Vec<u8>) -> Vec<u8> {
        let (name, version): (&[u8], &[u8]) = match self.compression {
            DatCompression::None => (b"none\0", b"\0"),
            DatCompression::Zlib => (b"zlib\0", b"1.2.13\0"),
            DatCompression::Zstd => (b"zstd\0", b"1.5.4\0"),
        };
        out.extend(name);
        out.extend(version);
        let options_place = out.len();
        out.extend(self.n(0, 8));
        let mut options = Vec::new();
        let sections = [
            (16, self.header_info()),
            (17, self.ftrace_events()),
            (18, self.event_formats()),
            (19, self.sized(&self.kallsyms, 4)),
            (20, self.sized(&self.printk_formats, 4)),
            (21, self.sized(&self.cmdlines, 8)),
        ];
        for (id, content) in sections {
            options.extend(self.option(id, &self.n(out.len() as u64, 8)));
            let is_packed = self.compression != DatCompression::None;
            let content = if is_packed {
                self.chunk(&content)
            } else {
                content
            };
            self.section(id, is_packed, &content, &mut out);
        }
        for (id, content) in &self.options {
            options.extend(self.option(*id, content));
        }
        let cpus = self.buffers[0].cpus.len();
        options.extend(self.option(CPUCOUNT, &self.n(cpus as u64, 4)));
        let clock = format!("[{}] other\0", self.clock);
        options.extend(self.option(TRACECLOCK, clock.as_bytes()));
        // The first options refer to further options, as in files of trace-cmd.
        let first = out.len();
        out[options_place..options_place + 8].copy_from_slice(&self.n(first as u64, 8));
        let next = first + 16 + options.len() + 14;
        options.extend(self.option(0, &self.n(next as u64, 8)));
        self.section(0, false, &options, &mut out);
        let room = self
            .buffers
            .iter()
            .map(|buffer| self.buffer_option(buffer, 0, &[]).len());
        let room = 16 + room.sum::<usize>() + 14;
        let at = out.len();
        out.resize(at + room, 0);
        let mut options = Vec::new();
        for buffer in &self.buffers {
            options.extend(self.seven_buffer(buffer, &mut out));
        }
        options.extend(self.option(0, &self.n(0, 8)));
        let mut section = Vec::new();
        self.section(0, false, &options, &mut section);
        out[at..at + room].copy_from_slice(&section);
        out
    }

    fn section(&self, id: u16, is_packed: bool, content: &[u8], out: &mut Vec<u8>) {
        out.extend(self.n(id.into(), 2));
        out.extend(self.n(is_packed.into(), 2));
        out.extend(self.n(0, 4));
        out.extend(self.n(content.len() as u64, 8));
        out.extend(content);
    }

    fn buffer_option(
        &self,
        buffer: &DatBuffer,
        section: usize,
        places: &[(usize, usize)],
    ) -> Vec<u8> {
        let mut content = self.n(section as u64, 8);
        for text in [&buffer.name, &self.clock] {
            content.extend(text.as_bytes());
            content.push(0);
        }
        content.extend(self.n(self.page_bytes as u64, 4));
        content.extend(self.n(buffer.cpus.len() as u64, 4));
        for cpu in 0..buffer.cpus.len() {
            let (offset, length) = places.get(cpu).copied().unwrap_or((0, 0));
            content.extend(self.n(cpu as u64, 4));
            content.extend(self.n(offset as u64, 8));
            content.extend(self.n(length as u64, 8));
        }
        self.option(BUFFER, &content)
    }

    fn seven_buffer(&self, buffer: &DatBuffer, out: &mut Vec<u8>) -> Vec<u8> {
        let section = out.len();
        let is_packed = self.compression != DatCompression::None;
        self.section(BUFFER, is_packed, &[], out);
        let mut places = Vec::new();
        for pages in &buffer.cpus {
            let content = if is_packed {
                // Two chunks, if there are at least two pages.
                let middle = pages.len() / self.page_bytes / 2 * self.page_bytes;
                let (first, second) = pages.split_at(middle);
                [self.n(2, 4), self.chunk(first), self.chunk(second)].concat()
            } else {
                self.pad(out);
                pages.clone()
            };
            places.push((out.len(), content.len()));
            out.extend(content);
        }
        let length = self.n((out.len() - section - 16) as u64, 8);
        out[section + 8..section + 16].copy_from_slice(&length);
        self.buffer_option(buffer, section, &places)
    }

    /// Compressed bytes after both lengths.
    fn chunk(&self, plain: &[u8]) -> Vec<u8> {
        let packed = match self.compression {
            DatCompression::None => plain.to_vec(),
            DatCompression::Zlib => {
                let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
                encoder.write_all(plain).expect("writing to memory");
                encoder.finish().expect("writing to memory")
            }
            DatCompression::Zstd => zstd(plain),
        };
        let lengths = [
            self.n(packed.len() as u64, 4),
            self.n(plain.len() as u64, 4),
        ]
        .concat();
        [lengths, packed].concat()
    }
}

/// A frame of uncompressed blocks.
fn zstd(plain: &[u8]) -> Vec<u8> {
    const BLOCK: usize = 64 << 10;
    let mut out = vec![0x28, 0xB5, 0x2F, 0xFD];
    out.extend([0x00, 0x38]); // no size given; a window of 128 KB
    let blocks = plain.len().div_ceil(BLOCK).max(1);
    for number in 0..blocks {
        let block = &plain[number * BLOCK..plain.len().min((number + 1) * BLOCK)];
        let last = u32::from(number + 1 == blocks);
        out.extend(&((block.len() as u32) << 3 | last).to_le_bytes()[..3]);
        out.extend(block);
    }
    out
}
