//! Sorts the tables by time after all rows were added.

use crate::column::{new_rows, order_by_time};
use crate::remap::{IdKind, Remap};
use crate::trace::Trace;

/// Sorts every table with a time column by (ts, order of arrival). Tables that are already sorted,
/// which is the usual case, are not changed.
pub(crate) fn order_tables(trace: &mut Trace) {
    let mut moved = Moved::default();
    if let Some(order) = order_by_time(&trace.slices.ts) {
        trace.slices.permute(&order);
        moved.slices = new_rows(&order);
    }
    macro_rules! order {
        ($($table:ident)*) => {$(
            if let Some(order) = order_by_time(&trace.$table.ts) {
                trace.$table.permute(&order);
            }
        )*};
    }
    order!(counters exact_counters instants sched_slices run_ends wakeups thread_names thread_states ftrace_events);
    trace.clocks.sort_by_key(|row| row.ts);
    trace.remap(&mut moved);
}

/// The new rows of tables that other rows refer to; empty for a table that did not move.
#[derive(Default)]
struct Moved {
    slices: Vec<u32>,
}

impl Remap for Moved {
    fn changes(&self, kind: IdKind) -> bool {
        kind == IdKind::Slice && !self.slices.is_empty()
    }

    #[inline]
    fn new_id(&mut self, _: IdKind, id: u32) -> u32 {
        self.slices[id as usize]
    }
}
