//! Counts what the tables do not contain.

use std::collections::{BTreeMap, BTreeSet};

use traceloom_trace::RepairKind::{
    self, BeyondLimit, BrokenBlock, LostEvents, RebuiltTime, SkippedEntry,
};
use traceloom_trace::{Place, TraceBuilder};

use super::records;

/// The counts. Some of them have a name in `stats` of PerfettoSQL.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// Records of kinds that are not read, by kind.
    pub kinds: BTreeMap<u32, u64>,
    pub losses: Losses,
    /// Records that end too early.
    pub broken: u64,
    /// Samples with the id of an unknown event.
    pub unknown_events: u64,
    /// Samples without a thread, or with a time that is too large.
    pub incomplete: u64,
    /// Samples without times of their own.
    pub rebuilt: u64,
    /// Samples with a copy of the stack, which has to be unwound.
    pub stacks: u64,
    /// Samples whose data cannot be read.
    pub raw: u64,
    /// Samples beyond the memory limit.
    pub beyond: u64,
    /// Counter values that belong to no event, or exceed the limit for one sample.
    pub dropped_values: u64,
    /// Samples with an unknown CPU mode.
    pub unknown_modes: u64,
    /// Counts of `perf stat` without a time.
    pub untimed_counts: u64,
    /// Frames outside all mappings.
    pub unmapped: u64,
    pub skipped_features: BTreeSet<u8>,
}

/// Samples and other records that are not in the file.
#[derive(Debug, Default)]
pub(super) struct Losses {
    /// Those of LOST: the kernel writes how many did not fit into a buffer.
    pub in_buffers: u64,
    /// Those of LOST_SAMPLES.
    pub of_events: u64,
    /// Whether LOST_SAMPLES has the kernel's count for each event (`PERF_FORMAT_LOST`), which includes what LOST counts.
    pub are_counted_twice: bool,
    /// Samples that a filter of the user dropped. They are no losses.
    pub filtered: u64,
}

impl Losses {
    fn all(&self) -> u64 {
        if self.are_counted_twice {
            self.in_buffers.max(self.of_events)
        } else {
            self.in_buffers.saturating_add(self.of_events)
        }
    }
}

/// A count that is a repair: its kind, the count, and what is counted.
type Repair = (RepairKind, fn(&Tally) -> u64, &'static str);

const REPAIRS: [Repair; 10] = [
    (
        LostEvents,
        |tally| tally.losses.all(),
        "samples and records that the kernel lost",
    ),
    (
        BrokenBlock,
        |tally| tally.broken,
        "records or features that end too early",
    ),
    (
        BrokenBlock,
        |tally| tally.unknown_events,
        "samples with an id that no event has",
    ),
    (
        BrokenBlock,
        |tally| tally.incomplete,
        "samples without a thread, or with a time that is too large",
    ),
    (
        RebuiltTime,
        |tally| tally.rebuilt,
        "samples without times have that of the record before them, or that of the end; if no record has a time, they stand one millisecond apart",
    ),
    (
        BrokenBlock,
        |tally| tally.dropped_values,
        "values of counters that belong to no event, or are too many for one sample",
    ),
    (
        SkippedEntry,
        |tally| tally.stacks,
        "stacks that were copied, not unwound: only the known frames of these samples are shown",
    ),
    (
        SkippedEntry,
        |tally| tally.untimed_counts,
        "counts of `perf stat` without a time",
    ),
    (
        SkippedEntry,
        |tally| tally.raw,
        "data of tracepoints without formats or without a CPU, and data of other events",
    ),
    (
        BeyondLimit,
        |tally| tally.beyond,
        "samples with too many rows for their size",
    ),
];

impl Tally {
    /// Counts a record that is not read.
    pub fn skip(&mut self, kind: u32) {
        *self.kinds.entry(kind).or_default() += 1;
    }

    /// Adds the counts to the trace.
    pub fn report(&self, out: &mut TraceBuilder) {
        self.report_repairs(out);
        self.report_stats(out);
    }

    fn report_repairs(&self, out: &mut TraceBuilder) {
        let place = Place::default();
        for (kind, count, text) in REPAIRS {
            out.repair(kind, count(self), place, || text.to_owned());
        }
        for (kind, count) in &self.kinds {
            out.repair(SkippedEntry, *count, place, || {
                format!("records of the kind {} ({kind})", records::name(*kind))
            });
        }
    }

    fn report_stats(&self, out: &mut TraceBuilder) {
        for (kind, count) in &self.kinds {
            let name = match *kind {
                records::kind::AUX | records::kind::AUXTRACE => "perf_aux_ignored",
                _ => "perf_unknown_record_type",
            };
            out.stat(name, Some(i64::from(*kind)), 0, *count as i64);
        }
        let skipped = self.broken + self.unknown_events + self.incomplete;
        for (name, count) in [
            ("perf_samples_skipped", skipped),
            ("perf_samples_cpu_mode_unknown", self.unknown_modes),
            ("perf_dummy_mapping_used", self.unmapped),
        ] {
            if count > 0 {
                out.stat(name, None, 0, count as i64);
            }
        }
        if self.losses.filtered > 0 {
            out.metadata("filtered_samples", &self.losses.filtered.to_string());
        }
        for number in &self.skipped_features {
            out.stat("perf_features_skipped", Some((*number).into()), 0, 1);
        }
    }
}
