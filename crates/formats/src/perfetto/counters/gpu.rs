//! The GPU: `GpuCounterEvent` and `GpuMemTotalEvent`.

use rustc_hash::FxHashMap;
use traceloom_trace::{TraceBuilder, TrackId, TrackType};

use super::super::sequence::State;
use super::super::wire::{Field, Fields};
use super::named::{Distinct, push};

/// A counter of a sequence.
#[derive(Clone, Copy, Debug)]
struct Counter {
    track: TrackId,
    /// Whether a value holds from its time on; else it is of the time before.
    forwards: bool,
}

/// The counters of GPUs.
#[derive(Debug, Default)]
pub(super) struct Gpu {
    /// By sequence and the counter's number there.
    counters: FxHashMap<(u32, u32, u64), Counter>,
    tracks: Distinct,
    /// The time of the last value of counters whose values are of the time before.
    last: FxHashMap<TrackId, i64>,
}

impl Gpu {
    /// A `GpuCounterEvent`.
    pub fn event(&mut self, ts: i64, fields: Fields<'_>, state: State, out: &mut TraceBuilder) {
        let gpu = fields.clone().filter(|field| field.number == 3).last();
        let gpu = gpu.map_or(0, Field::uint);
        for descriptor in fields.clone().filter(|field| field.number == 1) {
            for spec in descriptor.fields().filter(|field| field.number == 1) {
                self.describe(spec.fields(), gpu, state, out);
            }
        }
        for value in fields.filter(|field| field.number == 2) {
            self.value(ts, value.fields(), state, out);
        }
    }

    /// A `GpuCounterSpec`.
    fn describe(&mut self, fields: Fields<'_>, gpu: u64, state: State, out: &mut TraceBuilder) {
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
        self.counters
            .insert((state.machine, state.sequence, id), counter);
    }

    /// A `GpuCounter`.
    fn value(&mut self, ts: i64, fields: Fields<'_>, state: State, out: &mut TraceBuilder) {
        let (mut id, mut value) = (None, None);
        for field in fields {
            match field.number {
                1 => id = Some(field.uint()),
                2 => value = Some(field.int() as f64),
                3 => value = Some(f64::from_bits(field.uint())),
                _ => {}
            }
        }
        let counter = id.and_then(|id| self.counters.get(&(state.machine, state.sequence, id)));
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
        let upid = out.process(pid.into());
        out.process_track(TrackType::ProcessGpuMemory, upid, name)
    } else {
        out.global_track(TrackType::GpuMemory, name)
    };
    push(track, ts, bytes, out);
}
