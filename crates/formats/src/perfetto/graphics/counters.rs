//! GPU counters (`GpuCounterEvent`, `GpuMemTotalEvent` and `GenericGpuFrequencyEvent`).

use rustc_hash::{FxHashMap, FxHashSet};
use traceloom_trace::{Place, RepairKind, StringId, TraceBuilder, TrackId, TrackType};

use super::super::counters::push;
use super::super::sequence::State;
use super::super::survey::Survey;
use super::super::tally::Tally;
use super::super::tasks;
use super::super::wire::{Field, Fields};
use super::gpus::Gpus;
use super::groups::Groups;
use super::units;

/// The field of `InternedData` with counter descriptors.
const DESCRIPTORS: u32 = 47;

/// The scope of counter ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Scope {
    /// A sequence: its machine and id.
    Sequence(u32, u32),
    /// An interned descriptor: its generation and iid.
    Descriptor(u32, u64),
}

/// A counter of a GPU.
#[derive(Clone, Copy, Debug)]
struct Counter {
    track: TrackId,
    /// Whether a value applies to the time after its timestamp. Otherwise it applies to the time before it.
    forwards: bool,
}

/// The counters of GPUs.
pub(super) struct GpuCounters<'s> {
    survey: &'s Survey<'s>,
    counters: FxHashMap<(Scope, u64), Counter>,
    /// The first description of each counter id on a machine. Sequences without their own description use it.
    of_machine: FxHashMap<(u32, u64), Counter>,
    /// The interned descriptors that have been read.
    read: FxHashSet<Scope>,
    /// By GPU and name.
    tracks: FxHashMap<(u32, StringId), TrackId>,
    /// The timestamp of the last value, for counters whose values apply to the time before.
    last: FxHashMap<TrackId, i64>,
    /// The number of events with values but without a timestamp.
    without_time: u64,
    tally: Tally,
}

/// The statistic of counters without a description, or with one that cannot be used.
const INVALID: &str = "gpu_counters_invalid_spec";

impl<'s> GpuCounters<'s> {
    pub fn new(survey: &'s Survey<'s>) -> Self {
        Self {
            survey,
            counters: FxHashMap::default(),
            of_machine: FxHashMap::default(),
            read: FxHashSet::default(),
            tracks: FxHashMap::default(),
            last: FxHashMap::default(),
            without_time: 0,
            tally: Tally::default(),
        }
    }

    /// Reads a `GpuCounterEvent`. Without a timestamp, only its descriptors are read.
    pub fn event(
        &mut self,
        ts: i64,
        fields: Fields<'_>,
        state: State,
        gpus: &mut Gpus,
        out: &mut TraceBuilder,
    ) {
        let find = |number| fields.clone().filter(move |field| field.number == number);
        let gpu = find(3).last().map_or(0, Field::uint) as u32;
        let mut scope = Scope::Sequence(state.machine, state.sequence);
        for descriptor in find(1) {
            self.descriptor(scope, descriptor.fields(), (gpu, gpus), out);
        }
        if let Some(iid) = find(4).last().map(Field::uint) {
            scope = Scope::Descriptor(state.generation, iid);
            self.interned(scope, iid, state, gpus, out);
        }
        if ts == i64::MIN {
            self.without_time += u64::from(find(2).next().is_some());
            return;
        }
        for value in find(2) {
            self.value(ts, value.fields(), scope, out);
        }
    }

    /// An `InternedGpuCounterDescriptor`.
    fn interned(
        &mut self,
        scope: Scope,
        iid: u64,
        state: State,
        gpus: &mut Gpus,
        out: &mut TraceBuilder,
    ) {
        if !self.read.insert(scope) {
            return;
        }
        let Some(span) = self.survey.sequences.interned(&state, DESCRIPTORS, iid) else {
            self.tally.count(INVALID);
            return;
        };
        let fields = Fields::new(self.survey.source.get(span));
        let gpu = fields.clone().filter(|field| field.number == 3).last();
        let gpu = gpu.map_or(0, Field::uint) as u32;
        for descriptor in fields.filter(|field| field.number == 2) {
            self.descriptor(scope, descriptor.fields(), (gpu, gpus), out);
        }
    }

    /// A `GpuCounterDescriptor`.
    fn descriptor(
        &mut self,
        scope: Scope,
        fields: Fields<'_>,
        (gpu, gpus): (u32, &mut Gpus),
        out: &mut TraceBuilder,
    ) {
        let groups = Groups::read(fields.clone());
        let mut tracks = FxHashMap::default();
        for spec in fields.filter(|field| field.number == 1) {
            let is_inline = matches!(scope, Scope::Sequence(..));
            let Some((id, counter)) = self.describe(spec.fields(), (gpu, gpus), out) else {
                if is_inline {
                    self.tally.count(INVALID);
                }
                continue;
            };
            if let Scope::Sequence(machine, _) = scope {
                self.of_machine.entry((machine, id)).or_insert(counter);
            }
            if self.counters.insert((scope, id), counter).is_none() {
                tracks.insert(id, counter.track);
                groups.of_counter(counter.track, spec.fields(), out);
            } else if is_inline {
                self.tally.count(INVALID);
            }
        }
        groups.with_counters(&tracks, out);
    }

    /// A `GpuCounterSpec`.
    fn describe(
        &mut self,
        spec: Fields<'_>,
        (gpu, gpus): (u32, &mut Gpus),
        out: &mut TraceBuilder,
    ) -> Option<(u64, Counter)> {
        const FORWARDS: u64 = 2;
        let (mut id, mut name, mut direction): (_, Option<&[u8]>, _) = (None, None, 0);
        let mut description: &[u8] = &[];
        for field in spec.clone() {
            match field.number {
                1 => id = Some(field.uint()),
                2 => name = Some(field.bytes()),
                3 => description = field.bytes(),
                11 => direction = field.uint(),
                _ => {}
            }
        }
        let (id, name) = (id?, out.intern(name?));
        let track = *self.tracks.entry((gpu, name)).or_insert_with(|| {
            let track = gpus.track(TrackType::GpuCounter, name, out);
            gpus.describe(track, gpu, (&units::unit(spec), description), out);
            track
        });
        let forwards = direction == FORWARDS;
        Some((id, Counter { track, forwards }))
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
        let counter = id.and_then(|id| {
            let own = self.counters.get(&(scope, id));
            own.or_else(|| match scope {
                Scope::Sequence(machine, _) => self.of_machine.get(&(machine, id)),
                Scope::Descriptor(..) => None,
            })
        });
        if counter.is_none() && id.is_some() && matches!(scope, Scope::Descriptor(..)) {
            self.tally.count(INVALID);
        }
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

    /// Ends counters whose values apply to the time before: they become 0, because no value is known after the last
    /// timestamp.
    pub fn finish(&mut self, out: &mut TraceBuilder) {
        let mut last: Vec<(TrackId, i64)> = self.last.drain().collect();
        last.sort_unstable();
        for (track, ts) in last {
            out.counter(track, ts, 0.0);
        }
        self.tally.write(out);
        if self.without_time > 0 {
            let name = "gpu_counters_missing_timestamp";
            out.stat(name, None, 0, self.without_time as i64);
        }
        let place = Place::default();
        out.repair(RepairKind::SkippedEntry, self.without_time, place, || {
            "values of a GPU's counters without a time".to_owned()
        });
    }
}

/// Reads a `GpuMemTotalEvent`: the GPU memory of a process, or of all processes if the pid is 0.
pub(super) fn memory(ts: i64, fields: Fields<'_>, gpus: &mut Gpus, out: &mut TraceBuilder) {
    let (mut gpu, mut pid, mut bytes) = (0, 0, 0);
    for field in fields {
        match field.number {
            1 => gpu = field.uint() as u32,
            2 => pid = field.int32(),
            3 => bytes = field.uint(),
            _ => {}
        }
    }
    gpus.row(gpu);
    let name = match gpu {
        0 => "GPU Memory".to_owned(),
        gpu => format!("GPU Memory {gpu}"),
    };
    let name = out.intern(name.as_bytes());
    let track = if pid > 0 {
        let upid = tasks::process_and_leader(pid.into(), out);
        out.process_track(TrackType::ProcessGpuMemory, upid, name)
    } else {
        out.global_track(TrackType::GpuMemory, name)
    };
    push(track, ts, bytes, out);
}

/// A `GenericGpuFrequencyEvent`, in kHz.
pub(super) fn frequency(ts: i64, fields: Fields<'_>, gpus: &mut Gpus, out: &mut TraceBuilder) {
    let (mut gpu, mut khz) = (0, 0);
    for field in fields {
        match field.number {
            1 => gpu = field.uint() as u32,
            2 => khz = field.uint(),
            _ => {}
        }
    }
    gpus.row(gpu);
    let name = match gpu {
        0 => out.intern(b"gpufreq"),
        gpu => out.intern(format!("gpufreq {gpu}").as_bytes()),
    };
    let track = out.global_track(TrackType::GpuFrequency, name);
    push(track, ts, khz, out);
}
