//! Arrows between slices.

use rustc_hash::FxHashMap;
use traceloom_trace::{FlowRow, NO_NUMBER, SliceId, StringId, TraceBuilder};

/// Identifies the points of one flow.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct FlowKey {
    pub id: StringId,
    /// Flows of the phases `s`, `t`, `f` are also identified by name and category; those of
    /// `bind_id` are not.
    pub name: StringId,
    pub category: StringId,
}

/// A point of a flow: its start, its end, or a step between them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Point {
    ts: i64,
    /// At the same time, an incoming flow sorts before an outgoing flow of the same slice.
    goes_out: bool,
    sequence: u32,
    key: FlowKey,
    slice: SliceId,
    comes_in: bool,
}

/// Collects the flow points of all threads.
#[derive(Debug, Default)]
pub(super) struct Flows {
    points: Vec<Point>,
}

impl Flows {
    /// Adds a point at `slice`.
    pub fn point(
        &mut self,
        key: FlowKey,
        ts: i64,
        slice: SliceId,
        (comes_in, goes_out): (bool, bool),
    ) {
        self.points.push(Point {
            ts,
            goes_out: goes_out && !comes_in,
            sequence: self.points.len() as u32,
            key,
            slice,
            comes_in,
        });
    }

    /// Creates the arrows: from each point of a flow to the next.
    pub fn join(mut self, out: &mut TraceBuilder) {
        self.points
            .sort_unstable_by_key(|point| (point.ts, !point.goes_out, point.sequence));
        let mut last: FxHashMap<FlowKey, SliceId> = FxHashMap::default();
        for point in self.points {
            let before = last.insert(point.key, point.slice);
            if let (Some(slice_out), true) = (before, point.comes_in) {
                out.flow(FlowRow {
                    slice_out,
                    slice_in: point.slice,
                    name: point.key.name,
                    trace_id: NO_NUMBER,
                });
            }
        }
    }
}
