//! All that stands before the pages.

use super::PageLayout;
use super::formats::{enabled_systems, of_system};
use super::symbols;
use crate::{Error, Instance, Tracefs, sys, tree};

/// Option numbers of trace-cmd.
const CPUSTAT: u16 = 2;
const TRACECLOCK: u16 = 4;
const UNAME: u16 = 5;
const VERSION: u16 = 9;
/// One of our own, which our reader knows and trace-cmd passes over: the process of each thread.
const TGIDS: u16 = 0x7467;

/// The bytes before the pages of the first CPU, for CPUs with so many bytes of pages each. What
/// belongs to no CPU is taken from the tree as it is now: the events must still be on.
///
/// # Errors
/// If the kernel's descriptions cannot be read.
pub(crate) fn head(
    instance: &Instance<'_>,
    layout: &PageLayout,
    cpu_bytes: &[u64],
) -> Result<Vec<u8>, Error> {
    let whole = instance.whole();
    let mut out = Bytes::default();
    out.raw(b"\x17\x08\x44tracing6\0");
    out.raw(&[u8::from(cfg!(target_endian = "big")), layout.long_bytes]);
    out.u32(layout.page_bytes as u32);
    out.raw(b"header_page\0");
    out.long_text(&layout.text);
    out.raw(b"header_event\0");
    out.long_text(&(tree::read(whole, "events/header_event")? + "\n"));
    let own = of_system(whole, "ftrace");
    out.u32(own.len() as u32);
    own.iter().for_each(|format| out.long_text(format));
    let systems = enabled_systems(instance);
    out.u32(systems.len() as u32);
    for system in &systems {
        out.system(system, &of_system(whole, system));
    }
    out.short_text(&symbols::functions());
    out.short_text(&(whole.read("printk_formats").unwrap_or_default() + "\n"));
    out.long_text(&symbols::threads(whole));
    out.u32(cpu_bytes.len() as u32);
    out.options(&options(instance, cpu_bytes.len()));
    out.places(layout.page_bytes as u64, cpu_bytes);
    Ok(out.0)
}

fn options(instance: &Instance<'_>, cpus: usize) -> Vec<(u16, String)> {
    let clock = instance.read("trace_clock").unwrap_or_default();
    let version = concat!("traceloom ", env!("CARGO_PKG_VERSION"));
    let mut options = vec![
        (TRACECLOCK, clock + "\n"),
        (UNAME, sys::uname()),
        (VERSION, version.to_owned()),
        (TGIDS, symbols::processes(instance.whole())),
    ];
    for cpu in 0..cpus {
        let stats = instance.read(&format!("per_cpu/cpu{cpu}/stats"));
        options.push((
            CPUSTAT,
            format!("CPU: {cpu}\n{}\n", stats.unwrap_or_default()),
        ));
    }
    options
}

/// Numbers in the machine's own order.
#[derive(Default)]
struct Bytes(Vec<u8>);

impl Bytes {
    fn raw(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    fn u16(&mut self, value: u16) {
        self.raw(&value.to_ne_bytes());
    }

    fn u32(&mut self, value: u32) {
        self.raw(&value.to_ne_bytes());
    }

    fn u64(&mut self, value: u64) {
        self.raw(&value.to_ne_bytes());
    }

    /// A text behind its length as 64 bits.
    fn long_text(&mut self, text: &str) {
        self.u64(text.len() as u64);
        self.raw(text.as_bytes());
    }

    /// A text behind its length as 32 bits.
    fn short_text(&mut self, text: &str) {
        self.u32(text.len() as u32);
        self.raw(text.as_bytes());
    }

    fn system(&mut self, name: &str, formats: &[String]) {
        self.raw(name.as_bytes());
        self.raw(b"\0");
        self.u32(formats.len() as u32);
        formats.iter().for_each(|format| self.long_text(format));
    }

    fn options(&mut self, options: &[(u16, String)]) {
        self.raw(b"options  \0");
        for (number, text) in options {
            self.u16(*number);
            self.u32(text.len() as u32 + 1);
            self.raw(text.as_bytes());
            self.raw(b"\0");
        }
        self.u16(0);
    }

    /// The table of the CPUs' pages, and room up to the first page.
    fn places(&mut self, page_bytes: u64, cpu_bytes: &[u64]) {
        self.raw(b"flyrecord\0");
        let table = self.0.len() as u64 + cpu_bytes.len() as u64 * 16;
        let first = table.next_multiple_of(page_bytes);
        let mut place = first;
        for &bytes in cpu_bytes {
            self.u64(place);
            self.u64(bytes);
            place += bytes;
        }
        self.0.resize(first as usize, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_begin_at_multiples_of_their_size() {
        let mut out = Bytes::default();
        out.places(4096, &[8192, 0, 4096]);
        let numbers = out.0[10..58].chunks(8);
        let numbers: Vec<u64> = numbers
            .map(|n| u64::from_ne_bytes(n.try_into().unwrap()))
            .collect();
        assert_eq!(numbers, [4096, 8192, 12288, 0, 12288, 4096]);
        assert_eq!(out.0.len(), 4096);
    }
}
