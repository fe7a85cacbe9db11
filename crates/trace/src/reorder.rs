//! Reorders the rows of a table that other rows refer to, and updates the references.

use crate::column::new_rows;
use crate::remap::{IdKind, Remap};
use crate::trace::Trace;

impl Trace {
    /// Reorders the slices, and updates all references to them.
    pub(crate) fn put_slices_in(&mut self, order: &[u32]) {
        self.slices.permute(order);
        self.follow(IdKind::Slice, order);
    }

    /// Reorders the threads, and updates all references to them.
    pub(crate) fn put_threads_in(&mut self, order: &[u32]) {
        self.threads.permute(order);
        self.follow(IdKind::Thread, order);
    }

    /// Reorders the processes, and updates all references to them.
    pub(crate) fn put_processes_in(&mut self, order: &[u32]) {
        self.processes.permute(order);
        self.follow(IdKind::Process, order);
    }

    fn follow(&mut self, kind: IdKind, order: &[u32]) {
        let rows = new_rows(order);
        self.remap(&mut NewRows { kind, rows });
    }
}

/// The new row of each row of a table.
struct NewRows {
    kind: IdKind,
    rows: Vec<u32>,
}

impl Remap for NewRows {
    fn changes(&self, kind: IdKind) -> bool {
        kind == self.kind
    }

    #[inline]
    fn new_id(&mut self, _: IdKind, id: u32) -> u32 {
        self.rows[id as usize]
    }
}
