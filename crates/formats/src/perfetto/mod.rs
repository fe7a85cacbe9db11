//! Perfetto traces: the recordings of Android since 2018, of Chrome, and of programs with Perfetto's SDK.
//!
//! ```text
//! Trace          field 1: TracePacket, any number
//! TracePacket    timestamp, sequence, sequence state, and one content: a bundle of kernel events, a track event …
//! ```
//! Packets are in the order of their writers' buffers, not in time order. So the reader makes two passes. The first
//! pass, [`survey`], follows the state of each packet sequence and lists the items with their timestamps. [`timeline`]
//! sorts the items by time. The second pass, [`read`], passes each event to the module that handles it.
//!
//! Sources: `protos/perfetto/trace/**/*.proto` of google/perfetto for the layout, its importers for the behaviour.

mod android;
mod chrome_names;
mod clocks;
mod compact;
mod counters;
mod cpu_info;
mod descriptors;
#[cfg(test)]
mod differential;
mod frames;
mod generic;
mod graphics;
mod journal;
mod kernel;
mod kernel_event;
mod kernel_fields;
mod machines;
mod metatrace;
mod module_file;
mod namespaces;
mod network;
mod packet;
mod profiling;
mod quirks;
mod read;
mod sequence;
mod service;
mod source;
mod state_rows;
mod states;
mod survey;
mod tally;
mod tasks;
mod timeline;
mod track_descriptor;
mod track_descriptors;
mod track_event;
mod translations;
mod unpack;
mod values;
mod wire;

#[cfg(test)]
mod clock_tests;
#[cfg(test)]
mod content_tests;
#[cfg(test)]
mod kernel_descriptor_tests;
#[cfg(test)]
mod kernel_tests;
#[cfg(test)]
mod machine_tests;
#[cfg(test)]
mod order_tests;
#[cfg(test)]
mod recorder_tests;
#[cfg(test)]
mod tests;

use crate::format::{Confidence, Format, ReadOptions, Reader};
use crate::format_id;
use crate::whole::whole_reader;
use packet::Packets;
pub(crate) use wire::Fields;

/// The Perfetto trace format.
pub(crate) struct Perfetto;

impl Format for Perfetto {
    fn id(&self) -> &'static str {
        format_id::PERFETTO
    }

    fn title(&self) -> &'static str {
        "Perfetto trace"
    }

    /// A trace begins with the key of field 1. That byte is also a line feed, so the first packets must be plausible
    /// too.
    fn sniff(&self, head: &[u8]) -> Confidence {
        if head.first() == Some(&0x0a) && begins_with_packets(head) {
            Confidence::Likely
        } else {
            Confidence::No
        }
    }

    /// Packets are not in time order, so reading needs the whole file.
    fn wants_whole(&self) -> bool {
        true
    }

    fn reader(&self, options: &ReadOptions) -> Option<Box<dyn Reader>> {
        let options = options.clone();
        Some(whole_reader(move |bytes, out| {
            let out = out.trace(format_id::PERFETTO)?;
            out.add_source_bytes(bytes.len() as u64);
            read::read(bytes, &options, out)
        }))
    }
}

/// Whether a file consists of symbols for other traces: its first packet has the field `module_symbols`.
pub(crate) fn begins_with_symbols(head: &[u8]) -> bool {
    const MODULE_SYMBOLS: u32 = 61;
    let packet = Packets::new(head).next();
    let field = packet.and_then(|packet| wire::Fields::new(packet).next());
    field.is_some_and(|field| field.number == MODULE_SYMBOLS)
}

/// Whether the first packets contain only fields that a `TracePacket` can have. The last one may be incomplete.
fn begins_with_packets(head: &[u8]) -> bool {
    const PACKETS: usize = 8;
    // An empty packet proves nothing: in other messages, an empty text has the same bytes.
    let packets = Packets::new(head).filter(|packet| !packet.is_empty());
    let seen = packets.take(PACKETS).map(packet::is_plausible);
    let (mut count, mut plausible) = (0, true);
    for is_plausible in seen {
        count += 1;
        plausible &= is_plausible;
    }
    plausible && (count > 0 || packet::begins_plausibly(head))
}
