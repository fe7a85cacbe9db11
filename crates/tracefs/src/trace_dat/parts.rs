//! What both versions say of a recording beside its pages, as bytes of the file.

use super::PageLayout;
use super::bytes::Bytes;
use super::formats::{enabled_systems, of_system};
use super::symbols;
use crate::{Error, Instance, Tracefs, sys, tree};

/// Option numbers of trace-cmd.
mod id {
    pub const CPUSTAT: u16 = 2;
    pub const TRACECLOCK: u16 = 4;
    pub const UNAME: u16 = 5;
    pub const VERSION: u16 = 9;
    /// One of our own, which our reader knows and trace-cmd passes over: the process of each thread.
    pub const TGIDS: u16 = 0x7467;
}

/// The parts, in the order of the older version's file.
pub(super) struct Parts {
    /// How pages and records begin.
    pub header_info: Vec<u8>,
    /// Formats of ftrace's own events.
    pub ftrace_events: Vec<u8>,
    /// Formats of the recorded systems' events.
    pub event_formats: Vec<u8>,
    /// Functions of the kernel.
    pub kallsyms: Vec<u8>,
    /// Texts that records refer to.
    pub printk_formats: Vec<u8>,
    /// Names of threads.
    pub cmdlines: Vec<u8>,
    /// Options: number and text.
    pub options: Vec<(u16, String)>,
    /// The name of the clock.
    pub clock: String,
}

impl Parts {
    /// Takes from the tree what it says now: the events must still be on.
    ///
    /// # Errors
    /// If the kernel's descriptions cannot be read.
    pub fn read(instance: &Instance<'_>, layout: &PageLayout, cpus: usize) -> Result<Self, Error> {
        let whole = instance.whole();
        let mut header_info = Bytes::default();
        header_info.raw(b"header_page\0");
        header_info.long_text(&layout.text);
        header_info.raw(b"header_event\0");
        header_info.long_text(&(tree::read(whole, "events/header_event")? + "\n"));
        let printk_formats = whole.read("printk_formats").unwrap_or_default() + "\n";
        let clocks = instance.read("trace_clock").unwrap_or_default();
        Ok(Self {
            header_info: header_info.0,
            ftrace_events: formats(&of_system(whole, "ftrace")),
            event_formats: event_formats(instance),
            kallsyms: short(&symbols::functions()),
            printk_formats: short(&printk_formats),
            cmdlines: long(&symbols::threads(whole)),
            options: options(instance, &clocks, cpus),
            clock: chosen(&clocks).to_owned(),
        })
    }
}

/// `local [global] mono` is `global`.
fn chosen(clocks: &str) -> &str {
    let rest = clocks.split_once('[').map_or("", |(_, rest)| rest);
    rest.split_once(']').map_or("", |(clock, _)| clock)
}

fn short(text: &str) -> Vec<u8> {
    let mut out = Bytes::default();
    out.short_text(text);
    out.0
}

fn long(text: &str) -> Vec<u8> {
    let mut out = Bytes::default();
    out.long_text(text);
    out.0
}

fn formats(texts: &[String]) -> Vec<u8> {
    let mut out = Bytes::default();
    out.u32(texts.len() as u32);
    texts.iter().for_each(|text| out.long_text(text));
    out.0
}

fn event_formats(instance: &Instance<'_>) -> Vec<u8> {
    let systems = enabled_systems(instance);
    let mut out = Bytes::default();
    out.u32(systems.len() as u32);
    for system in &systems {
        out.c_text(system);
        out.raw(&formats(&of_system(instance.whole(), system)));
    }
    out.0
}

fn options(instance: &Instance<'_>, clocks: &str, cpus: usize) -> Vec<(u16, String)> {
    let version = concat!("traceloom ", env!("CARGO_PKG_VERSION"));
    let mut options = vec![
        (id::TRACECLOCK, format!("{clocks}\n")),
        (id::UNAME, sys::uname()),
        (id::VERSION, version.to_owned()),
        (id::TGIDS, symbols::processes(instance.whole())),
    ];
    for cpu in 0..cpus {
        let stats = instance.read(&format!("per_cpu/cpu{cpu}/stats"));
        let stats = stats.unwrap_or_default();
        options.push((id::CPUSTAT, format!("CPU: {cpu}\n{stats}\n")));
    }
    options
}

impl Bytes {
    /// An option: its number, then its content behind its length.
    pub fn option(&mut self, number: u16, content: &[u8]) {
        self.u16(number);
        self.u32(content.len() as u32);
        self.raw(content);
    }

    /// An option that is a text.
    pub fn text_option(&mut self, (number, text): &(u16, String)) {
        self.option(*number, &[text.as_bytes(), b"\0"].concat());
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_chosen_clock() {
        assert_eq!(super::chosen("local global [boot] mono"), "boot");
        assert_eq!(super::chosen(""), "");
    }
}
