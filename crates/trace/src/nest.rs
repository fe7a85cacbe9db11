//! Finds the slice that encloses each instant.

use rustc_hash::FxHashMap;

use crate::ids::{RowId, SliceId, TrackId};
use crate::tables::{NO_DURATION, SliceTable, UNNESTED};

impl SliceTable {
    /// Sets the parent and the depth of every new instant. The slices are sorted by time, and a new instant follows the
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
        let Some(mut open) = OpenSlices::around_new_instants(self) else {
            return;
        };
        for row in 0..self.len() {
            if !self.is_instant(row) {
                open.begin(self, SliceId::from_row(row));
            } else if self.depth.get(row) == UNNESTED {
                let parent = open.innermost(self.track_id.get(row), self.ts.get(row));
                let depth_below = |parent: SliceId| self.depth.get(parent.row()).saturating_add(1);
                let depth = parent.map_or(0, depth_below);
                *self.depth.get_mut(row) = depth;
                *self.parent_id.get_mut(row) = parent.unwrap_or(SliceId::NONE);
            }
        }
    }
}

/// A slice that is open.
struct Open {
    slice: SliceId,
    /// The index of the enclosing slice in the list; [`NOTHING`] if there is none.
    around: u32,
    /// Its end, or the end of an enclosing slice if that is earlier.
    end: i64,
}

const NOTHING: u32 = u32::MAX;

/// The open slices of each track with new instants. One list for all tracks takes less memory than one per track.
struct OpenSlices {
    /// Every slice that was opened, in order of time.
    list: Vec<Open>,
    /// For each track, the index of its innermost slice.
    innermost: FxHashMap<TrackId, u32>,
}

impl OpenSlices {
    /// `None` if there are no new instants.
    fn around_new_instants(slices: &SliceTable) -> Option<Self> {
        let mut innermost = FxHashMap::default();
        for row in slices
            .instants()
            .filter(|&row| slices.depth.get(row) == UNNESTED)
        {
            innermost.insert(slices.track_id.get(row), NOTHING);
        }
        (!innermost.is_empty()).then_some(Self {
            list: Vec::new(),
            innermost,
        })
    }

    /// Opens a slice inside its parent.
    fn begin(&mut self, slices: &SliceTable, slice: SliceId) {
        let row = slice.row();
        let Some(innermost) = self.innermost.get_mut(&slices.track_id.get(row)) else {
            return;
        };
        let parent = slices.parent_id.get(row);
        while let Some(open) = self
            .list
            .get(*innermost as usize)
            .filter(|open| open.slice != parent)
        {
            *innermost = open.around;
        }
        let around = self.list.get(*innermost as usize);
        let own = match slices.dur.get(row) {
            NO_DURATION => i64::MAX,
            dur => slices.ts.get(row).saturating_add(dur),
        };
        let open = Open {
            slice,
            around: *innermost,
            end: around.map_or(own, |around| around.end.min(own)),
        };
        *innermost = self.list.len() as u32;
        self.list.push(open);
    }

    /// The innermost slice that is open at a time.
    fn innermost(&mut self, track: TrackId, ts: i64) -> Option<SliceId> {
        let innermost = self.innermost.get_mut(&track)?;
        while let Some(open) = self
            .list
            .get(*innermost as usize)
            .filter(|open| open.end <= ts)
        {
            *innermost = open.around;
        }
        self.list.get(*innermost as usize).map(|open| open.slice)
    }
}

#[cfg(test)]
mod tests;
