//! The times of slices that never ended.
//!
//! The duration of such a slice is unknown. Its inclusive time is that of the finished slices
//! inside it, and the rest of its span (up to the end of the trace or of the range) is its
//! unfinished time:
//!
//! ```text
//! |trace                              |
//! a [ b ][ c ] [ d …                       a and d never ended
//!                [ e ]
//!
//! inclusive    a: b + c + e      d: e
//! unfinished   a: the rest       d: the rest of d, which is also in that of a
//! ```
//!
//! Slices that never ended have nodes of their own, so that a node has either a measured or an
//! unfinished time. This does not apply to calls of methods: those that never ended are closed at
//! the last event of their thread.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::measure::{Sums, add};

/// Unfinished times by path number. It holds the paths of slices that never ended, and the roots
/// above them.
///
/// While slices are counted, the times are the whole spans of the slices; `settle`
/// subtracts the finished slices inside them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unfinished {
    times: FxHashMap<u32, Sums>,
}

impl Unfinished {
    /// Adds a path of slices that never ended.
    pub(crate) fn mark(&mut self, path: u32) {
        self.times.entry(path).or_default();
    }

    /// Adds a slice to a path.
    pub(crate) fn add(&mut self, path: u32, span: &Sums) {
        add(self.times.entry(path).or_default(), span);
    }

    /// Replaces the times of a path; `None` removes the path.
    pub(crate) fn set(&mut self, path: u32, times: Option<Sums>) {
        match times {
            Some(times) => self.times.insert(path, times),
            None => self.times.remove(&path),
        };
    }

    /// The times of a path; `None` if its slices ended.
    #[inline]
    pub(crate) fn get(&self, path: u32) -> Option<&Sums> {
        if self.is_empty() {
            return None;
        }
        self.times.get(&path)
    }

    /// Whether there are no paths.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// Whether a path has any time.
    pub(crate) fn has_times(&self) -> bool {
        self.times.values().any(|times| *times != Sums::default())
    }

    /// The paths, in order.
    pub(crate) fn paths(&self) -> Vec<u32> {
        let mut paths: Vec<u32> = self.times.keys().copied().collect();
        paths.sort_unstable();
        paths
    }

    /// Memory, bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.times.capacity() * (size_of::<(u32, Sums)>() + 1)
    }

    /// Appends the times of another table, whose first path is now `first`.
    pub(crate) fn append(&mut self, first: u32, others: Self) {
        let others = others.times.into_iter();
        let moved = others.map(|(path, times)| (first + path, times));
        self.times.extend(moved);
    }

    /// The times of a range of paths, renumbered from 0.
    pub(crate) fn stretch(&self, paths: &Range<usize>) -> Self {
        let first = paths.start as u32;
        let within = self.times.iter();
        let within = within.filter(|(path, _)| paths.contains(&(**path as usize)));
        Self {
            times: within.map(|(path, times)| (path - first, *times)).collect(),
        }
    }
}
