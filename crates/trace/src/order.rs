//! Sorts the tables by time after all rows were added.

use rustc_hash::FxHashMap;

use crate::column::order_by_time;
use crate::sort;
use crate::tables::{SliceTable, UNNESTED};
use crate::trace::Trace;

impl Trace {
    /// Sorts every table with a time column by (ts, order of arrival), and finds the slices around new instants. Tables
    /// that are already sorted, which is the usual case, are not changed.
    pub fn put_in_order(&mut self) {
        order_tables(self);
        self.slices.nest_instants();
    }
}

/// The order of slices by time. An instant whose parent is not known yet follows the slices that begin at its time,
/// because it may be inside them. `None` if the slices are already in this order.
fn order_of_slices(slices: &SliceTable) -> Option<Vec<u32>> {
    if !slices.has_instants() {
        return order_by_time(&slices.ts);
    }
    let key = |row: usize| (slices.ts.get(row), slices.depth.get(row) == UNNESTED);
    if (0..slices.len()).is_sorted_by_key(key) {
        return None;
    }
    let mut order: Vec<u32> = (0..slices.len() as u32).collect();
    order.sort_by_key(|&row| key(row as usize));
    Some(order)
}

pub(crate) fn order_tables(trace: &mut Trace) {
    if let Some(order) = order_of_slices(&trace.slices) {
        trace.put_slices_in(&order);
    }
    macro_rules! order {
        ($($table:ident)*) => {$(
            if let Some(order) = order_by_time(&trace.$table.ts) {
                trace.$table.permute(&order);
            }
        )*};
    }
    order!(counters exact_counters sched_slices run_ends wakeups thread_names thread_states ftrace_events);
    sort::by_key(&mut trace.clocks, |row| row.ts);
}

/// Sorts the thread states by time. Among rows of the same time, a late row comes before the nth row to arrive, and
/// late rows with the same n are ordered by their second number.
pub(crate) fn order_states(trace: &mut Trace, late: &FxHashMap<u32, (u32, u32)>) {
    if late.is_empty() {
        return;
    }
    let states = &mut trace.thread_states;
    let mut order: Vec<u32> = (0..states.len() as u32).collect();
    order.sort_by_key(|row| {
        let place = late.get(row).copied().unwrap_or((*row, u32::MAX));
        (states.ts.get(*row as usize), place)
    });
    states.permute(&order);
}
