//! Version 6: parts behind each other, then the pages as they are.

use super::PageLayout;
use super::bytes::Bytes;
use super::parts::Parts;

/// The bytes before the pages of the first CPU, for CPUs with so many bytes of pages each.
pub(super) fn head(parts: &Parts, layout: &PageLayout, cpu_bytes: &[u64]) -> Vec<u8> {
    let mut out = Bytes::default();
    out.raw(b"\x17\x08\x44tracing6\0");
    out.raw(&[u8::from(cfg!(target_endian = "big")), layout.long_bytes]);
    out.u32(layout.page_bytes as u32);
    for part in [
        &parts.header_info,
        &parts.ftrace_events,
        &parts.event_formats,
        &parts.kallsyms,
        &parts.printk_formats,
        &parts.cmdlines,
    ] {
        out.raw(part);
    }
    out.u32(cpu_bytes.len() as u32);
    out.raw(b"options  \0");
    let mut options = parts.options.iter();
    options.by_ref().for_each(|option| out.text_option(option));
    out.u16(0);
    places(&mut out, layout.page_bytes as u64, cpu_bytes);
    out.0
}

/// The table of the CPUs' pages, and room up to the first page.
fn places(out: &mut Bytes, page_bytes: u64, cpu_bytes: &[u64]) {
    out.raw(b"flyrecord\0");
    let table = out.0.len() as u64 + cpu_bytes.len() as u64 * 16;
    let mut place = table.next_multiple_of(page_bytes);
    for &bytes in cpu_bytes {
        out.u64(place);
        out.u64(bytes);
        place += bytes;
    }
    out.pad(0, page_bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_begin_at_multiples_of_their_size() {
        let mut out = Bytes::default();
        places(&mut out, 4096, &[8192, 0, 4096]);
        let numbers = out.0[10..58].chunks(8);
        let numbers: Vec<u64> = numbers
            .map(|n| u64::from_ne_bytes(n.try_into().unwrap()))
            .collect();
        assert_eq!(numbers, [4096, 8192, 12288, 0, 12288, 4096]);
        assert_eq!(out.0.len(), 4096);
    }
}
