//! The GPU: `GpuCounterEvent` and `GpuMemTotalEvent`.

use rustc_hash::{FxHashMap, FxHashSet};
use traceloom_trace::{TraceBuilder, TrackId, TrackType};

use super::super::people;
use super::super::sequence::State;
use super::super::survey::Survey;
use super::super::wire::{Field, Fields};
use super::named::{Distinct, push};

/// Interned descriptors of counters.
const DESCRIPTORS: u32 = 47;

/// Where the number of a counter is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Scope {
    /// In a machine's sequence.
    Sequence(u32, u32),
    /// With a descriptor of a generation of interned data.
    Descriptor(u32, u64),
}

/// A counter of a GPU.
#[derive(Clone, Copy, Debug)]
struct Counter {
    track: TrackId,
    /// Whether a value holds from its time on; else it is of the time before.
    forwards: bool,
}

/// The counters of GPUs.
pub(super) struct Gpu<'s> {
    survey: &'s Survey<'s>,
    counters: FxHashMap<(Scope, u64), Counter>,
    /// The interned descriptors that have been read.
    read: FxHashSet<Scope>,
    tracks: Distinct,
    /// The time of the last value of counters whose values are of the time before.
    last: FxHashMap<TrackId, i64>,
}

impl<'s> Gpu<'s> {
    pub fn new(survey: &'s Survey<'s>) -> Self {
        Self {
            survey,
            counters: FxHashMap::default(),
            read: FxHashSet::default(),
            tracks: Distinct::default(),
            last: FxHashMap::default(),
        }
    }

    /// A `GpuCounterEvent`. Without a time it only has descriptors.
    pub fn event(&mut self, ts: i64, fields: Fields<'_>, state: State, out: &mut TraceBuilder) {
        let find = |number| fields.clone().filter(move |field| field.number == number);
        let gpu = find(3).last().map_or(0, Field::uint);
        let mut scope = Scope::Sequence(state.machine, state.sequence);
        for descriptor in find(1) {
            self.descriptor(scope, descriptor.fields(), gpu, out);
        }
        if let Some(iid) = find(4).last().map(Field::uint) {
            scope = Scope::Descriptor(state.generation, iid);
            self.interned(scope, iid, state, out);
        }
        for value in find(2).filter(|_| ts != i64::MIN) {
            self.value(ts, value.fields(), scope, out);
        }
    }

    /// An `InternedGpuCounterDescriptor`.
    fn interned(&mut self, scope: Scope, iid: u64, state: State, out: &mut TraceBuilder) {
        if !self.read.insert(scope) {
            return;
        }
        let Some(span) = self.survey.sequences.interned(&state, DESCRIPTORS, iid) else {
            return;
        };
        let fields = Fields::new(self.survey.source.get(span));
        let gpu = fields.clone().filter(|field| field.number == 3).last();
        for descriptor in fields.filter(|field| field.number == 2) {
            self.descriptor(scope, descriptor.fields(), gpu.map_or(0, Field::uint), out);
        }
    }

    /// A `GpuCounterDescriptor`.
    fn descriptor(&mut self, scope: Scope, fields: Fields<'_>, gpu: u64, out: &mut TraceBuilder) {
        for spec in fields.filter(|field| field.number == 1) {
            self.describe(scope, spec.fields(), gpu, out);
        }
    }

    /// A `GpuCounterSpec`.
    fn describe(&mut self, scope: Scope, fields: Fields<'_>, gpu: u64, out: &mut TraceBuilder) {
        const FORWARDS: u64 = 2;
        let (mut id, mut name, mut direction): (_, &[u8], _) = (None, &[], 0);
        for field in fields {
            match field.number {
                1 => id = Some(field.uint()),
                2 => name = field.bytes(),
                11 => direction = field.uint(),
                _ => {}
            }
        }
        let Some(id) = id else {
            return;
        };
        let name = out.intern(name);
        let ids = (gpu, name.0.into());
        let counter = Counter {
            track: self.tracks.track(TrackType::GpuCounter, ids, name, out),
            forwards: direction == FORWARDS,
        };
        self.counters.insert((scope, id), counter);
    }

    /// A `GpuCounter`.
    fn value(&mut self, ts: i64, fields: Fields<'_>, scope: Scope, out: &mut TraceBuilder) {
        let (mut id, mut value) = (None, None);
        for field in fields {
            match field.number {
                1 => id = Some(field.uint()),
                2 => value = Some(field.int() as f64),
                3 => value = Some(f64::from_bits(field.uint())),
                _ => {}
            }
        }
        let counter = id.and_then(|id| self.counters.get(&(scope, id)));
        let (Some(counter), Some(value)) = (counter, value) else {
            return;
        };
        let track = counter.track;
        if counter.forwards {
            out.counter(track, ts, value);
        } else if let Some(last) = self.last.insert(track, ts) {
            out.counter(track, last, value);
        }
    }

    /// Ends the input. Nothing is known about the time after the last values.
    pub fn finish(&mut self, out: &mut TraceBuilder) {
        let mut last: Vec<(TrackId, i64)> = self.last.drain().collect();
        last.sort_unstable();
        for (track, ts) in last {
            out.counter(track, ts, 0.0);
        }
    }
}

/// A `GpuMemTotalEvent`: the memory of a process on a GPU, or of all processes if the pid is 0.
pub(super) fn memory(ts: i64, fields: Fields<'_>, out: &mut TraceBuilder) {
    let (mut pid, mut bytes) = (0, 0);
    for field in fields {
        match field.number {
            2 => pid = field.int32(),
            3 => bytes = field.uint(),
            _ => {}
        }
    }
    let name = out.intern(b"GPU Memory");
    let track = if pid > 0 {
        let upid = people::process_and_leader(pid.into(), out);
        out.process_track(TrackType::ProcessGpuMemory, upid, name)
    } else {
        out.global_track(TrackType::GpuMemory, name)
    };
    push(track, ts, bytes, out);
}
