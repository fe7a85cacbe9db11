//! Version 7: sections that options point to.

use rustc_hash::{FxHashMap, FxHashSet};
use traceloom_trace::{Place, RepairKind};

use super::collect::{Buffer, Collected, Content, CpuPlace};
use super::facts::Facts;
use super::head::Head;
use super::input::{Input, wrong};
use super::options::{self, DatOption, id};
use super::parts;
use super::sections::Sections;
use crate::bytes::ByteOrder;
use crate::error::ReadError;
use crate::ring_buffer::{RawFormats, Symbols};

/// The contents of the options, read before the formats are known.
#[derive(Default)]
struct FromOptions {
    /// The position of the section of each kind.
    places: FxHashMap<u16, u64>,
    /// Buffers, with the kinds and positions of their sections.
    buffers: Vec<(u16, u64, Buffer)>,
    facts: Facts,
    repairs: Vec<(RepairKind, Place, String)>,
}

/// Reads everything except pages. `options` is the position of the first options.
pub(super) fn collect(
    sections: &mut Sections<'_, '_>,
    head: &Head,
    options: u64,
) -> Result<Collected, ReadError> {
    let mut found = FromOptions::default();
    all_options(sections, options, &mut found)?;
    let Some(&place) = found.places.get(&id::HEADER_INFO) else {
        let expected = "the place of the section HEADER_INFO";
        let place = Place::at_offset(options);
        return Err(wrong(
            "the options",
            "without it".to_owned(),
            expected,
            place,
        ));
    };
    let (content, place) = sections.content(id::HEADER_INFO, place, "the section HEADER_INFO")?;
    let mut input = Input::new(&content, place, head.order);
    let layout = parts::header_info(&mut input, head.page_bytes)?;
    let mut into = Collected::new(RawFormats::new(layout));
    into.facts = found.facts;
    for (kind, place, detail) in found.repairs {
        into.note(kind, 1, place, detail);
    }
    formats(sections, &found.places, &mut into)?;
    for (id, offset, buffer) in found.buffers {
        content_of(sections, id, offset, buffer, &mut into)?;
    }
    Ok(into)
}

/// Follows the chain of options. If one is broken, the earlier ones still count.
fn all_options(
    sections: &mut Sections<'_, '_>,
    first: u64,
    found: &mut FromOptions,
) -> Result<(), ReadError> {
    let (mut next, mut seen) = (first, FxHashSet::default());
    while next != 0 && seen.insert(next) {
        let (content, offset) = match sections.content(id::DONE, next, "the options") {
            Ok(content) => content,
            Err(error) if next == first || is_refusal(&error) => return Err(error),
            Err(error) => {
                let place = Place::at_offset(next);
                found
                    .repairs
                    .push((RepairKind::TornRecord, place, error.to_string()));
                return Ok(());
            }
        };
        next = found.options(Input::new(&content, offset, sections.order));
    }
    Ok(())
}

impl FromOptions {
    /// Reads the options of a section. Returns the place of the next section; 0 if there is none.
    fn options(&mut self, mut input: Input<'_>) -> u64 {
        loop {
            match options::next(&mut input, 7) {
                Ok(Some(option)) if option.id == id::DONE => {
                    return input.order().u64(option.data, 0).unwrap_or(0);
                }
                Ok(Some(option)) => self.option(&option, input.order()),
                Ok(None) | Err(_) => {
                    let (place, detail) = (input.place(), "the options break off".to_owned());
                    self.repairs.push((RepairKind::TornRecord, place, detail));
                    return 0;
                }
            }
        }
    }

    fn option(&mut self, option: &DatOption<'_>, order: ByteOrder) {
        match option.id {
            id::HEADER_INFO..=id::CMDLINES => {
                if let Some(place) = order.u64(option.data, 0) {
                    self.places.insert(option.id, place);
                }
            }
            id::BUFFER | id::BUFFER_TEXT => match buffer_option(option, order) {
                Ok((place, buffer)) => self.buffers.push((option.id, place, buffer)),
                Err(error) => {
                    let place = Place::at_offset(option.offset);
                    let kind = RepairKind::BrokenBlock;
                    self.repairs.push((kind, place, error.to_string()));
                }
            },
            _ => _ = option.note(order, &mut self.facts),
        }
    }
}

/// A buffer's position, name, clock and CPUs.
fn buffer_option(option: &DatOption<'_>, order: ByteOrder) -> Result<(u64, Buffer), ReadError> {
    const INSIDE: &str = "a BUFFER option";
    let mut input = Input::new(option.data, option.offset, order);
    let offset = input.u64(INSIDE)?;
    let mut text = || {
        input
            .text(INSIDE)
            .map(|text| String::from_utf8_lossy(text).into_owned())
    };
    let (name, clock) = (text()?, text()?);
    let mut buffer = Buffer {
        name,
        clock: Some(clock),
        content: Content::default(),
    };
    if option.id == id::BUFFER {
        let page_bytes = Some(input.u32(INSIDE)?);
        let count = input.u32(INSIDE)?;
        let cpu = |_| {
            Ok(CpuPlace {
                cpu: input.u32(INSIDE)?,
                offset: input.u64(INSIDE)?,
                length: input.u64(INSIDE)?,
            })
        };
        buffer.content = Content::Pages {
            cpus: (0..count).map(cpu).collect::<Result<_, ReadError>>()?,
            page_bytes,
            packed: false,
        };
    }
    Ok((offset, buffer))
}

/// Whether a limit was exceeded, which ends reading.
fn is_refusal(error: &ReadError) -> bool {
    matches!(error, ReadError::TooBig { .. } | ReadError::Bomb { .. })
}

/// Reads formats and names. A broken section loses only its own content.
fn formats(
    sections: &mut Sections<'_, '_>,
    places: &FxHashMap<u16, u64>,
    into: &mut Collected,
) -> Result<(), ReadError> {
    let mut texts = SymbolTexts::default();
    for (id, inside) in [
        (id::FTRACE_EVENTS, "the section FTRACE_EVENTS"),
        (id::EVENT_FORMATS, "the section EVENT_FORMATS"),
        (id::KALLSYMS, "the section KALLSYMS"),
        (id::PRINTK, "the section PRINTK"),
        (id::CMDLINES, "the section CMDLINES"),
    ] {
        if let Some(&place) = places.get(&id) {
            let content = sections.content(id, place, inside);
            let read = content.and_then(|(content, place)| {
                let input = Input::new(&content, place, sections.order);
                section(id, input, &mut texts, into)
            });
            note_unless_refused(read, place, into)?;
        }
    }
    let symbols = Symbols::parse(&texts.kallsyms, &texts.printk_formats);
    into.formats.set_symbols(symbols);
    Ok(())
}

/// The texts with the kernel's symbols.
#[derive(Default)]
struct SymbolTexts {
    kallsyms: Vec<u8>,
    printk_formats: Vec<u8>,
}

/// Reads a section with formats or names.
fn section(
    id: u16,
    mut input: Input<'_>,
    texts: &mut SymbolTexts,
    into: &mut Collected,
) -> Result<(), ReadError> {
    match id {
        id::FTRACE_EVENTS => parts::ftrace_events(&mut input, into)?,
        id::EVENT_FORMATS => parts::event_formats(&mut input, into)?,
        id::KALLSYMS => {
            let text = parts::kallsyms(&mut input)?;
            texts.kallsyms.extend_from_slice(text);
        }
        id::PRINTK => {
            let text = parts::printk_formats(&mut input)?;
            texts.printk_formats.extend_from_slice(text);
        }
        _ => parts::cmdlines(&mut input, into)?,
    }
    Ok(())
}

/// Reports a broken section and returns whether it was read. Only an exceeded limit ends reading.
fn note_unless_refused(
    read: Result<(), ReadError>,
    at: u64,
    into: &mut Collected,
) -> Result<bool, ReadError> {
    match read {
        Err(error) if is_refusal(&error) => Err(error),
        Err(error) => {
            let (kind, place) = (RepairKind::BrokenBlock, Place::at_offset(at));
            into.note(kind, 1, place, error.to_string());
            Ok(false)
        }
        Ok(()) => Ok(true),
    }
}

/// Opens a buffer's section. Returns either whether its pages are compressed, or its text.
fn content_of(
    sections: &mut Sections<'_, '_>,
    id: u16,
    offset: u64,
    mut buffer: Buffer,
    into: &mut Collected,
) -> Result<(), ReadError> {
    let is_top = buffer.name.is_empty();
    if is_top && into.facts.clock.is_none() {
        into.facts.clock.clone_from(&buffer.clock);
    }
    let opened = sections.open(id, offset, "the section of a buffer");
    let read = opened.and_then(|(is_packed, mut input)| {
        match &mut buffer.content {
            Content::Pages { packed, .. } => *packed = is_packed,
            Content::Text(text) if is_packed => {
                for _ in 0..input.u32("the number of chunks")? {
                    text.extend(sections.unpacker.chunk_or_error(&mut input)?);
                }
            }
            Content::Text(text) => text.extend_from_slice(input.rest()),
        }
        Ok(())
    });
    if note_unless_refused(read, offset, into)? {
        into.buffers.push(buffer);
    }
    Ok(())
}
