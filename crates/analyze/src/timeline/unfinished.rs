//! Slices that never ended, other than calls of methods.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;
use traceloom_trace::{MethodId, RowId, SliceId, Trace, sort};

/// The slices that never ended, other than calls of methods.
///
/// The duration of such a slice is unknown, so sums keep its time separate; see
/// [`NameStats::unfinished_ns`](super::NameStats::unfinished_ns).
#[derive(Debug, Default)]
pub(super) struct Unfinished {
    /// Their rows, each before the slices around it.
    rows: Vec<u32>,
    /// The place of each in `rows`.
    places: FxHashMap<u32, u32>,
}

impl Unfinished {
    /// Collects the slices of `open` that are not method calls. `open` has the slices without an
    /// end.
    pub fn new(trace: &Trace, open: &[usize]) -> Self {
        let is_call = |row: usize| trace.slices.method_id.get(row) != MethodId::NONE;
        let mut this = Self::default();
        for &row in open.iter().filter(|row| !is_call(**row)) {
            this.rows.push(row as u32);
        }
        let depth = |row: &u32| trace.slices.depth.get(*row as usize);
        sort::by_key(&mut this.rows, |row| Reverse(depth(row)));
        this.places = this.rows.iter().copied().zip(0..).collect();
        this
    }

    /// Their rows, each before the slices around it.
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// The place of a slice among them; `None` for one that ended or is a call.
    #[inline]
    pub fn place(&self, row: usize) -> Option<usize> {
        if self.rows.is_empty() {
            return None;
        }
        self.places.get(&(row as u32)).map(|place| *place as usize)
    }

    /// The place of the slice around another one, if it is among them.
    #[inline]
    pub fn place_of_parent(&self, trace: &Trace, row: usize) -> Option<usize> {
        match trace.slices.parent_id.get(row) {
            SliceId::NONE => None,
            parent => self.place(parent.row()),
        }
    }
}
