//! Records of versions 1 to 3: the innermost loop.
//!
//! [`classic`](super::classic) decodes them.

use traceloom_trace::{
    MethodAction, MethodClocks, MethodEvent, MethodEvents, MethodIndex, RepairKind, ThreadIndex,
};

use super::classic::MethodRecord;
use super::clocks::ThreadClocks;
use super::emit::{BATCH, Emitter, Repairs};
use super::header::Header;
use super::ids::{Finder, NONE};

const WALL: u8 = 0;
const CPU: u8 = 1;
const DUAL: u8 = 2;

/// Why decoding stopped.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Stop {
    /// No complete record is left.
    Input,
    /// Thread 0 in a streaming trace: the next item is not a record.
    Escape,
    /// A record names a thread or method without an index.
    Unknown,
    /// A record has an unknown action.
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
    /// The thread of the previous record. A new thread's first time is placed as close as possible to this thread's
    /// time.
    before: u32,
}

impl Records {
    /// A decoder for records with this header's layout and these clocks.
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

    /// Reads all complete records at the beginning of `bytes`, which are at `at` in the source.
    /// Returns the bytes consumed and whether a streaming escape follows.
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

    /// Assigns indices to the ids in the record at the beginning of `bytes`.
    #[cold]
    fn announce(&self, bytes: &[u8], at: u64, emit: &mut Emitter, sink: &mut dyn MethodEvents) {
        let record = match self.tid_bytes {
            1 => MethodRecord::decode::<1, false>(bytes),
            _ => MethodRecord::decode::<2, false>(bytes),
        };
        let Some(record) = record else {
            return;
        };
        emit.thread(record.thread.into(), at, sink);
        emit.method(record.method.into(), at, sink);
    }

    fn decode(&mut self, bytes: &[u8], at: u64, emit: &mut Emitter) -> (usize, Stop) {
        match (self.tid_bytes, self.clock, self.streaming) {
            (1, WALL, false) => self.decode_as::<1, WALL, false>(bytes, at, emit),
            (1, CPU, false) => self.decode_as::<1, CPU, false>(bytes, at, emit),
            (1, DUAL, false) => self.decode_as::<1, DUAL, false>(bytes, at, emit),
            (1, WALL, true) => self.decode_as::<1, WALL, true>(bytes, at, emit),
            (1, CPU, true) => self.decode_as::<1, CPU, true>(bytes, at, emit),
            (1, _, true) => self.decode_as::<1, DUAL, true>(bytes, at, emit),
            (_, WALL, false) => self.decode_as::<2, WALL, false>(bytes, at, emit),
            (_, CPU, false) => self.decode_as::<2, CPU, false>(bytes, at, emit),
            (_, _, false) => self.decode_as::<2, DUAL, false>(bytes, at, emit),
            (_, WALL, true) => self.decode_as::<2, WALL, true>(bytes, at, emit),
            (_, CPU, true) => self.decode_as::<2, CPU, true>(bytes, at, emit),
            (_, _, true) => self.decode_as::<2, DUAL, true>(bytes, at, emit),
        }
    }

    /// Fills the batch. `TID` is the bytes of its thread.
    fn decode_as<const TID: usize, const CLOCK: u8, const STREAM: bool>(
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
        // The thread of the last record, with a copy of its clocks, and the thread before it.
        let mut last = Last::default();
        let mut before = self.before;
        let mut used = 0;
        let mut count = 0;
        let stop = loop {
            let (rest, slots) = (&bytes[used..], &mut self.batch[count..]);
            let plain =
                last.plain::<TID, CLOCK>(rest, self.record_bytes, at + used as u64, methods, slots);
            if plain > 0 {
                before = last.thread;
            }
            used += plain * self.record_bytes;
            count += plain;
            let offset = at + used as u64;
            let Some(slot) = self.batch.get_mut(count) else {
                break Stop::Batch;
            };
            let rest = &bytes[used..];
            let complete = rest.get(..self.record_bytes);
            let record = match complete.and_then(decode::<TID, CLOCK>) {
                Some(record) => record,
                None => {
                    // A streaming escape may be shorter than a record.
                    let escape = STREAM && rest.len() >= TID && rest[..TID].iter().all(|b| *b == 0);
                    break if escape { Stop::Escape } else { Stop::Input };
                }
            };
            let tid = u32::from(record.thread);
            if STREAM && tid == 0 {
                break Stop::Escape;
            }
            if tid != last.tid {
                last.put_back(clocks);
                let thread = threads.find(tid.into());
                match clocks.get(thread as usize) {
                    Some(clock) => {
                        last = Last {
                            tid,
                            thread,
                            clock: *clock,
                        }
                    }
                    None => break Stop::Unknown,
                }
            }
            let method = methods.find(u64::from(record.method));
            if method == NONE {
                break Stop::Unknown;
            }
            let Some(action) = action_of(record.action) else {
                break Stop::Action;
            };
            let Times { cpu, wall } = Times::of(&record);
            if CLOCK != WALL && !last.clock.cpu.goes_on(cpu) {
                note(last.clock.cpu.step(cpu, 0), repairs, offset);
            }
            if CLOCK != CPU && !last.clock.wall.goes_on(wall) {
                last.put_back(clocks);
                let near_ns = clocks.get(before as usize).map_or(0, |c| c.wall.now_ns());
                note(last.clock.wall.step(wall, near_ns), repairs, offset);
            }
            before = last.thread;
            *slot = last.event::<CLOCK>(method, action, Times { cpu, wall }, offset);
            used += self.record_bytes;
            count += 1;
        };
        last.put_back(clocks);
        self.before = before;
        (count, stop)
    }
}

/// The raw times of a record; a missing time is 0.
#[derive(Clone, Copy)]
struct Times {
    cpu: u32,
    wall: u32,
}

impl Times {
    #[inline(always)]
    fn of(record: &MethodRecord) -> Self {
        Self {
            cpu: record.time_us,
            wall: record.second_time_us.unwrap_or(record.time_us),
        }
    }
}

/// The thread of the last record, and its clocks.
#[derive(Clone, Copy)]
struct Last {
    tid: u32,
    thread: u32,
    clock: ThreadClocks,
}

impl Default for Last {
    fn default() -> Self {
        Self {
            tid: NONE,
            thread: NONE,
            clock: ThreadClocks::default(),
        }
    }
}

impl Last {
    /// Reads records of the same thread, as long as their methods have indices and no clock steps.
    /// This is nearly always the case. A separate loop needs few enough registers to be fast.
    #[inline(never)]
    fn plain<const TID: usize, const CLOCK: u8>(
        &mut self,
        bytes: &[u8],
        record_bytes: usize,
        at: u64,
        methods: Finder<'_, 2>,
        slots: &mut [MethodEvent],
    ) -> usize {
        let mut last = *self;
        let mut offset = at;
        let mut free = slots.iter_mut();
        for record in bytes.chunks_exact(record_bytes) {
            let Some(record) = decode::<TID, CLOCK>(record) else {
                break;
            };
            let method = methods.find(u64::from(record.method));
            let times = Times::of(&record);
            let goes_on = (CLOCK == WALL || last.clock.cpu.goes_on(times.cpu))
                && (CLOCK == CPU || last.clock.wall.goes_on(times.wall));
            if u32::from(record.thread) != last.tid || method == NONE || !goes_on {
                break;
            }
            let Some(action) = action_of(record.action) else {
                break;
            };
            let Some(slot) = free.next() else {
                break;
            };
            *slot = last.event::<CLOCK>(method, action, times, offset);
            offset += record_bytes as u64;
        }
        *self = last;
        let left = free.len();
        slots.len() - left
    }

    /// The event of a record. Advances the clocks.
    #[inline(always)]
    fn event<const CLOCK: u8>(
        &mut self,
        method: u32,
        action: MethodAction,
        times: Times,
        offset: u64,
    ) -> MethodEvent {
        let cpu_ns = match CLOCK {
            WALL => 0,
            _ => self.clock.cpu.take(times.cpu),
        };
        let wall_ns = match CLOCK {
            CPU => 0,
            _ => self.clock.wall.take(times.wall),
        };
        let thread = ThreadIndex(self.thread);
        MethodEvent::new(thread, MethodIndex(method), action, wall_ns, cpu_ns, offset)
    }

    /// Stores the clocks of the thread.
    fn put_back(&self, clocks: &mut [ThreadClocks]) {
        if let Some(place) = clocks.get_mut(self.thread as usize) {
            *place = self.clock;
        }
    }
}

#[cold]
fn note(said: Option<RepairKind>, repairs: &mut Repairs, offset: u64) {
    if let Some(kind) = said {
        repairs.add(kind, offset, String::new);
    }
}

#[inline(always)]
fn action_of(action: u8) -> Option<MethodAction> {
    match action {
        0 => Some(MethodAction::Enter),
        1 => Some(MethodAction::Exit),
        2 => Some(MethodAction::Unwind),
        _ => None,
    }
}

#[inline(always)]
fn decode<const TID: usize, const CLOCK: u8>(bytes: &[u8]) -> Option<MethodRecord> {
    match CLOCK {
        DUAL => MethodRecord::decode::<TID, true>(bytes),
        _ => MethodRecord::decode::<TID, false>(bytes),
    }
}
