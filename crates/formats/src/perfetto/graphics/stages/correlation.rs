//! Flows of render stages: from the events that submit them, to the stages and the events that wait for them.
//!
//! ```text
//! thread    |submit 1|                          |wait for 1|
//!                 \                              /
//! queue 0          |---------- event 1 ----------|
//!                                                 \
//! queue 1                                          |-- event 2, waits for 1 --|
//! ```
//! The events of threads may come before the stages or after them.

use rustc_hash::FxHashMap;
use traceloom_trace::{FlowRow, NO_NUMBER, Place, RepairKind, SliceId, StringId, TraceBuilder};

use super::super::super::wire::{Field, Fields};

/// The slices of each event id.
#[derive(Debug)]
pub(super) struct Correlation {
    stages: FxHashMap<u64, Vec<SliceId>>,
    /// The stages that wait for an event.
    waiting: FxHashMap<u64, Vec<SliceId>>,
    /// The slice of a thread that submitted an event.
    submits: FxHashMap<u64, SliceId>,
    /// The slice of a thread that waits for an event.
    ends: FxHashMap<u64, SliceId>,
    /// The number of flows that may still be added. Without a limit, events that share an id could produce a flow for
    /// each pair.
    left: usize,
    beyond: u64,
}

/// The number of flows that are possible in any trace, and the number that each id in a slice adds to it.
const FLOWS: (usize, usize) = (1 << 16, 2);

/// The number of slices with the same id that can have flows.
const MOST_ALIKE: usize = 256;

fn push(slices: &mut Vec<SliceId>, slice: SliceId, beyond: &mut u64) {
    if slices.len() < MOST_ALIKE {
        slices.push(slice);
    } else {
        *beyond += 1;
    }
}

impl Default for Correlation {
    fn default() -> Self {
        Self {
            stages: FxHashMap::default(),
            waiting: FxHashMap::default(),
            submits: FxHashMap::default(),
            ends: FxHashMap::default(),
            left: FLOWS.0,
            beyond: 0,
        }
    }
}

impl Correlation {
    /// A render stage, and the ids of the events for which it waits.
    pub fn stage(
        &mut self,
        id: u64,
        slice: SliceId,
        waits: impl Iterator<Item = u64>,
        out: &mut TraceBuilder,
    ) {
        push(self.stages.entry(id).or_default(), slice, &mut self.beyond);
        let before = self.submits.get(&id).copied();
        let behind = self.ends.get(&id).copied().into_iter();
        let waiting = self.waiting.get(&id).cloned().unwrap_or_default();
        self.flows(before.map(|before| (before, slice)), out);
        self.flows(behind.chain(waiting).map(|next| (slice, next)), out);
        for id in waits {
            let stages = self.stages.get(&id).cloned().unwrap_or_default();
            self.flows(stages.into_iter().map(|stage| (stage, slice)), out);
            push(self.waiting.entry(id).or_default(), slice, &mut self.beyond);
        }
    }

    /// The `GpuCorrelation` of an event of a thread.
    pub fn thread(&mut self, slice: SliceId, correlation: Fields<'_>, out: &mut TraceBuilder) {
        let ids = |number| {
            let fields = correlation
                .clone()
                .filter(move |field| field.number == number);
            fields.flat_map(Field::numbers)
        };
        for id in ids(1) {
            self.submits.insert(id, slice);
            let stages = self.stages.get(&id).cloned().unwrap_or_default();
            self.flows(stages.into_iter().map(|stage| (slice, stage)), out);
        }
        for id in ids(2) {
            self.ends.insert(id, slice);
            let stages = self.stages.get(&id).cloned().unwrap_or_default();
            self.flows(stages.into_iter().map(|stage| (stage, slice)), out);
        }
    }

    fn flows(
        &mut self,
        pairs: impl IntoIterator<Item = (SliceId, SliceId)>,
        out: &mut TraceBuilder,
    ) {
        self.left += FLOWS.1;
        for (slice_out, slice_in) in pairs {
            if slice_out == slice_in {
                continue;
            }
            if self.left == 0 {
                self.beyond += 1;
                continue;
            }
            self.left -= 1;
            out.flow(FlowRow {
                slice_out,
                slice_in,
                name: StringId::NULL,
                trace_id: NO_NUMBER,
            });
        }
    }

    /// Reports problems.
    pub fn finish(&self, out: &mut TraceBuilder) {
        out.repair(
            RepairKind::BeyondLimit,
            self.beyond,
            Place::default(),
            || "flows of render stages whose events share an id".to_owned(),
        );
    }
}
