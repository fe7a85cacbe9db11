//! Version 6: the metadata, then the pages.

use super::event_formats::PageLayout;
use super::metadata::Metadata;
use super::writer::Writer;

/// The bytes before the pages of the first CPU. `cpu_bytes` has the size of each CPU's pages.
pub(super) fn header(metadata: &Metadata, layout: &PageLayout, cpu_bytes: &[u64]) -> Vec<u8> {
    with_options(metadata, layout, cpu_bytes, &[])
}

/// The same, with the options `buffer_options`.
fn with_options(
    metadata: &Metadata,
    layout: &PageLayout,
    cpu_bytes: &[u64],
    buffer_options: &[u8],
) -> Vec<u8> {
    let mut out = Writer::default();
    out.raw(b"\x17\x08\x44tracing6\0");
    out.raw(&[u8::from(cfg!(target_endian = "big")), layout.long_bytes]);
    out.u32(layout.page_bytes as u32);
    for part in [
        &metadata.header_info,
        &metadata.ftrace_events,
        &metadata.event_formats,
        &metadata.kallsyms,
        &metadata.printk_formats,
        &metadata.cmdlines,
    ] {
        out.raw(part);
    }
    out.u32(cpu_bytes.len() as u32);
    out.raw(b"options  \0");
    let mut options = metadata.options.iter();
    options.by_ref().for_each(|option| out.text_option(option));
    out.raw(buffer_options);
    out.u16(0);
    page_table(&mut out, 0, layout.page_bytes, cpu_bytes);
    out.0
}

/// The option with the offset of a trace instance's buffer.
const BUFFER: u16 = 3;

/// The start of the file, and what precedes the pages of each trace instance in `others`: its name and
/// the size of each CPU's pages.
pub(super) fn headers(
    metadata: &Metadata,
    layout: &PageLayout,
    cpu_bytes: &[u64],
    others: &[(String, Vec<u64>)],
) -> Vec<Vec<u8>> {
    let page_bytes = layout.page_bytes;
    let total = |bytes: &[u64]| bytes.iter().sum::<u64>();
    // The size of the options does not depend on the offsets in them.
    let mut at = with_options(metadata, layout, cpu_bytes, &options(others, 0, page_bytes)).len();
    at += total(cpu_bytes) as usize;
    let options = options(others, at as u64, page_bytes);
    let mut all = vec![with_options(metadata, layout, cpu_bytes, &options)];
    for (_, bytes) in others {
        let mut out = Writer::default();
        page_table(&mut out, at as u64, page_bytes, bytes);
        at += out.0.len() + total(bytes) as usize;
        all.push(out.0);
    }
    all
}

/// The options with the offsets of the other buffers, the first of which is `at`.
fn options(others: &[(String, Vec<u64>)], mut at: u64, page_bytes: usize) -> Vec<u8> {
    let mut out = Writer::default();
    for (name, bytes) in others {
        out.option(
            BUFFER,
            &[&at.to_ne_bytes()[..], name.as_bytes(), b"\0"].concat(),
        );
        let mut table = Writer::default();
        page_table(&mut table, at, page_bytes, bytes);
        at += table.0.len() as u64 + bytes.iter().sum::<u64>();
    }
    out.0
}

/// Writes the table of the CPUs' pages, and padding up to the first page. `out` begins at `start` in the
/// file, which is a multiple of the page size.
fn page_table(out: &mut Writer, start: u64, page_bytes: usize, cpu_bytes: &[u64]) {
    out.raw(b"flyrecord\0");
    let table = start + out.0.len() as u64 + cpu_bytes.len() as u64 * 16;
    let mut offset = table.next_multiple_of(page_bytes as u64);
    for &bytes in cpu_bytes {
        out.u64(offset);
        out.u64(bytes);
        offset += bytes;
    }
    out.pad(page_bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_aligned() {
        let mut out = Writer::default();
        page_table(&mut out, 0, 4096, &[8192, 0, 4096]);
        let numbers = out.0[10..58].chunks(8);
        let numbers: Vec<u64> = numbers
            .map(|n| u64::from_ne_bytes(n.try_into().unwrap()))
            .collect();
        assert_eq!(numbers, [4096, 8192, 12288, 0, 12288, 4096]);
        assert_eq!(out.0.len(), 4096);
    }
}
