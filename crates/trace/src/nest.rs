//! Finds the slice that encloses each instant.

use crate::ids::{RowId, SliceId, TrackId};
use crate::tables::{NO_DURATION, SliceTable};

impl SliceTable {
    /// Sets the parent and the depth of every instant. The slices are sorted by time, and an instant follows the
    /// slices that begin at its time.
    ///
    /// ```text
    /// slices    |--- a ---------|        instants at 1, 2, 3 and 4
    ///               |-- b --|
    ///           1   2       3   4        parents: a, b, a, none
    /// ```
    /// An instant is inside the innermost slice of its track that is open at its time: a slice that begins then is
    /// open, one that ends then is not. A slice that never ended is open until the slice around it ends. Nothing is
    /// inside an instant.
    pub(crate) fn nest_instants(&mut self) {
        if !self.has_instants() {
            return;
        }
        let mut stacks = OpenSlices::of_tracks_with_instants(self);
        for row in 0..self.len() {
            if self.is_instant(row) {
                let parent = stacks.innermost(self.track_id.get(row), self.ts.get(row));
                let depth_below = |parent: SliceId| self.depth.get(parent.row()).saturating_add(1);
                let depth = parent.map_or(0, depth_below);
                *self.depth.get_mut(row) = depth;
                *self.parent_id.get_mut(row) = parent.unwrap_or(SliceId::NONE);
            } else {
                stacks.begin(self, SliceId::from_row(row));
            }
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
    fn of_tracks_with_instants(slices: &SliceTable) -> Self {
        let mut stacks: Vec<Option<Vec<Open>>> = Vec::new();
        for row in slices.instants() {
            let track = slices.track_id.get(row).row();
            if track >= stacks.len() {
                stacks.resize_with(track + 1, || None);
            }
            stacks[track].get_or_insert_with(Vec::new);
        }
        Self(stacks)
    }

    fn stack(&mut self, track: TrackId) -> Option<&mut Vec<Open>> {
        self.0.get_mut(track.row())?.as_mut()
    }

    /// Opens a slice inside its parent.
    fn begin(&mut self, slices: &SliceTable, slice: SliceId) {
        let row = slice.row();
        let Some(stack) = self.stack(slices.track_id.get(row)) else {
            return;
        };
        let parent = slices.parent_id.get(row);
        while stack.pop_if(|open| open.slice != parent).is_some() {}
        let around = stack.last().map_or(i64::MAX, |open| open.end);
        let own = match slices.dur.get(row) {
            NO_DURATION => i64::MAX,
            dur => slices.ts.get(row).saturating_add(dur),
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
