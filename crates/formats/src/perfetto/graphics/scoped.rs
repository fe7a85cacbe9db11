//! Slices with a known duration that may overlap. Each slice is added to a lane that is free when it begins.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;
use traceloom_trace::{SliceBegin, SliceId, TraceBuilder, TrackId};

/// The lanes of each track. Slices must be added in time order.
#[derive(Debug, Default)]
pub(crate) struct Scoped(FxHashMap<TrackId, Lanes>);

#[derive(Debug, Default)]
struct Lanes {
    /// The lanes with an open slice, ordered by the end of the slice.
    busy: BinaryHeap<Reverse<(i64, TrackId)>>,
    free: BinaryHeap<Reverse<TrackId>>,
}

impl Scoped {
    /// Adds a slice to a track or to one of its lanes.
    pub fn slice(
        &mut self,
        track: TrackId,
        begin: SliceBegin,
        dur: i64,
        out: &mut TraceBuilder,
    ) -> SliceId {
        let lanes = self.0.entry(track).or_insert_with(|| Lanes {
            free: BinaryHeap::from([Reverse(track)]),
            ..Lanes::default()
        });
        while let Some(Reverse((end, lane))) = lanes.busy.peek().copied()
            && end <= begin.ts
        {
            lanes.busy.pop();
            lanes.free.push(Reverse(lane));
        }
        let lane = match lanes.free.pop() {
            Some(Reverse(lane)) => lane,
            None => out.lane_of(track),
        };
        let end = begin.ts.saturating_add(dur.max(0));
        lanes.busy.push(Reverse((end, lane)));
        out.whole_slice(lane, begin, dur)
    }
}
