//! The block of an ANR report. [`super`] shows the layout.

use traceloom_trace::{
    MethodAction, MethodClocks, MethodEvent, MethodEvents, MethodTraceStart, RepairKind,
};

use crate::bytes::{le_u16, le_u32, le_u64, le_uint};
use crate::method_trace::emit::{Batch, Emitter};
use crate::method_trace::leb::Leb;
use crate::method_trace::v2::{declare_method, declare_thread};

const CLOCK_HEADER: usize = 17;
const ENTRIES_HEADER: usize = 12;
/// Linux numbers threads below 2^22.
const TID_LIMIT: u32 = 1 << 22;

/// A complete packet of the block.
enum Packet<'a> {
    Entries { tid: u32, records: &'a [u8] },
    Thread,
    Method,
}

/// The packet at the beginning of `bytes` and its length; `None` if it is invalid or truncated.
fn packet(bytes: &[u8]) -> Option<(Packet<'_>, usize)> {
    match bytes.first()? {
        0 => {
            let end = 7 + usize::from(le_u16(bytes, 5)?);
            std::str::from_utf8(bytes.get(7..end)?).ok()?;
            Some((Packet::Thread, end))
        }
        1 => {
            let end = 11 + usize::from(le_u16(bytes, 9)?);
            bytes
                .get(11..end)?
                .contains(&b'\t')
                .then_some((Packet::Method, end))
        }
        2 => {
            let tid = le_u32(bytes, 1).filter(|tid| *tid < TID_LIMIT)?;
            let size = le_u32(bytes, 8)? as usize;
            let end = ENTRIES_HEADER.checked_add(size)?;
            let records = bytes.get(ENTRIES_HEADER..end)?;
            Some((Packet::Entries { tid, records }, end))
        }
        _ => None,
    }
}

/// The offset of the first packet, after the clocks that newer versions of ART write first.
fn front(bytes: &[u8]) -> usize {
    match bytes.first() {
        Some(3) => CLOCK_HEADER,
        _ => 0,
    }
}

/// Whether `bytes` begin with a block: a packet of a thread's records, followed by valid packets.
pub(super) fn looks_right(bytes: &[u8]) -> bool {
    let mut rest = bytes.get(front(bytes)..).unwrap_or_default();
    if !has_entries(rest).unwrap_or(false) {
        return false;
    }
    // `bytes` may end inside a packet. The complete packets must be followed by the beginning of
    // another.
    while let Some((_, length)) = packet(rest) {
        rest = &rest[length..];
    }
    rest.first().is_none_or(|kind| *kind <= 2)
}

/// Whether a packet begins with the header of a thread's records, whose numbers fit together.
fn has_entries(packet: &[u8]) -> Option<bool> {
    let (tid, size) = (le_u32(packet, 1)?, u64::from(le_u32(packet, 8)?));
    let count = le_uint(packet.get(5..8)?);
    let is_plausible = count <= size && size <= count.saturating_mul(20);
    Some(packet.first() == Some(&2) && tid < TID_LIMIT && is_plausible)
}

/// A block.
pub(super) struct Block<'a> {
    bytes: &'a [u8],
}

/// A record: time in ns, and the method of an entry.
struct Record {
    time: u64,
    entered: Option<u64>,
}

/// The records of one packet, and the offset where they become invalid.
fn for_records(bytes: &[u8], mut each: impl FnMut(usize, Record)) -> Option<usize> {
    let (mut leb, mut coded, mut method) = (Leb::new(bytes), 0u64, 0u64);
    while leb.used < bytes.len() {
        let at = leb.used;
        let Some(step) = leb.signed() else {
            return Some(at);
        };
        coded = coded.wrapping_add_signed(step);
        let mut entered = None;
        if coded & 1 == 0 {
            let Some(step) = leb.signed() else {
                return Some(at);
            };
            method = method.wrapping_add_signed(step);
            entered = Some(method);
        }
        let time = coded >> 1;
        each(at, Record { time, entered });
    }
    None
}

impl<'a> Block<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    fn for_packets(&self, mut each: impl FnMut(usize, usize, Packet<'a>)) -> usize {
        let mut at = front(self.bytes).min(self.bytes.len());
        while let Some((packet, length)) = packet(&self.bytes[at..]) {
            each(at, length, packet);
            at += length;
        }
        at
    }

    /// The time of the first record, ns of the recorder's clock.
    fn first_ns(&self) -> u64 {
        let mut first = u64::MAX;
        self.for_packets(|_, _, packet| {
            if let Packet::Entries { records, .. } = packet {
                for_records(records, |_, record| first = first.min(record.time));
            }
        });
        if first == u64::MAX { 0 } else { first }
    }

    /// The offset from the recorder's clock to `CLOCK_MONOTONIC`, if the block has it.
    fn to_monotonic(&self) -> Option<i64> {
        let clocks = self.bytes.strip_prefix(&[3])?;
        let (recorder_ns, monotonic_ns) = (le_u64(clocks, 0)?, le_u64(clocks, 8)?);
        Some(monotonic_ns.wrapping_sub(recorder_ns) as i64)
    }

    /// Reads the block. `keys` are passed on.
    pub fn read(self, keys: &[(String, String)], sink: &mut dyn MethodEvents) {
        let first_ns = self.first_ns();
        let start_ns = (first_ns as i64).wrapping_add(self.to_monotonic().unwrap_or(0));
        sink.start(&MethodTraceStart {
            version: 0,
            encoding: "long-running",
            clocks: MethodClocks {
                wall: true,
                cpu: false,
            },
            start_ns: start_ns.clamp(0, i64::MAX / 2),
            record_bytes: 0,
        });
        let mut emit = Emitter::default();
        self.declare(&mut emit, sink);
        let mut open = Vec::new();
        let end = self.for_packets(|at, _, packet| {
            if let Packet::Entries { tid, records } = packet {
                let at = (at + ENTRIES_HEADER) as u64;
                let mut thread = Entries { tid, at, first_ns };
                thread.read(records, &mut open, &mut emit, sink);
            }
        });
        if end < self.bytes.len() {
            let left = self.bytes.len() - end;
            let kind = RepairKind::TornRecord;
            emit.repairs
                .add(kind, end as u64, || format!("{left} bytes of a packet"));
        }
        emit.finish(keys, sink);
    }

    fn declare(&self, emit: &mut Emitter, sink: &mut dyn MethodEvents) {
        self.for_packets(|at, length, packet| {
            let bytes = &self.bytes[at..at + length];
            let _ = match packet {
                Packet::Thread => declare_thread(bytes, at as u64, emit, sink),
                Packet::Method => declare_method(bytes, at as u64, emit, sink),
                Packet::Entries { .. } => None,
            };
        });
    }
}

/// One packet of records being read.
struct Entries {
    tid: u32,
    at: u64,
    first_ns: u64,
}

impl Entries {
    /// Reads the packet. `open` has the open methods of each thread, across packets, because an
    /// exit does not name its method.
    fn read(
        &mut self,
        records: &[u8],
        open: &mut Vec<Vec<u64>>,
        emit: &mut Emitter,
        sink: &mut dyn MethodEvents,
    ) {
        let thread = emit.thread(self.tid, self.at, sink);
        let known = open.len().max(thread.0 as usize + 1);
        open.resize_with(known, Vec::new);
        let open = &mut open[thread.0 as usize];
        let mut batch = Batch::default();
        let broken = for_records(records, |offset, record| {
            let at = self.at + offset as u64;
            emit.records += 1;
            let (method, action) = match record.entered {
                Some(method) => {
                    open.push(method);
                    (Some(method), MethodAction::Enter)
                }
                None => (open.pop(), MethodAction::Exit),
            };
            let Some(method) = method else {
                return emit.repairs.add(RepairKind::UnmatchedExit, at, String::new);
            };
            let method = emit.method(method, at, sink);
            let wall_ns = record.time.wrapping_sub(self.first_ns) as i64;
            batch.push(
                MethodEvent::new(thread, method, action, wall_ns, 0, at),
                sink,
            );
        });
        batch.flush(sink);
        if let Some(offset) = broken {
            let at = self.at + offset as u64;
            emit.repairs.add(RepairKind::BrokenBlock, at, || {
                format!(
                    "{} bytes at a packet's end are no record",
                    records.len() - offset
                )
            });
        }
    }
}
