//! Moves instants among the slices, where PerfettoSQL has them.

use crate::ids::{MethodId, RowId, SliceId, StringId, TrackId};
use crate::tables::{InstantRow, InstantTable, NO_DURATION, SliceRow};
use crate::trace::Trace;

impl Trace {
    /// Turns every instant into a slice of length 0, and leaves the table of instants empty. The slices stay sorted
    /// by time, and all references to them follow.
    ///
    /// ```text
    /// slices    |--- a ---------|        instants at 1, 2, 3 and 4
    ///               |-- b --|
    ///           1   2       3   4        parents: a, b, a, none
    /// ```
    /// An instant is inside the innermost slice of its track that is open at its time: a slice that begins then is
    /// open, one that ends then is not. A slice that never ended is open until the slice around it ends.
    pub fn nest_instants(&mut self) {
        let instants = std::mem::take(&mut self.instants);
        if instants.is_empty() {
            return;
        }
        let order = self.push_instants(&instants);
        self.put_slices_in(&order);
    }

    /// Adds the instants after the last slice. Returns the order of all rows by time.
    fn push_instants(&mut self, instants: &InstantTable) -> Vec<u32> {
        let slices = self.slices.len();
        let mut order = Vec::with_capacity(slices + instants.len());
        let mut stacks = OpenSlices::of_tracks_with(instants, self.tracks.len());
        let mut seen = 0;
        for instant in instants.rows() {
            while seen < slices && self.slices.ts.get(seen) <= instant.ts {
                stacks.begin(self, SliceId::from_row(seen));
                order.push(seen as u32);
                seen += 1;
            }
            let parent = stacks.innermost(instant.track_id, instant.ts);
            let row = self.slice_of(&instant, parent);
            order.push(self.slices.push(row) as u32);
        }
        order.extend(seen as u32..slices as u32);
        order
    }

    fn slice_of(&self, instant: &InstantRow, parent: Option<SliceId>) -> SliceRow {
        let depth_below = |parent: SliceId| self.slices.depth.get(parent.row()).saturating_add(1);
        SliceRow {
            ts: instant.ts,
            dur: 0,
            track_id: instant.track_id,
            name: instant.name,
            category: StringId::NULL,
            depth: parent.map_or(0, depth_below),
            parent_id: parent.unwrap_or(SliceId::NONE),
            arg_set_id: instant.arg_set_id,
            thread_ts: NO_DURATION,
            thread_dur: NO_DURATION,
            method_id: MethodId::NONE,
        }
    }
}

/// A slice that is open.
struct Open {
    slice: SliceId,
    /// When it or a slice around it ends, whichever is first.
    end: i64,
}

/// The open slices of each track with instants, outermost first; `None` for other tracks.
struct OpenSlices(Vec<Option<Vec<Open>>>);

impl OpenSlices {
    fn of_tracks_with(instants: &InstantTable, tracks: usize) -> Self {
        let mut stacks: Vec<Option<Vec<Open>>> = Vec::new();
        stacks.resize_with(tracks, || None);
        for track in instants.track_id.iter() {
            if let Some(stack) = stacks.get_mut(track.row()) {
                stack.get_or_insert_with(Vec::new);
            }
        }
        Self(stacks)
    }

    fn stack(&mut self, track: TrackId) -> Option<&mut Vec<Open>> {
        self.0.get_mut(track.row())?.as_mut()
    }

    /// Opens a slice inside its parent.
    fn begin(&mut self, trace: &Trace, slice: SliceId) {
        let row = slice.row();
        let Some(stack) = self.stack(trace.slices.track_id.get(row)) else {
            return;
        };
        let parent = trace.slices.parent_id.get(row);
        while stack.pop_if(|open| open.slice != parent).is_some() {}
        let around = stack.last().map_or(i64::MAX, |open| open.end);
        let own = match trace.slices.dur.get(row) {
            NO_DURATION => i64::MAX,
            dur => trace.slices.ts.get(row).saturating_add(dur),
        };
        let end = own.min(around);
        stack.push(Open { slice, end });
    }

    /// The innermost slice that is open at a time.
    fn innermost(&mut self, track: TrackId, ts: i64) -> Option<SliceId> {
        let stack = self.stack(track)?;
        while stack.pop_if(|open| open.end <= ts).is_some() {}
        stack.last().map(|open| open.slice)
    }
}

#[cfg(test)]
mod tests;
