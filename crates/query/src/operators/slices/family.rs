//! The ancestors and the descendants of slices.

use traceloom_trace::{RowId, SliceId, Trace};

use crate::operators::failure::Failure;
use crate::operators::groups::Groups;
use crate::operators::meter::Meter;

/// No slice.
const NONE: u32 = u32::MAX;

/// The parent and the children of each slice.
#[derive(Debug)]
pub(super) struct Family {
    parents: Vec<u32>,
    children: Groups,
}

impl Family {
    pub fn new(trace: &Trace) -> Self {
        let row = |id: SliceId| id.some().map_or(NONE, |id| id.row() as u32);
        let rows = 0..trace.slices.len();
        let parents: Vec<u32> = rows.map(|at| row(trace.slices.parent_id.get(at))).collect();
        let pairs = parents.iter().zip(0..);
        let pairs = pairs.map(|(parent, child)| (*parent as usize, child));
        let children = Groups::new(parents.len(), pairs);
        Self { parents, children }
    }

    /// The slices that enclose a slice, innermost first.
    ///
    /// # Errors
    ///
    /// If a limit is reached.
    pub fn ancestors(&self, slice: u32, meter: &mut Meter) -> Result<Vec<u32>, Failure> {
        let mut found = Vec::new();
        self.visit_ancestors(slice, meter, |ancestor| {
            found.push(ancestor);
            true
        })?;
        Ok(found)
    }

    /// The slices within a slice.
    ///
    /// # Errors
    /// If a limit is reached.
    pub fn descendants(&self, slice: u32, meter: &mut Meter) -> Result<Vec<u32>, Failure> {
        let mut found = Vec::new();
        self.visit_descendants(slice, meter, |descendant| {
            found.push(descendant);
            true
        })?;
        Ok(found)
    }

    /// Calls `visit` with each ancestor, until it returns `false`.
    pub fn visit_ancestors(
        &self,
        slice: u32,
        meter: &mut Meter,
        mut visit: impl FnMut(u32) -> bool,
    ) -> Result<(), Failure> {
        let mut next = self.parents[slice as usize];
        // A parent comes before its child, so this loop ends.
        while next != NONE && visit(next) {
            meter.grow(size_of::<u32>())?;
            next = self.parents[next as usize];
        }
        Ok(())
    }

    /// Calls `visit` with each descendant. `visit` returns whether the slices below it are visited, too.
    pub fn visit_descendants(
        &self,
        slice: u32,
        meter: &mut Meter,
        mut visit: impl FnMut(u32) -> bool,
    ) -> Result<(), Failure> {
        let mut waiting = vec![slice];
        while let Some(slice) = waiting.pop() {
            for &child in self.children.of(slice as usize) {
                meter.grow(2 * size_of::<u32>())?;
                if visit(child) {
                    waiting.push(child);
                }
            }
        }
        Ok(())
    }
}
