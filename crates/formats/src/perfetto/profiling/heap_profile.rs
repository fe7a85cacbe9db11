//! `ProfilePacket`: heap profiles of processes from heapprofd.
//!
//! A dump may take several packets. All but the last packet are marked as continued. Packets have totals since the
//! profile began, and the tables have the differences between dumps.

use rustc_hash::{FxHashMap, FxHashSet};
use traceloom_trace::{ProcessId, StringId, TraceBuilder};

use super::super::clocks::{ClockId, Converter};
use super::super::module_file::{build_id, joined};
use super::super::sequence::State;
use super::super::wire::{Field, Fields};
use super::heap_troubles::Troubles;
use super::interned::{FrameFields, read_mapping};
use super::shared::Shared;
use super::tasks;
use crate::profile::{NONE, Named};

/// `CLOCK_MONOTONIC_COARSE`, the clock of dumps.
const COARSE: u32 = 4;

/// The memory of a row here and in the tables, bytes.
const BYTES: usize = 200;

/// A dump of a heap, with the time that it covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Dump {
    pub start: i64,
    pub end: i64,
    pub upid: ProcessId,
    pub heap: StringId,
}

/// An allocation. Negative numbers mean that memory was freed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allocation {
    pub ts: i64,
    pub upid: ProcessId,
    pub heap: StringId,
    pub callsite: u32,
    pub count: i64,
    pub size: i64,
}

/// A number of allocations and their bytes.
#[derive(Clone, Copy, Debug, Default)]
struct Amount {
    count: i64,
    size: i64,
}

impl Amount {
    fn new(count: u64, size: u64) -> Self {
        Self {
            count: count as i64,
            size: size as i64,
        }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            count: self.count.wrapping_add(other.count),
            size: self.size.wrapping_add(other.size),
        }
    }

    fn minus(self, other: Self) -> Self {
        Self {
            count: self.count.wrapping_sub(other.count),
            size: self.size.wrapping_sub(other.size),
        }
    }

    fn is_negative(self) -> bool {
        self.count < 0 || self.size < 0
    }

    fn is_nothing(self) -> bool {
        self.count == 0 && self.size == 0
    }
}

/// A sample of a dump.
#[derive(Clone, Copy, Debug)]
struct Pending {
    ts: i64,
    upid: ProcessId,
    heap: StringId,
    callstack: u64,
    allocated: Amount,
    freed: Amount,
}

/// The profile of a sequence.
#[derive(Debug, Default)]
struct Profile<'s> {
    strings: FxHashMap<u64, &'s [u8]>,
    mappings: FxHashMap<u64, u32>,
    frames: FxHashMap<u64, u32>,
    callstacks: FxHashMap<u64, u32>,
    pending: Vec<Pending>,
    index: Option<u64>,
    /// The last totals of a process and callsite: allocated and freed.
    last: FxHashMap<(ProcessId, u32), [Amount; 2]>,
    /// By callstack iid: the totals of its callsite when the iid was first used for it. Samples with the iid are
    /// relative to these totals.
    corrections: FxHashMap<u64, [Amount; 2]>,
    seen: FxHashSet<(ProcessId, u64, StringId, u32)>,
}

/// The heap profiles of a trace.
pub(super) struct HeapProfiles<'s> {
    profiles: FxHashMap<(u32, u32), Profile<'s>>,
    known: FxHashSet<(i64, ProcessId, StringId)>,
    converter: Converter<'s>,
    pub dumps: Vec<Dump>,
    pub allocations: Vec<Allocation>,
    /// The number of missing packets.
    pub missing: u64,
    /// The number of samples that decrease a total, have no stack, or exceed the memory limit.
    pub broken: u64,
    pub troubles: Troubles,
}

impl<'s> HeapProfiles<'s> {
    pub fn new(shared: &Shared<'s>) -> Self {
        Self {
            profiles: FxHashMap::default(),
            known: FxHashSet::default(),
            converter: shared.survey.clocks.converter(),
            dumps: Vec::new(),
            allocations: Vec::new(),
            missing: 0,
            broken: 0,
            troubles: Troubles::default(),
        }
    }

    /// The memory of all rows here and in the tables, bytes.
    pub fn bytes(&self) -> usize {
        self.allocations.len() * BYTES + self.dumps.len() * BYTES
    }

    /// Reads a packet, as long as its samples take less than `room` bytes.
    pub fn packet(
        &mut self,
        bytes: &'s [u8],
        (state, room): (State, usize),
        shared: &mut Shared<'s>,
        out: &mut TraceBuilder,
    ) {
        let key = (state.machine, state.sequence);
        let mut profile = self.profiles.remove(&key).unwrap_or_default();
        let fields = Fields::new(bytes);
        let of = |number| fields.clone().filter(move |field| field.number == number);
        let index = of(7).last().map_or(0, Field::uint);
        self.missing += u64::from(index != profile.index.map_or(0, |last| last.wrapping_add(1)));
        profile.index = Some(index);
        // Each kind of message refers only to the kinds before it.
        of(1).for_each(|field| profile.string(field.fields()));
        of(4).for_each(|field| profile.mapping(field.fields(), shared, out));
        of(2).for_each(|field| profile.frame(field.fields(), shared, out));
        of(3).for_each(|field| profile.callstack(field.fields(), shared));
        let most = room / (2 * BYTES);
        for dump in of(5) {
            self.dump(dump.fields(), &mut profile, (state.machine, most), out);
        }
        if !of(6).last().is_some_and(Field::bool) {
            self.commit(&mut profile, state, shared, out);
        }
        self.profiles.insert(key, profile);
    }

    /// A `ProcessHeapSamples`.
    fn dump(
        &mut self,
        fields: Fields<'s>,
        profile: &mut Profile<'s>,
        (machine, most): (u32, usize),
        out: &mut TraceBuilder,
    ) {
        let (mut pid, mut heap, mut end, mut start) = (0, StringId::NULL, 0, None);
        let mut counts_maxima = false;
        for field in fields.clone() {
            match field.number {
                1 => pid = field.uint(),
                9 => end = field.int(),
                11 => heap = out.intern_unless_empty(field.bytes()),
                // Recorders that write this field also write the number of allocations at the maximum.
                13 => counts_maxima = field.uint() > 0,
                15 => start = Some(field.int()),
                _ => {}
            }
        }
        self.troubles.dump(pid, fields.clone());
        let clock = ClockId::new(COARSE, 0, machine);
        let Some(end) = self.converter.convert(clock, end) else {
            self.troubles.unplaced += 1;
            return;
        };
        let start = start.and_then(|start| self.converter.convert(clock, start));
        let dump = Dump {
            start: start.unwrap_or(end),
            end,
            upid: tasks::process(pid, out),
            heap,
        };
        if self.known.insert((end, dump.upid, heap)) {
            self.dumps.push(dump);
        }
        let heap = if heap == StringId::NULL {
            out.intern(b"unknown")
        } else {
            heap
        };
        let samples = fields.filter(|field| field.number == 2);
        let samples =
            samples.map(|field| sample(field.fields(), Dump { heap, ..dump }, counts_maxima));
        let most = most.saturating_sub(profile.pending.len());
        let mut samples = samples;
        profile.pending.extend(samples.by_ref().take(most));
        self.broken += samples.count() as u64;
    }

    /// Adds the pending samples at the end of a dump.
    fn commit(
        &mut self,
        profile: &mut Profile<'s>,
        state: State,
        shared: &mut Shared<'s>,
        out: &mut TraceBuilder,
    ) {
        for sample in std::mem::take(&mut profile.pending) {
            let own = profile.callstacks.get(&sample.callstack).copied();
            let callsite = own.unwrap_or_else(|| shared.callstack(&state, sample.callstack, out));
            if callsite == NONE || !self.add(profile, &sample, callsite, out) {
                self.broken += 1;
            }
        }
        profile.strings.clear();
        profile.mappings.clear();
        profile.frames.clear();
        profile.callstacks.clear();
    }

    /// Adds the difference to the last totals. Returns false if a total decreased.
    fn add(
        &mut self,
        profile: &mut Profile<'s>,
        sample: &Pending,
        callsite: u32,
        out: &mut TraceBuilder,
    ) -> bool {
        let last = profile.last.entry((sample.upid, callsite)).or_default();
        let key = (sample.upid, sample.callstack, sample.heap, callsite);
        if profile.seen.insert(key) {
            profile.corrections.insert(sample.callstack, *last);
        }
        let before = profile.corrections.get(&sample.callstack);
        let before = before.copied().unwrap_or_default();
        let allocated = sample.allocated.plus(before[0]);
        let freed = sample.freed.plus(before[1]);
        let (new, gone) = (allocated.minus(last[0]), freed.minus(last[1]));
        if new.is_negative() || gone.is_negative() {
            return false;
        }
        *last = [allocated, freed];
        let row = |amount: Amount| Allocation {
            ts: sample.ts,
            upid: sample.upid,
            heap: sample.heap,
            callsite,
            count: amount.count,
            size: amount.size,
        };
        if !new.is_nothing() {
            self.allocations.push(row(new));
        }
        // The Android runtime only reports allocations.
        if !gone.is_nothing() && out.trace().strings.get(sample.heap) != "com.android.art" {
            self.allocations.push(row(Amount::default().minus(gone)));
        }
        true
    }
}

/// A `HeapSample`.
fn sample(fields: Fields<'_>, dump: Dump, counts_maxima: bool) -> Pending {
    let mut callstack = 0;
    let (mut allocated, mut freed) = ([0, 0], [0, 0]);
    let (mut most, mut most_count) = (None, 0);
    for field in fields {
        match field.number {
            1 => callstack = field.uint(),
            2 => allocated[1] = field.uint(),
            3 => freed[1] = field.uint(),
            5 => allocated[0] = field.uint(),
            6 => freed[0] = field.uint(),
            8 => most = Some(field.uint()),
            9 => most_count = field.uint(),
            _ => {}
        }
    }
    if let Some(size) = most {
        allocated = [if counts_maxima { most_count } else { 0 }, size];
        freed = [0, 0];
    }
    Pending {
        ts: dump.end,
        upid: dump.upid,
        heap: dump.heap,
        callstack,
        allocated: Amount::new(allocated[0], allocated[1]),
        freed: Amount::new(freed[0], freed[1]),
    }
}

impl<'s> Profile<'s> {
    fn string(&mut self, fields: Fields<'s>) {
        let (iid, text) = fields.fold((0, &b""[..]), |(iid, text), field| match field.number {
            1 => (field.uint(), text),
            2 => (iid, field.bytes()),
            _ => (iid, text),
        });
        self.strings.insert(iid, text);
    }

    fn text(&self, id: u64) -> Option<&'s [u8]> {
        match id {
            0 => Some(b""),
            id => self.strings.get(&id).copied(),
        }
    }

    fn mapping(&mut self, fields: Fields<'_>, shared: &mut Shared<'_>, out: &mut TraceBuilder) {
        let iid = iid(&fields);
        let (mut mapping, build, paths) = read_mapping(fields);
        let Some(build) = self.text(build) else {
            return;
        };
        let parts: Vec<_> = paths.iter().map_while(|id| self.text(*id)).collect();
        mapping.build_id = out.intern_unless_empty(build_id(build).as_bytes());
        mapping.name = out.intern(&joined(&parts));
        self.mappings.insert(iid, shared.stacks.mapping(mapping));
    }

    fn frame(&mut self, fields: Fields<'_>, shared: &mut Shared<'_>, out: &mut TraceBuilder) {
        let iid = iid(&fields);
        let frame = FrameFields::read(fields);
        let mapping = self.mappings.get(&frame.mapping);
        let (Some(mapping), Some(name)) = (mapping, self.text(frame.name)) else {
            return;
        };
        let named = Named {
            name: out.intern(name),
            file: StringId::NULL,
            line: None,
        };
        let row = shared.stacks.frame(*mapping, frame.rel_pc, named);
        self.frames.insert(iid, row);
    }

    fn callstack(&mut self, fields: Fields<'_>, shared: &mut Shared<'_>) {
        let iid = iid(&fields);
        let frames = fields.filter(|field| field.number == 2);
        let mut callsite = NONE;
        for frame in frames.flat_map(Field::numbers) {
            let Some(frame) = self.frames.get(&frame) else {
                return;
            };
            callsite = shared.stacks.callsite(callsite, *frame);
        }
        if callsite != NONE {
            self.callstacks.insert(iid, callsite);
        }
    }
}

/// The iid of a message.
fn iid(fields: &Fields<'_>) -> u64 {
    let iid = fields.clone().filter(|field| field.number == 1).last();
    iid.map_or(0, Field::uint)
}
