//! Sorts the tables by time after all rows were added.

use crate::column::order_by_time;
use crate::trace::Trace;

/// Sorts every table with a time column by (ts, order of arrival). Tables that are already sorted,
/// which is the usual case, are not changed.
pub(crate) fn order_tables(trace: &mut Trace) {
    if let Some(order) = order_by_time(&trace.slices.ts) {
        trace.put_slices_in(&order);
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
}
