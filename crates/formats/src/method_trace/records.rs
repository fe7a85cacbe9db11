//! Records of versions 1 to 3, the tight loop.
//!
//! ```text
//! v1  u8 thread   u32 method|action  u32 µs
//! v2  u16 thread  u32 method|action  u32 µs
//! v3  u16 thread  u32 method|action  u32 CPU µs  u32 wall µs
//! ```
//!
//! Bytes beyond these, up to the record size of the header, are passed over.

use traceloom_trace::{
    MethodAction, MethodClocks, MethodEvent, MethodEvents, MethodIndex, RepairKind, ThreadIndex,
};

use super::clocks::{Clock32, ThreadClocks};
use super::emit::{BATCH, Emitter, Repairs};
use super::header::Header;
use super::ids::NONE;

const WALL: u8 = 0;
const CPU: u8 = 1;
const DUAL: u8 = 2;

/// Why the loop over records stopped.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Stop {
    /// No whole record is left.
    Input,
    /// Thread 0 in a streaming trace: something else than a record follows.
    Escape,
    /// A record names a thread or method that has no index yet.
    Unknown,
    /// A record's action is none.
    Action,
    /// The batch is full.
    Batch,
}

/// Turns records into events.
#[derive(Clone, Debug)]
pub(super) struct Records {
    record_bytes: usize,
    tid_bytes: usize,
    streaming: bool,
    clock: u8,
    batch: Vec<MethodEvent>,
    /// The thread of the record before, to which a new thread's clock is nearest.
    before: u32,
}

impl Records {
    /// Records as the header lays them out, with these clocks.
    pub fn new(header: &Header, clocks: MethodClocks) -> Self {
        let nothing =
            MethodEvent::new(ThreadIndex(0), MethodIndex(0), MethodAction::Enter, 0, 0, 0);
        Self {
            record_bytes: header.record_bytes,
            tid_bytes: header.tid_bytes(),
            streaming: header.is_streaming(),
            clock: match (clocks.wall, clocks.cpu) {
                (true, true) => DUAL,
                (true, false) => WALL,
                _ => CPU,
            },
            batch: vec![nothing; BATCH],
            before: NONE,
        }
    }

    /// Reads all whole records that `bytes`, which stand at `at`, begin with. Returns the bytes
    /// consumed and whether a streaming escape stands there.
    pub fn run(
        &mut self,
        bytes: &[u8],
        at: u64,
        emit: &mut Emitter,
        sink: &mut dyn MethodEvents,
    ) -> (usize, bool) {
        let mut used = 0;
        loop {
            let (count, stop) = self.decode(&bytes[used..], at + used as u64, emit);
            if count > 0 {
                sink.events(&self.batch[..count]);
            }
            used += count * self.record_bytes;
            emit.records += count as u64;
            match stop {
                Stop::Input => return (used, false),
                Stop::Escape => return (used, true),
                Stop::Batch => {}
                Stop::Unknown => self.announce(&bytes[used..], at + used as u64, emit, sink),
                Stop::Action => {
                    emit.repairs
                        .add(RepairKind::UnknownAction, at + used as u64, || {
                            "action 3".to_owned()
                        });
                    emit.records += 1;
                    used += self.record_bytes;
                }
            }
        }
    }

    /// Gives the ids of the record that `bytes` begin with their indices.
    #[cold]
    fn announce(&self, bytes: &[u8], at: u64, emit: &mut Emitter, sink: &mut dyn MethodEvents) {
        let tid = match self.tid_bytes {
            1 => u32::from(bytes[0]),
            _ => u32::from(u16::from_le_bytes([bytes[0], bytes[1]])),
        };
        emit.thread(tid, at, sink);
        let id = u32_at(bytes, self.tid_bytes) & !3;
        emit.method(id.into(), at, sink);
    }

    fn decode(&mut self, bytes: &[u8], at: u64, emit: &mut Emitter) -> (usize, Stop) {
        match (self.tid_bytes, self.clock, self.streaming) {
            (1, WALL, false) => self.decode_as::<9, 1, WALL, false>(bytes, at, emit),
            (1, CPU, false) => self.decode_as::<9, 1, CPU, false>(bytes, at, emit),
            (1, DUAL, false) => self.decode_as::<13, 1, DUAL, false>(bytes, at, emit),
            (1, WALL, true) => self.decode_as::<9, 1, WALL, true>(bytes, at, emit),
            (1, CPU, true) => self.decode_as::<9, 1, CPU, true>(bytes, at, emit),
            (1, _, true) => self.decode_as::<13, 1, DUAL, true>(bytes, at, emit),
            (_, WALL, false) => self.decode_as::<10, 2, WALL, false>(bytes, at, emit),
            (_, CPU, false) => self.decode_as::<10, 2, CPU, false>(bytes, at, emit),
            (_, _, false) => self.decode_as::<14, 2, DUAL, false>(bytes, at, emit),
            (_, WALL, true) => self.decode_as::<10, 2, WALL, true>(bytes, at, emit),
            (_, CPU, true) => self.decode_as::<10, 2, CPU, true>(bytes, at, emit),
            (_, _, true) => self.decode_as::<14, 2, DUAL, true>(bytes, at, emit),
        }
    }

    /// Fills the batch. `LEN` is the part of a record that is read, `TID` its thread's bytes.
    fn decode_as<const LEN: usize, const TID: usize, const CLOCK: u8, const STREAM: bool>(
        &mut self,
        bytes: &[u8],
        at: u64,
        emit: &mut Emitter,
    ) -> (usize, Stop) {
        let Emitter {
            threads,
            methods,
            clocks,
            repairs,
            ..
        } = emit;
        let methods = methods.finder();
        let (mut tid, mut thread) = (NONE, NONE);
        // A copy of the thread's clocks, and the thread before: kept in registers.
        let (mut clock, mut before) = (ThreadClocks::default(), self.before);
        let mut offset = at;
        let mut records = bytes.chunks_exact(self.record_bytes);
        let mut slots = self.batch.iter_mut();
        let stop = loop {
            let Some(slot) = slots.next() else {
                break Stop::Batch;
            };
            let Some(record) = records
                .next()
                .and_then(|record| record.first_chunk::<LEN>())
            else {
                // A streaming escape may be shorter than a record.
                let rest = &bytes[(offset - at) as usize..];
                let escape = STREAM && rest.len() >= TID && rest[..TID].iter().all(|b| *b == 0);
                break if escape { Stop::Escape } else { Stop::Input };
            };
            let record_tid = match TID {
                1 => u32::from(record[0]),
                _ => u32::from(u16::from_le_bytes([record[0], record[1]])),
            };
            if STREAM && record_tid == 0 {
                break Stop::Escape;
            }
            if record_tid != tid {
                put_back(clocks, thread, clock);
                tid = record_tid;
                thread = threads.find(tid.into());
                match clocks.get(thread as usize) {
                    Some(known) => clock = *known,
                    None => break Stop::Unknown,
                }
            }
            let word = u32_at(record, TID);
            let method = methods.find(u64::from(word & !3));
            let action = match word & 3 {
                _ if method == NONE => break Stop::Unknown,
                0 => MethodAction::Enter,
                1 => MethodAction::Exit,
                2 => MethodAction::Unwind,
                _ => break Stop::Action,
            };
            let (mut wall_ns, mut cpu_ns) = (0, 0);
            if CLOCK != WALL {
                let raw = u32_at(record, TID + 4);
                if !clock.cpu.goes_on(raw) {
                    clock.cpu = settled(clock.cpu, raw, 0, repairs, offset);
                }
                cpu_ns = clock.cpu.take(raw);
            }
            if CLOCK != CPU {
                let raw = u32_at(record, if CLOCK == DUAL { TID + 8 } else { TID + 4 });
                if !clock.wall.goes_on(raw) {
                    put_back(clocks, thread, clock);
                    let near_ns = clocks.get(before as usize).map_or(0, |c| c.wall.now_ns());
                    clock.wall = settled(clock.wall, raw, near_ns, repairs, offset);
                }
                wall_ns = clock.wall.take(raw);
            }
            before = thread;
            *slot = MethodEvent::new(
                ThreadIndex(thread),
                MethodIndex(method),
                action,
                wall_ns,
                cpu_ns,
                offset,
            );
            offset += self.record_bytes as u64;
        };
        put_back(clocks, thread, clock);
        self.before = before;
        let count = (offset - at) / self.record_bytes as u64;
        (count as usize, stop)
    }
}

/// Keeps what the thread's clocks showed last.
#[inline]
fn put_back(clocks: &mut [ThreadClocks], thread: u32, clock: ThreadClocks) {
    if let Some(place) = clocks.get_mut(thread as usize) {
        *place = clock;
    }
}

/// The clock after it was settled what `raw` means, which does not simply go on. By value: a clock
/// whose address is taken cannot stay in registers.
#[cold]
fn settled(
    mut clock: Clock32,
    raw: u32,
    near_ns: i64,
    repairs: &mut Repairs,
    offset: u64,
) -> Clock32 {
    if let Some(kind) = clock.step(raw, near_ns) {
        repairs.add(kind, offset, String::new);
    }
    clock
}

#[inline(always)]
fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let bytes = bytes[at..].first_chunk();
    u32::from_le_bytes(*bytes.expect("a record has room for its fields"))
}
