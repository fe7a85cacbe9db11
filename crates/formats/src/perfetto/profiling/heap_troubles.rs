//! Errors that heapprofd reports for incomplete profiles. They become rows of `stats`, per process.

use std::collections::BTreeMap;

use traceloom_trace::{Place, RepairKind, TraceBuilder};

use super::super::wire::Fields;

/// Error flags in `ProcessHeapSamples`.
const FLAGS: [(u32, &str); 5] = [
    (4, "heapprofd_rejected_concurrent"),
    (6, "heapprofd_client_disconnected"),
    (7, "heapprofd_buffer_overran"),
    (8, "heapprofd_buffer_corrupted"),
    (10, "heapprofd_hit_guardrail"),
];

const CLIENT_ERROR: u32 = 14;

/// The value of [`CLIENT_ERROR`] that is equivalent to the flag `buffer_overran`.
const HIT_TIMEOUT: u64 = 1;

/// The maximum number of rows of `stats`. Devices have fewer processes.
const MOST_STATS: usize = 100_000;

/// The errors of all profiles.
#[derive(Debug, Default)]
pub(super) struct Troubles {
    /// By the name in `stats` and the pid.
    stats: BTreeMap<(&'static str, u64), i64>,
    /// The number of dumps with an error.
    incomplete: u64,
    /// The number of dumps whose timestamp cannot be converted.
    pub unplaced: u64,
}

impl Troubles {
    /// Reads the errors in the `ProcessHeapSamples` of a process.
    pub fn dump(&mut self, pid: u64, fields: Fields<'_>) {
        let has = |number| {
            fields
                .clone()
                .any(|field| field.number == number && field.bool())
        };
        let errors = fields.clone().filter(|field| field.number == CLIENT_ERROR);
        let error = errors.last().map_or(0, |field| field.uint());
        let mut is_incomplete = error != 0;
        for (number, name) in FLAGS {
            let overran = number == 7 && error == HIT_TIMEOUT;
            if overran || has(number) {
                self.stat((name, pid), |known| known + 1);
                is_incomplete = true;
            }
        }
        if error != 0 {
            self.stat(("heapprofd_client_error", pid), |_| error as i64);
        }
        self.incomplete += u64::from(is_incomplete);
    }

    fn stat(&mut self, key: (&'static str, u64), change: impl Fn(i64) -> i64) {
        if self.stats.len() < MOST_STATS || self.stats.contains_key(&key) {
            let value = self.stats.entry(key).or_default();
            *value = change(*value);
        }
    }

    /// Writes the rows and reports problems.
    pub fn report(&self, out: &mut TraceBuilder) {
        for ((name, pid), value) in &self.stats {
            out.stat(name, Some(*pid as i64), 0, *value);
        }
        let place = Place::default();
        out.repair(RepairKind::LostEvents, self.incomplete, place, || {
            "a heap profile is incomplete: `stats` says why".to_owned()
        });
        out.repair(RepairKind::Unplaced, self.unplaced, place, || {
            "a heap profile has a time on a clock that no snapshot connects to the trace's"
                .to_owned()
        });
    }
}
