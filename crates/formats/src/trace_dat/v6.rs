//! Version 6: parts in a fixed order.

use traceloom_trace::{Place, RepairKind};

use super::collect::{Buffer, Collected, Content, CpuPlace};
use super::head::Head;
use super::input::{Input, wrong};
use super::options::{self, chosen_clock, id};
use super::parts;
use crate::error::{ReadError, printable};
use crate::ring_buffer::{RawFormats, Symbols};

/// Reads everything except pages. `input` begins after the head of `file`.
pub(super) fn collect(
    file: &[u8],
    head: &Head,
    mut input: Input<'_>,
) -> Result<Collected, ReadError> {
    let mut into = descriptions(&mut input, head.page_bytes)?;
    parts::cmdlines(&mut input, &mut into)?;
    let cpus = input.u32("the number of CPUs")?;
    let mut instances = Vec::new();
    let mut tag = tag(&mut input)?;
    if tag == Tag::Options {
        while let Some(option) = options::next(&mut input, 6)? {
            if option.id == id::BUFFER {
                let mut data = Input::new(option.data, option.offset, input.order());
                let offset = data.u64("a BUFFER option")?;
                let name = String::from_utf8_lossy(data.text("a BUFFER option")?).into_owned();
                instances.push((offset, name));
            } else {
                option.note(input.order(), &mut into.facts);
            }
        }
        tag = self::tag(&mut input)?;
    }
    let cpus = into.facts.cpus.unwrap_or(cpus).max(cpus.min(1));
    into.facts.cpus = Some(cpus);
    let content = content(&mut input, tag, cpus)?;
    if into.facts.clock_follows {
        into.facts.clock = clock(&mut input);
    }
    into.buffers.push(Buffer {
        content,
        ..Buffer::default()
    });
    for (offset, name) in instances {
        match instance(file, offset, name, cpus, &input) {
            Ok(buffer) => into.buffers.push(buffer),
            Err(error) => missing(&error, offset, &mut into),
        }
    }
    Ok(into)
}

/// The formats of pages and events, and names of functions.
pub(super) fn descriptions(input: &mut Input<'_>, page_bytes: u32) -> Result<Collected, ReadError> {
    let layout = parts::header_info(input, page_bytes)?;
    let mut into = Collected::new(RawFormats::new(layout));
    parts::ftrace_events(input, &mut into)?;
    parts::event_formats(input, &mut into)?;
    let kallsyms = parts::kallsyms(input)?;
    let printk_formats = parts::printk_formats(input)?;
    into.formats
        .set_symbols(Symbols::parse(kallsyms, printk_formats));
    Ok(into)
}

/// Notes that the buffer of an instance cannot be read. Instances come last, so a truncated file still has the other
/// buffers.
fn missing(error: &ReadError, offset: u64, into: &mut Collected) {
    let kind = match error {
        ReadError::Truncated { .. } => RepairKind::TornRecord,
        _ => RepairKind::BrokenBlock,
    };
    into.note(kind, 1, Place::at_offset(offset), error.to_string());
}

/// The kind of data that follows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Tag {
    Options,
    Pages,
    Text,
}

fn tag(input: &mut Input<'_>) -> Result<Tag, ReadError> {
    let place = input.place();
    match input.take(10, "the kind of data")? {
        b"options  \0" => Ok(Tag::Options),
        b"flyrecord\0" => Ok(Tag::Pages),
        b"latency  \0" => Ok(Tag::Text),
        other => {
            let expected = "options, flyrecord or latency";
            Err(wrong("the kind of data", printable(other), expected, place))
        }
    }
}

/// The positions of each CPU's pages, or a text that extends to the end of the file.
fn content(input: &mut Input<'_>, tag: Tag, cpus: u32) -> Result<Content, ReadError> {
    if tag == Tag::Text {
        return Ok(Content::Text(input.rest().to_vec()));
    }
    let place = |cpu| {
        const INSIDE: &str = "the places of CPU data";
        let (offset, length) = (input.u64(INSIDE)?, input.u64(INSIDE)?);
        Ok(CpuPlace {
            cpu,
            offset,
            length,
        })
    };
    Ok(Content::Pages {
        cpus: (0..cpus).map(place).collect::<Result<_, ReadError>>()?,
        page_bytes: None,
        packed: false,
    })
}

/// The contents of tracefs's `trace_clock`, which may be missing.
fn clock(input: &mut Input<'_>) -> Option<String> {
    let text = input.sized("the trace clock").ok()?;
    chosen_clock(&String::from_utf8_lossy(text))
}

/// The buffer of a trace instance.
fn instance(
    file: &[u8],
    offset: u64,
    name: String,
    cpus: u32,
    input: &Input<'_>,
) -> Result<Buffer, ReadError> {
    let start = usize::try_from(offset)
        .ok()
        .filter(|start| *start <= file.len());
    let bytes = &file[start.unwrap_or(file.len())..];
    let mut input = Input::new(bytes, offset, input.order());
    let tag = tag(&mut input)?;
    Ok(Buffer {
        name,
        clock: None,
        content: content(&mut input, tag, cpus)?,
    })
}
