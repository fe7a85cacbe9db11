//! The metadata of a recording, encoded for both versions.

use std::collections::BTreeSet;

use super::event_formats::{PageLayout, enabled_systems, system_formats};
use super::symbols;
use super::writer::Writer;
use crate::{Error, Instance, Tracefs, sys, tracefs};

/// Option numbers of trace-cmd.
mod id {
    pub const CPUSTAT: u16 = 2;
    pub const TRACECLOCK: u16 = 4;
    pub const UNAME: u16 = 5;
    pub const VERSION: u16 = 9;
    /// Our own option with the process of each thread. trace-cmd skips it.
    pub const TGIDS: u16 = 0x7467;
}

/// The metadata of a recording, in the order of version 6.
pub(super) struct Metadata {
    /// Layout of page and record headers.
    pub header_info: Vec<u8>,
    /// Formats of the events of the system `ftrace`.
    pub ftrace_events: Vec<u8>,
    /// Formats of the events of the recorded systems.
    pub event_formats: Vec<u8>,
    /// Addresses of the kernel's functions.
    pub kallsyms: Vec<u8>,
    /// Format strings that records refer to.
    pub printk_formats: Vec<u8>,
    /// Thread names.
    pub cmdlines: Vec<u8>,
    /// Options: number and text.
    pub options: Vec<(u16, String)>,
    /// The trace clock.
    pub clock: String,
}

impl Metadata {
    /// Reads the metadata. The events must still be enabled.
    ///
    /// # Errors
    /// If the kernel's descriptions cannot be read.
    pub fn read(instance: &Instance<'_>, layout: &PageLayout) -> Result<Self, Error> {
        let root = instance.root();
        let mut header_info = Writer::default();
        header_info.raw(b"header_page\0");
        header_info.long_text(&layout.text);
        header_info.raw(b"header_event\0");
        header_info.long_text(&(tracefs::read(root, "events/header_event")? + "\n"));
        let printk_formats = root.read("printk_formats").unwrap_or_default() + "\n";
        let clocks = instance.read("trace_clock").unwrap_or_default();
        Ok(Self {
            header_info: header_info.0,
            ftrace_events: formats(&system_formats(root, "ftrace")),
            event_formats: event_formats(&[instance]),
            kallsyms: short(&symbols::functions()),
            printk_formats: short(&printk_formats),
            cmdlines: long(&symbols::threads(root)),
            options: options(instance, &clocks),
            clock: tracefs::selected(&clocks).unwrap_or_default().to_owned(),
        })
    }

    /// Adds the formats of the events of other buffers, and their counts of lost events.
    pub fn add_buffers(&mut self, main: &Instance<'_>, others: &[(String, &Instance<'_>)]) {
        let all: Vec<&Instance<'_>> = std::iter::once(main)
            .chain(others.iter().map(|(_, other)| *other))
            .collect();
        self.event_formats = event_formats(&all);
        for (name, other) in others {
            self.options.extend(counts(other, Some(name)));
        }
    }

    /// Reads thread names and options again.
    pub fn refresh(&mut self, instance: &Instance<'_>) {
        let clocks = instance.read("trace_clock").unwrap_or_default();
        self.cmdlines = long(&symbols::threads(instance.root()));
        self.options = options(instance, &clocks);
    }
}

fn short(text: &str) -> Vec<u8> {
    let mut out = Writer::default();
    out.short_text(text);
    out.0
}

fn long(text: &str) -> Vec<u8> {
    let mut out = Writer::default();
    out.long_text(text);
    out.0
}

fn formats(texts: &[String]) -> Vec<u8> {
    let mut out = Writer::default();
    out.u32(texts.len() as u32);
    texts.iter().for_each(|text| out.long_text(text));
    out.0
}

fn event_formats(buffers: &[&Instance<'_>]) -> Vec<u8> {
    let systems = buffers.iter().flat_map(|buffer| enabled_systems(buffer));
    let systems: BTreeSet<String> = systems.collect();
    let mut out = Writer::default();
    out.u32(systems.len() as u32);
    for system in &systems {
        out.c_text(system);
        // The formats are the same in all buffers.
        out.raw(&formats(&system_formats(buffers[0].root(), system)));
    }
    out.0
}

fn options(instance: &Instance<'_>, clocks: &str) -> Vec<(u16, String)> {
    let version = concat!("traceloom ", env!("CARGO_PKG_VERSION"));
    let mut options = vec![
        (id::TRACECLOCK, format!("{clocks}\n")),
        (id::UNAME, sys::uname()),
        (id::VERSION, version.to_owned()),
        (id::TGIDS, symbols::processes(instance.root())),
    ];
    options.extend(counts(instance, None));
    options
}

/// The kernel's counts for each CPU, with the name of a buffer.
fn counts(instance: &Instance<'_>, name: Option<&str>) -> Vec<(u16, String)> {
    let stats = |cpu| instance.read(&format!("per_cpu/cpu{cpu}/stats")).ok();
    let stats = (0..).map_while(stats).enumerate();
    let name = name.map_or(String::new(), |name| format!("buffer: {name}\n"));
    let option = |(cpu, stats)| (id::CPUSTAT, format!("CPU: {cpu}\n{name}{stats}\n"));
    stats.map(option).collect()
}

impl Writer {
    /// Writes an option: its number, the length of its content, and the content.
    pub fn option(&mut self, number: u16, content: &[u8]) {
        self.u16(number);
        self.u32(content.len() as u32);
        self.raw(content);
    }

    /// Writes an option with a NUL-terminated text.
    pub fn text_option(&mut self, (number, text): &(u16, String)) {
        self.option(*number, &[text.as_bytes(), b"\0"].concat());
    }
}
