//! Reads a whole file into a trace.

use std::borrow::Cow;

use traceloom_trace::{Place, RepairKind, TraceBuilder};

use super::collect::{Buffer, Collected, Content, CpuPlace};
use super::compression::{Codec, Failure, Unpacker};
use super::head::{Head, Version};
use super::input::Input;
use super::sections::Sections;
use super::{v6, v7};
use crate::error::ReadError;
use crate::format::{Format, ReadOptions, Target};
use crate::format_id;
use crate::ftrace::event::MOST_CPUS;
use crate::ring_buffer::{CpuBytes, EventTally, PageEvents, PageLayout, RawReader, tally};

/// Reads the file.
///
/// # Errors
/// If its head, formats or options are missing or invalid. Missing pages are a repair.
pub(super) fn read(
    file: &[u8],
    options: &ReadOptions,
    out: &mut TraceBuilder,
) -> Result<(), ReadError> {
    let (number, mut collected, mut unpacker) = collect(file, options)?;
    let pages = pages(file, &mut collected, &mut unpacker)?;
    out.add_source_bytes(file.len() as u64);
    collected.facts.report(number, out);
    collected.report_repairs(out);
    texts(&collected.buffers, options, out)?;
    events(&collected, &pages, options, out);
    Ok(())
}

/// Decodes and counts all events of a `trace.dat` in order of time, without storing them.
///
/// # Errors
/// If the file cannot be read; see [`read_bytes`](crate::read_bytes).
pub fn tally_trace_dat(file: &[u8], options: &ReadOptions) -> Result<EventTally, ReadError> {
    let (_, mut collected, mut unpacker) = collect(file, options)?;
    let pages = pages(file, &mut collected, &mut unpacker)?;
    Ok(tally(&collected.formats, &cpus(&collected, &pages)))
}

/// Reads pages one by one, with the formats in the start of a `trace.dat`.
///
/// # Errors
/// As for [`read_bytes`](crate::read_bytes).
pub fn page_events(head: &[u8]) -> Result<PageEvents, ReadError> {
    let (_, collected, _) = collect(head, &ReadOptions::default())?;
    Ok(PageEvents::new(collected.formats))
}

/// Reads everything except pages. Also returns the version.
fn collect(file: &[u8], options: &ReadOptions) -> Result<(u8, Collected, Unpacker), ReadError> {
    let (head, input) = Head::read(file)?;
    let (number, codec) = match head.version {
        Version::Six => (6, Codec::None),
        Version::Seven { codec, .. } => (7, codec),
    };
    let mut unpacker = Unpacker::new(codec, file.len(), options);
    let mut collected = match head.version {
        Version::Six => v6::collect(file, &head, input)?,
        Version::Seven { options, .. } => {
            let mut sections = Sections {
                file,
                order: head.order,
                unpacker: &mut unpacker,
            };
            v7::collect(&mut sections, &head, options)?
        }
    };
    let tgids = std::mem::take(&mut collected.facts.tgids);
    collected.formats.add_tgids(&tgids);
    Ok((number, collected, unpacker))
}

/// The decompressed pages of one CPU.
struct Pages<'a> {
    buffer: usize,
    place: CpuPlace,
    bytes: Cow<'a, [u8]>,
    layout: PageLayout,
}

/// Finds the pages of all buffers.
fn pages<'a>(
    file: &'a [u8],
    collected: &mut Collected,
    unpacker: &mut Unpacker,
) -> Result<Vec<Pages<'a>>, ReadError> {
    let mut all: Vec<Pages<'a>> = Vec::new();
    // Each page occurs once, so the total of all ranges cannot exceed the file. Overlapping ranges
    // would be read several times for nothing.
    let mut left = file.len();
    for (buffer, place, page_bytes, packed) in places(&collected.buffers) {
        let has_room = place.cpu < MOST_CPUS && all.len() < MOST_CPUS as usize;
        let Some(whole) = own_stretch(file, place, has_room, &mut left, collected) else {
            continue;
        };
        let bytes = if packed {
            Cow::Owned(unpacked(file, place, collected, unpacker)?)
        } else {
            Cow::Borrowed(whole)
        };
        let layout = collected.formats.layout();
        let own = page_bytes.and_then(|bytes| layout.with_page_bytes(bytes as usize));
        all.push(Pages {
            buffer,
            place,
            bytes,
            layout: own.unwrap_or(layout),
        });
    }
    Ok(all)
}

/// The CPUs of all buffers: the index of the buffer, the place of the CPU's data, the size of its pages, and whether
/// they are compressed.
fn places(buffers: &[Buffer]) -> Vec<(usize, CpuPlace, Option<u32>, bool)> {
    let mut places = Vec::new();
    for (index, buffer) in buffers.iter().enumerate() {
        if let Content::Pages {
            cpus,
            page_bytes,
            packed,
        } = &buffer.content
        {
            let cpus = cpus.iter().filter(|place| place.length > 0);
            places.extend(cpus.map(|place| (index, *place, *page_bytes, *packed)));
        }
    }
    places
}

/// Takes the bytes of a CPU from what is `left` of the file. A place that cannot be the CPU's own is reported.
fn own_stretch<'a>(
    file: &'a [u8],
    place: CpuPlace,
    has_room: bool,
    left: &mut usize,
    collected: &mut Collected,
) -> Option<&'a [u8]> {
    let bytes = stretch(file, place, collected);
    let rest = left.checked_sub(bytes.len()).filter(|_| has_room);
    let Some(rest) = rest else {
        let (length, cpu) = (bytes.len(), place.cpu);
        let detail = format!("the {length} bytes of CPU {cpu} cannot be its own");
        let at = Place::at_offset(place.offset);
        collected.note(RepairKind::BrokenBlock, 1, at, detail);
        return None;
    };
    *left = rest;
    Some(bytes)
}

/// The bytes of a CPU's data, limited to those present in the file.
fn stretch<'a>(file: &'a [u8], place: CpuPlace, collected: &mut Collected) -> &'a [u8] {
    let clamp = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(file.len());
    let bytes = &file[clamp(place.offset)..clamp(place.offset.saturating_add(place.length))];
    let missing = place.length - bytes.len() as u64;
    if missing > 0 {
        let at = Place::at_offset(file.len() as u64);
        let detail = format!("{missing} bytes of CPU {} are missing", place.cpu);
        collected.note(RepairKind::TornRecord, 1, at, detail);
    }
    bytes
}

/// Decompresses all chunks of a CPU's data. Chunks after a broken one cannot be located, and are
/// skipped.
fn unpacked(
    file: &[u8],
    place: CpuPlace,
    collected: &mut Collected,
    unpacker: &mut Unpacker,
) -> Result<Vec<u8>, ReadError> {
    const INSIDE: &str = "compressed CPU data";
    // The number of chunks determines where the data ends; the length does not include that number.
    let start = usize::try_from(place.offset).ok();
    let bytes = start
        .and_then(|start| file.get(start..))
        .unwrap_or_default();
    let mut input = Input::new(bytes, place.offset, collected.formats.layout().order);
    let mut all = Vec::new();
    let chunks = match input.u32(INSIDE) {
        Ok(chunks) => chunks,
        Err(error) => {
            collected.note(RepairKind::TornRecord, 1, input.place(), error.to_string());
            return Ok(all);
        }
    };
    for _ in 0..chunks {
        let at = input.place();
        let detail = match unpacker.chunk(&mut input, INSIDE) {
            Ok(chunk) => {
                all.extend(chunk);
                continue;
            }
            Err(Failure::Refused(error @ (ReadError::TooBig { .. } | ReadError::Bomb { .. }))) => {
                return Err(error);
            }
            Err(Failure::Refused(error)) => error.to_string(),
            Err(Failure::Broken(begun, reason)) => {
                all.extend(begun);
                format!("a chunk of CPU {}: {reason}", place.cpu)
            }
        };
        collected.note(RepairKind::BrokenBlock, 1, at, detail);
        break;
    }
    Ok(all)
}

/// Reads the buffers that are text, each with its own reader.
fn texts(
    buffers: &[Buffer],
    options: &ReadOptions,
    out: &mut TraceBuilder,
) -> Result<(), ReadError> {
    for buffer in buffers {
        let Content::Text(text) = &buffer.content else {
            continue;
        };
        let Some(mut reader) = crate::ftrace::FtraceText.reader(options) else {
            continue;
        };
        let mut target = Target::Trace(out);
        reader.feed(text, &mut target)?;
        reader.finish(&mut target)?;
    }
    Ok(())
}

/// Converts the pages to the form that the ring buffer's reader takes.
fn cpus<'a>(collected: &Collected, pages: &'a [Pages<'_>]) -> Vec<CpuBytes<'a>> {
    let cpus = pages.iter().map(|pages| CpuBytes {
        cpu: pages.place.cpu,
        buffer: pages.buffer,
        bytes: &pages.bytes,
        layout: pages.layout,
        offset: pages.place.offset,
        time: collected.facts.time_scale(pages.place.cpu),
    });
    cpus.collect()
}

/// Reads the events of all pages.
fn events(
    collected: &Collected,
    pages: &[Pages<'_>],
    options: &ReadOptions,
    out: &mut TraceBuilder,
) {
    report_buffers(&collected.buffers, out);
    let cpus = cpus(collected, pages);
    let mut reader = RawReader::new(options);
    reader.read(&collected.formats, &cpus, out);
    if let Some(dump) = &options.process_dump {
        crate::process_dump::read_process_dump(dump, out);
    }
    collected.facts.report_losses(&reader, out);
    let has_pages = !cpus.is_empty();
    if has_pages || collected.buffers.is_empty() {
        reader.finish(out);
    }
    if let Some(ts) = reader.first_ts() {
        collected.facts.report_clock(ts, out);
    }
}

/// Adds the names of trace instances, and reports clocks that differ between buffers.
fn report_buffers(buffers: &[Buffer], out: &mut TraceBuilder) {
    let mut first = None;
    for buffer in buffers {
        if !buffer.name.is_empty() {
            out.metadata("buffer", &buffer.name);
        }
        let Some(own) = buffer.clock.as_deref().filter(|_| buffer.has_events()) else {
            continue;
        };
        let first = *first.get_or_insert(own);
        let differs = u64::from(own != first);
        out.repair(RepairKind::BadClockSync, differs, Place::default(), || {
            format!(
                "the buffer {:?} was recorded with the clock {own}, another with {first}",
                buffer.name
            )
        });
    }
}

impl Unpacker {
    /// Like [`chunk`](Self::chunk), but a broken chunk is an error.
    pub fn chunk_or_error(&mut self, input: &mut Input<'_>) -> Result<Vec<u8>, ReadError> {
        let offset = input.offset();
        match self.chunk(input, "a compressed text") {
            Ok(chunk) => Ok(chunk),
            Err(Failure::Refused(error)) => Err(error),
            Err(Failure::Broken(_, reason)) => Err(ReadError::Compression {
                format: format_id::TRACE_DAT,
                offset,
                reason,
            }),
        }
    }
}
