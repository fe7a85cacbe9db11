//! Records of versions 1 to 3: the innermost loop.
//!
//! [`classic`](super::classic) decodes them.

use std::slice::ChunksExact;

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
    /// This record names a thread or method without an index.
    Unknown(MethodRecord),
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
                Stop::Unknown(record) => announce(&record, at + used as u64, emit, sink),
                Stop::Action => {
                    let (kind, place) = (RepairKind::UnknownAction, at + used as u64);
                    emit.repairs.add(kind, place, || "action 3".to_owned());
                    emit.records += 1;
                    used += self.record_bytes;
                }
            }
        }
    }

    /// Fills the batch. Returns the number of events, and why it stopped.
    fn decode(&mut self, bytes: &[u8], at: u64, emit: &mut Emitter) -> (usize, Stop) {
        let mut last = Last::default();
        let mut count = 0;
        let stop = loop {
            let used = count * self.record_bytes;
            count += self.plain(&mut last, &bytes[used..], at + used as u64, count, emit);
            let used = count * self.record_bytes;
            if count == self.batch.len() {
                break Stop::Batch;
            }
            let record = self.take_record(&bytes[used..]);
            match record.and_then(|record| self.event(&record, &mut last, at + used as u64, emit)) {
                Ok(event) => self.batch[count] = event,
                Err(stop) => break stop,
            }
            count += 1;
        };
        last.put_back(&mut emit.clocks);
        (count, stop)
    }

    /// Adds the events of plain records to the batch, from position `count`. Returns their number.
    fn plain(
        &mut self,
        last: &mut Last,
        bytes: &[u8],
        at: u64,
        count: usize,
        emit: &Emitter,
    ) -> usize {
        let plain = match (self.tid_bytes, self.clock) {
            (1, WALL) => Last::plain::<1, WALL>,
            (1, CPU) => Last::plain::<1, CPU>,
            (1, _) => Last::plain::<1, DUAL>,
            (_, WALL) => Last::plain::<2, WALL>,
            (_, CPU) => Last::plain::<2, CPU>,
            (_, _) => Last::plain::<2, DUAL>,
        };
        let records = bytes.chunks_exact(self.record_bytes);
        let slots = &mut self.batch[count..];
        let added = plain(last, records, at, emit.methods.finder(), slots);
        if added > 0 {
            self.before = last.thread;
        }
        added
    }

    /// The record at the beginning of `bytes`.
    fn take_record(&self, bytes: &[u8]) -> Result<MethodRecord, Stop> {
        // A streaming escape may be shorter than a record.
        let tid = bytes.get(..self.tid_bytes);
        if self.streaming && tid.is_some_and(|tid| tid.iter().all(|byte| *byte == 0)) {
            return Err(Stop::Escape);
        }
        let bytes = bytes.get(..self.record_bytes).ok_or(Stop::Input)?;
        let record = match (self.tid_bytes, self.clock) {
            (1, DUAL) => MethodRecord::decode::<1, true>(bytes),
            (1, _) => MethodRecord::decode::<1, false>(bytes),
            (_, DUAL) => MethodRecord::decode::<2, true>(bytes),
            (_, _) => MethodRecord::decode::<2, false>(bytes),
        };
        record.ok_or(Stop::Input)
    }

    /// The event of any record: its thread may be another one than `last`, and its clocks may step.
    fn event(
        &mut self,
        record: &MethodRecord,
        last: &mut Last,
        at: u64,
        emit: &mut Emitter,
    ) -> Result<MethodEvent, Stop> {
        last.change_to(record.thread.into(), emit)
            .ok_or(Stop::Unknown(*record))?;
        let method = emit.methods.find(record.method.into());
        if method == NONE {
            return Err(Stop::Unknown(*record));
        }
        let action = action_of(record.action).ok_or(Stop::Action)?;
        let times = Times::of(record);
        self.step_clocks(times, last, at, emit);
        self.before = last.thread;
        Ok(last.event(self.clock, method, action, times, at))
    }

    /// Corrects the clocks of a thread if a record's times do not continue them.
    fn step_clocks(&self, times: Times, last: &mut Last, at: u64, emit: &mut Emitter) {
        if self.clock != WALL && !last.clock.cpu.goes_on(times.cpu) {
            note(last.clock.cpu.step(times.cpu, 0), &mut emit.repairs, at);
        }
        if self.clock != CPU && !last.clock.wall.goes_on(times.wall) {
            last.put_back(&mut emit.clocks);
            let near = emit.clocks.get(self.before as usize);
            let near_ns = near.map_or(0, |clocks| clocks.wall.now_ns());
            let stepped = last.clock.wall.step(times.wall, near_ns);
            note(stepped, &mut emit.repairs, at);
        }
    }
}

/// Assigns indices to the ids in a record.
#[cold]
fn announce(record: &MethodRecord, at: u64, emit: &mut Emitter, sink: &mut dyn MethodEvents) {
    emit.thread(record.thread.into(), at, sink);
    emit.method(record.method.into(), at, sink);
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
    /// Goes on with a thread; `None` if it has no index.
    fn change_to(&mut self, tid: u32, emit: &mut Emitter) -> Option<()> {
        if tid != self.tid {
            self.put_back(&mut emit.clocks);
            let thread = emit.threads.find(tid.into());
            let clock = *emit.clocks.get(thread as usize)?;
            *self = Self { tid, thread, clock };
        }
        Some(())
    }

    /// Reads records of the same thread, as long as their methods have indices and no clock steps.
    /// This is nearly always the case. A separate loop needs few enough registers to be fast, and a copy of it for each
    /// layout does not have to look the layout up for each record.
    #[inline(never)]
    fn plain<const TID: usize, const CLOCK: u8>(
        &mut self,
        records: ChunksExact<'_, u8>,
        at: u64,
        methods: Finder<'_, 2>,
        slots: &mut [MethodEvent],
    ) -> usize {
        let mut last = *self;
        let mut offset = at;
        let room = slots.len();
        let mut free = slots.iter_mut();
        for bytes in records {
            let Some(record) = decode::<TID, CLOCK>(bytes) else {
                break;
            };
            let method = methods.find(u64::from(record.method));
            let times = Times::of(&record);
            if u32::from(record.thread) != last.tid || method == NONE || !last.goes_on(CLOCK, times)
            {
                break;
            }
            let Some(action) = action_of(record.action) else {
                break;
            };
            let Some(slot) = free.next() else {
                break;
            };
            *slot = last.event(CLOCK, method, action, times, offset);
            offset += bytes.len() as u64;
        }
        *self = last;
        room - free.len()
    }

    /// Whether the clocks continue with these times, without a step.
    #[inline(always)]
    fn goes_on(&self, clock: u8, times: Times) -> bool {
        (clock == WALL || self.clock.cpu.goes_on(times.cpu))
            && (clock == CPU || self.clock.wall.goes_on(times.wall))
    }

    /// The event of a record. Advances the clocks.
    #[inline(always)]
    fn event(
        &mut self,
        clock: u8,
        method: u32,
        action: MethodAction,
        times: Times,
        offset: u64,
    ) -> MethodEvent {
        let cpu_ns = match clock {
            WALL => 0,
            _ => self.clock.cpu.take(times.cpu),
        };
        let wall_ns = match clock {
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
