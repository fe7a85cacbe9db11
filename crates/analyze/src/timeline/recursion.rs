//! Finds slices nested in a slice of the same name. Their time must be counted only once.

use rustc_hash::FxHashMap;
use traceloom_trace::{RowId, Trace, TrackId, sort};

use super::lanes::Lanes;
use super::names::{NameId, Names};
use crate::parallel;

/// The maximum number of levels at which the names around a slice are compared one by one.
const SHALLOW: u32 = 64;

/// One bit for each slice.
#[derive(Debug, Default)]
pub struct Recursion {
    bits: Vec<u64>,
}

impl Recursion {
    /// Finds recursive slices in one pass that keeps the open names of each track. Tracks on which
    /// slices do not directly follow their parents are walked from parent to child instead.
    pub fn new(trace: &Trace, lanes: &Lanes, names: &Names) -> Self {
        let mut this = Self {
            bits: vec![0; trace.slices.len().div_ceil(64)],
        };
        // Each of the n threads takes every n-th track.
        let threads = parallel::split(trace.slices.len(), usize::MAX).len();
        let found = parallel::map((0..threads).collect(), &|thread| {
            plain(trace, lanes, names, (thread, threads))
        });
        for row in found.iter().flatten() {
            this.set(*row as usize);
        }
        for track in (0..trace.tracks.len()).map(TrackId::from_row) {
            if lanes.is_tangled(track) {
                this.walk(trace, lanes, names, track);
            }
        }
        this
    }

    /// Walks the tree of parents and children, with a list instead of recursion.
    fn walk(&mut self, trace: &Trace, lanes: &Lanes, names: &Names, track: TrackId) {
        let parent = |row: u32| trace.slices.parent_id.get(row as usize).0;
        let mut rows: Vec<u32> = lanes.rows_of(track).to_vec();
        sort::by_key(&mut rows, |&row| (parent(row), row));
        let below = |row: u32| {
            let from = rows.partition_point(|&child| parent(child) < row);
            let to = rows.partition_point(|&child| parent(child) <= row);
            from..to
        };
        // Slices without a parent have the largest number as parent.
        let mut todo = Vec::new();
        let push = |todo: &mut Vec<(u32, u32)>, parent: u32, level: u32| {
            for &row in &rows[below(parent)] {
                todo.push((row, level));
            }
        };
        push(&mut todo, u32::MAX, 0);
        let mut open = Open::new(u32::MAX);
        while let Some((row, level)) = todo.pop() {
            if open.enter(level, names.of_slice(row as usize)) {
                self.set(row as usize);
            }
            push(&mut todo, row, level + 1);
        }
    }

    fn set(&mut self, row: usize) {
        self.bits[row / 64] |= 1 << (row % 64);
    }

    /// Whether a slice is nested in a slice of its name.
    #[inline]
    pub fn is(&self, row: usize) -> bool {
        self.bits[row / 64] >> (row % 64) & 1 != 0
    }
}

/// Recursive slices on every n-th track, for tracks whose slices directly follow their parents.
fn plain(trace: &Trace, lanes: &Lanes, names: &Names, (nth, of): (usize, usize)) -> Vec<u32> {
    let mut open = Vec::new();
    for track in (0..trace.tracks.len()).map(TrackId::from_row) {
        let own = track.row() % of == nth && !lanes.is_tangled(track);
        open.push(own.then(|| Open::new(lanes.levels(track))));
    }
    let mut found = Vec::new();
    for row in trace.slices.spans() {
        if let Some(open) = &mut open[trace.slices.track_id.get(row).row()] {
            let level = trace.slices.depth.get(row);
            if open.enter(level, names.of_slice(row)) {
                found.push(row as u32);
            }
        }
    }
    found
}

/// The open names of a track.
struct Open {
    names: Vec<NameId>,
    /// How often each name is open; only for deep tracks.
    counts: Option<FxHashMap<NameId, u32>>,
}

impl Open {
    fn new(levels: u32) -> Self {
        Self {
            names: Vec::new(),
            counts: (levels > SHALLOW).then(FxHashMap::default),
        }
    }

    /// Opens a name on a level, which closes all levels from there on. Returns whether it was
    /// already open.
    #[inline]
    fn enter(&mut self, level: u32, name: NameId) -> bool {
        let level = level as usize;
        let is_open = match &mut self.counts {
            None => {
                self.names.truncate(level);
                self.names.contains(&name)
            }
            Some(counts) => {
                while self.names.len() > level
                    && let Some(gone) = self.names.pop()
                {
                    if let Some(count) = counts.get_mut(&gone) {
                        *count -= 1;
                    }
                }
                let count = counts.entry(name).or_default();
                *count += 1;
                *count > 1
            }
        };
        self.names.push(name);
        is_open
    }
}
