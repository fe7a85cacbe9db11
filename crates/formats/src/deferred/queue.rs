//! Places parts on the time line, in the order in which their clocks can be aligned.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use traceloom_trace::{ClockKey, Place, RepairKind, Trace, TraceBuilder};

use super::part::Part;

/// Parts to be placed. Each waits until the time line has a clock or marker in common with it.
pub(super) struct Queue {
    parts: Vec<Option<Part>>,
    /// Parts that are not placed yet.
    waiting: BTreeSet<usize>,
    /// Waiting parts that share a clock or a marker with the time line.
    ready: BTreeSet<usize>,
    by_key: FxHashMap<ClockKey, Vec<usize>>,
    /// The number of clocks of the time line that were already checked.
    seen: usize,
}

impl Queue {
    /// Creates a queue in which all parts wait.
    pub fn new(parts: Vec<Part>) -> Self {
        let mut by_key: FxHashMap<ClockKey, Vec<usize>> = FxHashMap::default();
        for (at, part) in parts.iter().enumerate() {
            for key in part.clocks.iter().filter_map(ClockKey::of) {
                by_key.entry(key).or_default().push(at);
            }
        }
        Self {
            waiting: (0..parts.len()).collect(),
            ready: BTreeSet::new(),
            parts: parts.into_iter().map(Some).collect(),
            by_key,
            seen: 0,
        }
    }

    /// Appends the parts in the order in which their clocks can be aligned. If no remaining part
    /// can be aligned, the next one is placed at the start of the trace.
    pub fn place(mut self, out: &mut TraceBuilder) {
        loop {
            self.notice(out);
            if let Some(at) = self.ready.pop_first() {
                self.place_aligned(at, out);
            } else if let Some(at) = self.waiting.pop_first() {
                if let Some(part) = self.parts[at].take() {
                    append_at_start(part.into_trace(), out);
                }
            } else {
                return;
            }
        }
    }

    /// Finds waiting parts that can be aligned with newly added clocks.
    fn notice(&mut self, out: &TraceBuilder) {
        let clocks = &out.trace().clocks;
        for key in clocks[self.seen..].iter().filter_map(ClockKey::of) {
            let parts = self.by_key.remove(&key).unwrap_or_default();
            let waiting = parts.into_iter().filter(|at| self.waiting.contains(at));
            self.ready.extend(waiting);
        }
        self.seen = clocks.len();
    }

    fn place_aligned(&mut self, at: usize, out: &mut TraceBuilder) {
        let clocks = self.parts[at].as_ref().map(|part| &part.clocks);
        let alignment = clocks.and_then(|clocks| out.align_clocks(clocks));
        // The offset may exceed the range of i64. Another clock may give a smaller one later.
        if let Some(alignment) = alignment
            && let Some(part) = self.parts[at].take()
        {
            self.waiting.remove(&at);
            out.append(part.into_trace(), alignment.shift_ns);
        }
    }
}

/// Appends a trace that shares no clock with the others. It starts when they start.
fn append_at_start(trace: Trace, out: &mut TraceBuilder) {
    let first = out.first_ts().unwrap_or(trace.bounds.0);
    let name = trace.sources.name.iter().next();
    let name = name.map(|name| trace.strings.get(name).to_owned());
    let place = Place::default().with_ts(first);
    out.repair(RepairKind::BadClockSync, 1, place, || {
        let name = name.unwrap_or_default();
        format!("{name} has no clock in common with the trace; it is placed at its start")
    });
    let shift_ns = first.saturating_sub(trace.bounds.0);
    out.append(trace, shift_ns);
}
