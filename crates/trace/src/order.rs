//! Sorts the tables by time after all rows were added.

use crate::column::order_by_time;
use crate::ids::{RowId, SliceId};
use crate::trace::Trace;

/// Sorts every table with a time column by (ts, order of arrival). Tables that are already sorted,
/// which is the usual case, are not changed.
pub(crate) fn order_tables(trace: &mut Trace) {
    order_slices(trace);
    macro_rules! order {
        ($($table:ident)*) => {$(
            if let Some(order) = order_by_time(&trace.$table.ts) {
                trace.$table.permute(&order);
            }
        )*};
    }
    order!(counters exact_counters instants sched_slices run_ends wakeups thread_names thread_states ftrace_events);
    trace.clocks.sort_by_key(|row| row.ts);
}

/// Sorts the slices. Parents and flows refer to slices by row, so they are renumbered.
fn order_slices(trace: &mut Trace) {
    let Some(order) = order_by_time(&trace.slices.ts) else {
        return;
    };
    trace.slices.permute(&order);
    let mut new_row = vec![0u32; order.len()];
    for (new, &old) in order.iter().enumerate() {
        new_row[old as usize] = new as u32;
    }
    drop(order);
    let renumber = |id: &mut SliceId| {
        if *id != SliceId::NONE {
            *id = SliceId(new_row[id.row()]);
        }
    };
    (0..trace.slices.len()).for_each(|row| renumber(trace.slices.parent_id.get_mut(row)));
    for row in 0..trace.flows.len() {
        renumber(trace.flows.slice_out.get_mut(row));
        renumber(trace.flows.slice_in.get_mut(row));
    }
}
