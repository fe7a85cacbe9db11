//! The parts that both versions share: formats of pages and events, and names.

use traceloom_trace::{Place, RepairKind};

use super::collect::Collected;
use super::input::{Input, wrong};
use crate::error::{ReadError, printable};
use crate::ring_buffer::{EventFormat, PageLayout};

/// `header_page` and `header_event`, with their lengths.
pub(super) fn header_info(input: &mut Input<'_>, page_bytes: u32) -> Result<PageLayout, ReadError> {
    const PAGE: &str = "header_page";
    input.expect("header_page\0", PAGE)?;
    let place = Place::at_offset(input.offset() + 8);
    let text = input.sized(PAGE)?;
    input.expect("header_event\0", "header_event")?;
    input.sized("header_event")?;
    let layout = PageLayout::parse(text, input.order()).map_err(|error| {
        let found = format!("{} ({error})", printable(text));
        wrong(
            PAGE,
            found,
            "what a kernel's events/header_page says",
            place,
        )
    })?;
    // A larger size means that the ring buffer uses sub-buffers. Memory pages are never larger than
    // these.
    let in_pages = usize::try_from(page_bytes).ok();
    let bigger = in_pages.filter(|bytes| *bytes > layout.page_bytes);
    Ok(bigger
        .and_then(|bytes| layout.with_page_bytes(bytes))
        .unwrap_or(layout))
}

/// Formats of ftrace's own events.
pub(super) fn ftrace_events(input: &mut Input<'_>, into: &mut Collected) -> Result<(), ReadError> {
    const INSIDE: &str = "the formats of ftrace's events";
    for _ in 0..input.u32(INSIDE)? {
        event(input, "ftrace", INSIDE, into)?;
    }
    Ok(())
}

/// Formats of the kernel's events, by subsystem.
pub(super) fn event_formats(input: &mut Input<'_>, into: &mut Collected) -> Result<(), ReadError> {
    const INSIDE: &str = "the formats of events";
    for _ in 0..input.u32(INSIDE)? {
        let system = String::from_utf8_lossy(input.text(INSIDE)?).into_owned();
        for _ in 0..input.u32(INSIDE)? {
            event(input, &system, INSIDE, into)?;
        }
    }
    Ok(())
}

fn event(
    input: &mut Input<'_>,
    system: &str,
    inside: &'static str,
    into: &mut Collected,
) -> Result<(), ReadError> {
    let text = input.sized(inside)?;
    let place = Place::at_offset(input.offset() - text.len() as u64);
    match EventFormat::parse(system, text) {
        Ok(format) => {
            let detail = format!(
                "{}:{} has a number that another event has",
                system, format.name
            );
            if !into.formats.add_event(format) {
                into.note(RepairKind::Redefined, 1, place, detail);
            }
        }
        Err(error) => into.note(RepairKind::BadField, 1, place, error.to_string()),
    }
    Ok(())
}

/// `/proc/kallsyms`.
pub(super) fn kallsyms<'a>(input: &mut Input<'a>) -> Result<&'a [u8], ReadError> {
    input.short_sized("kallsyms")
}

/// tracefs's `printk_formats`.
pub(super) fn printk_formats<'a>(input: &mut Input<'a>) -> Result<&'a [u8], ReadError> {
    input.short_sized("the printk formats")
}

/// tracefs's `saved_cmdlines`.
pub(super) fn cmdlines(input: &mut Input<'_>, into: &mut Collected) -> Result<(), ReadError> {
    let text = input.sized("the saved command lines")?;
    into.formats.add_comms(text);
    Ok(())
}
