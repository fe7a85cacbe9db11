//! ART's second encodings, versions 4 (one time) and 5 (two), `| 0xF0` streaming.
//!
//! ```text
//! header   u32 'SLOW'  u16 version  u64 start  u64 start ticks  u64 ticks a second  u16 0
//! packet   0  u32 tid  u16 length  name
//!          1  u64 method  u16 length  "class⇥name⇥signature⇥file[⇥line]\n"
//!          2  u32 tid  u24 records  u32 size  payload
//!          3  u16 length  summary
//! ```
//!
//! Three encodings use these versions:
//!
//! ```text
//! A1  sleb Δ(method|action)  uleb Δ wall  uleb Δ cpu       µs, 32 bits; start in µs
//! A2  the same                                             ns; start in ns
//! B   sleb Δ(time<<2|action)  [sleb Δ cpu]  on entry: sleb Δ method
//!                                                          ticks; start in ns
//! ```
//!
//! Differences start from 0 in each packet. The number of records is unreliable (ART truncates it
//! to 16 bits, and sums it up while streaming); the size is reliable. Sources: ART's
//! `runtime/trace.cc` of 2024 and 2025 (A1, A2) and Perfetto's reader (B). No file from a device
//! was available, so it is an assumption that CPU time in B is also a difference.

use traceloom_trace::{
    MethodAction, MethodClocks, MethodEvent, MethodEvents, RepairKind, ThreadIndex,
};

use super::emit::{Batch, Emitter};
use super::key;
use super::leb::Leb;
use super::v2_header::{Encoding, Header};
use crate::bytes::{le_u16, le_u32, le_u64};

/// The state of a thread across packets.
#[derive(Clone, Debug, Default)]
struct Thread {
    /// Encoding B: the open methods, because an exit does not name its method.
    open: Vec<u64>,
    last_wall_ns: Option<i64>,
}

/// The current packet of records.
#[derive(Clone, Copy, Debug)]
struct Block {
    thread: ThreadIndex,
    left: usize,
    method: u64,
    wall: u64,
    cpu: u64,
}

/// A record in its encoded form.
struct Record {
    method: u64,
    action: u8,
    bytes: usize,
}

/// Why reading stopped.
pub(super) enum Stop {
    /// More bytes are needed.
    Short,
    /// The summary, with the position of its text.
    Summary { from: usize, to: usize },
    /// A packet of an unknown kind: nothing after it can be read.
    Unknown(u8),
}

/// Turns packets into events.
#[derive(Clone, Debug)]
pub(super) struct Packets {
    encoding: Encoding,
    dual: bool,
    clocks: MethodClocks,
    block: Option<Block>,
    threads: Vec<Thread>,
    batch: Batch,
}

impl Packets {
    pub fn new(header: &Header, encoding: Encoding, clocks: MethodClocks) -> Self {
        Self {
            encoding,
            dual: header.is_dual(),
            clocks,
            block: None,
            threads: Vec::new(),
            batch: Batch::default(),
        }
    }

    /// The number of bytes that the current packet still lacks.
    pub fn announced(&self) -> usize {
        self.block.map_or(0, |block| block.left)
    }

    /// Reads `bytes`, which are at `at` in the source; returns the number of bytes consumed.
    pub fn run(
        &mut self,
        bytes: &[u8],
        at: u64,
        emit: &mut Emitter,
        sink: &mut dyn MethodEvents,
    ) -> (usize, Stop) {
        let mut used = 0;
        let said = loop {
            let (rest, place) = (&bytes[used..], at + used as u64);
            if self.block.is_some() {
                used += self.records(rest, place, emit, sink);
                if self.block.is_some() {
                    break Stop::Short;
                }
                continue;
            }
            match rest.first() {
                None => break Stop::Short,
                Some(0..=2) => match self.packet(rest, place, emit, sink) {
                    Some(length) => used += length,
                    None => break Stop::Short,
                },
                Some(3) => match summary(rest) {
                    Some((from, to)) => break Stop::Summary { from, to },
                    None => break Stop::Short,
                },
                Some(code) => break Stop::Unknown(*code),
            }
        };
        self.batch.flush(sink);
        (used, said)
    }

    /// Reads a name or the front of a packet of records; `None` if bytes are missing.
    fn packet(
        &mut self,
        bytes: &[u8],
        at: u64,
        emit: &mut Emitter,
        sink: &mut dyn MethodEvents,
    ) -> Option<usize> {
        match bytes[0] {
            0 => declare_thread(bytes, at, emit, sink),
            1 => declare_method(bytes, at, emit, sink),
            _ => {
                let tid = le_u32(bytes, 1)?;
                let left = le_u32(bytes, 8)? as usize;
                if left == 0 {
                    return Some(12);
                }
                let thread = emit.thread(tid, at, sink);
                let known = self.threads.len().max(thread.0 as usize + 1);
                self.threads.resize_with(known, Thread::default);
                self.block = Some(Block {
                    thread,
                    left,
                    method: 0,
                    wall: 0,
                    cpu: 0,
                });
                Some(12)
            }
        }
    }

    /// Reads the complete records of the current packet.
    fn records(
        &mut self,
        bytes: &[u8],
        at: u64,
        emit: &mut Emitter,
        sink: &mut dyn MethodEvents,
    ) -> usize {
        let mut used = 0;
        while let Some(mut block) = self.block {
            let is_whole = bytes.len() - used >= block.left;
            let end = bytes.len().min(used.saturating_add(block.left));
            let place = at + used as u64;
            let record = match self.encoding {
                Encoding::A { .. } => self.record_a(&bytes[used..end], &mut block),
                Encoding::B { .. } => self.record_b(&bytes[used..end], &mut block),
            };
            let Some(record) = record else {
                if !is_whole {
                    break;
                }
                emit.repairs.add(RepairKind::BrokenBlock, place, || {
                    format!("{} bytes at a packet's end are no record", block.left)
                });
                used = end;
                self.block = None;
                break;
            };
            used += record.bytes;
            block.left -= record.bytes;
            self.block = (block.left > 0).then_some(block);
            self.event(&block, &record, place, emit, sink);
        }
        used
    }

    fn record_a(&self, bytes: &[u8], block: &mut Block) -> Option<Record> {
        let mut leb = Leb::new(bytes);
        let word = block.method.wrapping_add_signed(leb.signed()?);
        let first = leb.unsigned()?;
        let second = if self.dual { leb.unsigned()? } else { 0 };
        block.method = word;
        let (wall, cpu) = if self.dual || self.clocks.wall {
            (first, second)
        } else {
            (0, first)
        };
        block.wall = block.wall.wrapping_add(wall);
        block.cpu = block.cpu.wrapping_add(cpu);
        Some(Record {
            method: word & !3,
            action: (word & 3) as u8,
            bytes: leb.used,
        })
    }

    fn record_b(&mut self, bytes: &[u8], block: &mut Block) -> Option<Record> {
        let mut leb = Leb::new(bytes);
        let coded = block.wall.wrapping_add_signed(leb.signed()?);
        let cpu = if self.dual { leb.signed()? } else { 0 };
        let action = (coded & 3) as u8;
        let open = &mut self.threads[block.thread.0 as usize].open;
        let method = if action == 0 {
            let method = block.method.wrapping_add_signed(leb.signed()?);
            block.method = method;
            open.push(method);
            method
        } else if action < 3 {
            open.pop().unwrap_or(NO_METHOD)
        } else {
            NO_METHOD
        };
        block.wall = coded;
        block.cpu = block.cpu.wrapping_add_signed(cpu);
        Some(Record {
            method,
            action,
            bytes: leb.used,
        })
    }

    fn event(
        &mut self,
        block: &Block,
        record: &Record,
        at: u64,
        emit: &mut Emitter,
        sink: &mut dyn MethodEvents,
    ) {
        emit.records += 1;
        let action = match record.action {
            0 => MethodAction::Enter,
            1 => MethodAction::Exit,
            2 => MethodAction::Unwind,
            action => {
                let kind = RepairKind::UnknownAction;
                return emit.repairs.add(kind, at, || format!("action {action}"));
            }
        };
        if record.method == NO_METHOD {
            return emit.repairs.add(RepairKind::UnmatchedExit, at, String::new);
        }
        let (wall_ns, cpu_ns) = self.times(block, at, emit);
        let method = emit.method(record.method, at, sink);
        let event = MethodEvent::new(block.thread, method, action, wall_ns, cpu_ns, at);
        self.batch.push(event, sink);
    }

    /// Wall and CPU time of the current record of `block`, ns.
    fn times(&mut self, block: &Block, at: u64, emit: &mut Emitter) -> (i64, i64) {
        let (wall_ns, cpu_ns) = match self.encoding {
            Encoding::A { unit_ns: 1000 } => return self.times_32(block, at, emit),
            Encoding::A { unit_ns } => {
                let scaled = |time: u64| (time as i64).wrapping_mul(unit_ns);
                (scaled(block.wall), scaled(block.cpu))
            }
            Encoding::B { frequency } => {
                let first = ticks_ns(block.wall >> 2, frequency);
                if self.dual || self.clocks.wall {
                    (first, ticks_ns(block.cpu, frequency))
                } else {
                    (0, first)
                }
            }
        };
        let last = &mut self.threads[block.thread.0 as usize].last_wall_ns;
        if last.replace(wall_ns).is_some_and(|last| wall_ns < last) {
            emit.repairs.add(RepairKind::TimeWentBack, at, String::new);
        }
        (wall_ns, cpu_ns)
    }

    /// A1 uses 32 bits, which overflow like those of versions 1 to 3.
    fn times_32(&mut self, block: &Block, at: u64, emit: &mut Emitter) -> (i64, i64) {
        let clocks = &mut emit.clocks[block.thread.0 as usize];
        let mut times = [0; 2];
        let raws = [block.wall as u32, block.cpu as u32];
        for ((clock, raw), time) in [&mut clocks.wall, &mut clocks.cpu]
            .into_iter()
            .zip(raws)
            .zip(&mut times)
        {
            if !clock.goes_on(raw)
                && let Some(kind) = clock.step(raw, 0)
            {
                emit.repairs.add(kind, at, String::new);
            }
            *time = clock.take(raw);
        }
        (times[0], times[1])
    }
}

/// A return in encoding B without an open method.
const NO_METHOD: u64 = u64::MAX;

fn ticks_ns(ticks: u64, frequency: u64) -> i64 {
    match frequency {
        0 => ticks as i64,
        frequency => {
            let ns = u128::from(ticks) * 1_000_000_000 / u128::from(frequency);
            i64::try_from(ns).unwrap_or(i64::MAX / 2)
        }
    }
}

pub(super) fn declare_thread(
    bytes: &[u8],
    at: u64,
    emit: &mut Emitter,
    sink: &mut dyn MethodEvents,
) -> Option<usize> {
    let tid = le_u32(bytes, 1)?;
    let end = 7 + usize::from(le_u16(bytes, 5)?);
    let name = emit.text(bytes.get(7..end)?, at + 7);
    emit.declare_thread(tid, &name, at, sink);
    Some(end)
}

pub(super) fn declare_method(
    bytes: &[u8],
    at: u64,
    emit: &mut Emitter,
    sink: &mut dyn MethodEvents,
) -> Option<usize> {
    let raw_id = le_u64(bytes, 1)?;
    let end = 11 + usize::from(le_u16(bytes, 9)?);
    let text = emit.text(bytes.get(11..end)?, at + 11);
    let line = traceloom_trace::MethodLine {
        raw_id,
        ..key::parse_method_names(text.trim_end_matches('\n'))
    };
    emit.declare_method(&line, at, sink);
    Some(end)
}

/// The position of the text of a summary. Perfetto's summaries have no length: the text begins
/// immediately and extends to the end of the bytes.
fn summary(bytes: &[u8]) -> Option<(usize, usize)> {
    const PERFETTO: u16 = u16::from_le_bytes(*b"*v");
    match le_u16(bytes, 1)? {
        PERFETTO => Some((1, bytes.len())),
        length => Some((3, 3 + usize::from(length))),
    }
}
