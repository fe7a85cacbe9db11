//! The weights of samples: how much time or memory each stands for.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;
use traceloom_trace::{Place, RepairKind, StringId, TraceBuilder, TrackId};

use super::table::{Object, at};
use crate::profile::{Counter, NONE, Sample, Samples};

/// The sums of the weights so far.
#[derive(Default)]
pub(super) struct Weights {
    sums: FxHashMap<Vec<u8>, Sum>,
    /// Weights below 0, as in comparisons of two profiles.
    invalid: u64,
}

struct Sum {
    session: u32,
    track: TrackId,
    sum: u64,
}

impl Sum {
    /// Adds a session and its counter.
    fn new(
        name: &str,
        unit: &str,
        source: StringId,
        samples: &mut Samples,
        out: &mut TraceBuilder,
    ) -> Self {
        let session = samples.session(source);
        let counter = Counter {
            track: TrackId::default(),
            session,
            cpu: None,
            is_timebase: true,
            unit: out.intern_unless_empty(unit.as_bytes()),
            description: StringId::NULL,
        };
        let name = out.intern(name.as_bytes());
        Self {
            session,
            track: samples.counter(counter, name, out),
            sum: 0,
        }
    }
}

/// The weights of a thread's samples.
pub(super) struct Column {
    /// What they measure: `samples`, `tracing-ms` or `bytes`.
    kind: Vec<u8>,
    values: Vec<Option<f64>>,
}

impl Weights {
    /// The memory of a weight in the tables, bytes.
    pub const BYTES: usize = 100;

    /// The weights in a table of samples. `None` if there are none, or if each sample counts once.
    pub fn of(&self, table: &Object<'_>) -> Option<Column> {
        let values = table.numbers("weight");
        let kind = table.text("weightType").unwrap_or(b"samples").to_vec();
        let counts_once = |weight: &Option<f64>| weight.is_none_or(|weight| weight == 1.0);
        let has_weights =
            !values.is_empty() && (kind != b"samples" || !values.iter().all(counts_once));
        has_weights.then_some(Column { kind, values })
    }

    /// Adds the weight of a sample to the counter of its kind.
    pub fn add(
        &mut self,
        column: &Column,
        row: u32,
        sample: &mut Sample,
        samples: &mut Samples,
        out: &mut TraceBuilder,
    ) {
        let weight = at(&column.values, row, None).unwrap_or(0.0);
        if weight < 0.0 {
            self.invalid += 1;
            return;
        }
        // Times become nanoseconds.
        let (name, unit, scale) = match &*column.kind {
            b"tracing-ms" => ("duration", "ns", 1e6),
            b"bytes" => ("bytes", "bytes", 1.0),
            _ => ("samples", "", 1.0),
        };
        let sum = match self.sums.entry(column.kind.clone()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(Sum::new(name, unit, sample.source, samples, out)),
        };
        sum.sum = sum.sum.saturating_add((weight * scale).round() as u64);
        sample.session = sum.session;
        sample.counters = samples.value(sample.ts, NONE, (sum.track, sum.sum), out);
    }

    /// Counts what could not be used.
    pub fn finish(&self, out: &mut TraceBuilder) {
        out.repair(RepairKind::BadField, self.invalid, Place::default(), || {
            "a sample with a weight below 0, as in a comparison of profiles".to_owned()
        });
    }
}
