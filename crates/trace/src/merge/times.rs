//! Shifts the times of a trace.

use crate::column::Column;
use crate::tables::NO_TIME;
use crate::trace::Trace;

impl Trace {
    /// Adds `shift_ns` to the times of all rows. CPU clocks and the bounds stay unchanged.
    pub(crate) fn shift_times(&mut self, shift_ns: i64) {
        if shift_ns == 0 {
            return;
        }
        macro_rules! shift {
            ($($table:ident: $($column:ident)*;)*) => {$($(
                shift_column(&mut self.$table.$column, shift_ns);
            )*)*};
        }
        shift! {
            processes: start_ts end_ts;
            threads: start_ts end_ts;
            slices: ts;
            counters: ts;
            exact_counters: ts;
            sched_slices: ts;
            run_ends: ts;
            wakeups: ts;
            thread_names: ts;
            thread_states: ts;
            ftrace_events: ts;
        }
        shift_column(self.records.times_mut(), shift_ns);
        for row in &mut self.clocks {
            row.ts = shifted(row.ts, shift_ns);
        }
        self.repairs.shift_times(|ts| shifted(ts, shift_ns));
    }
}

fn shift_column(times: &mut Column<i64>, shift_ns: i64) {
    times.update(|ts| {
        if ts == NO_TIME {
            ts
        } else {
            shifted(ts, shift_ns)
        }
    });
}

/// The time after the shift. The smallest value means "no time", so it must not become that value.
fn shifted(ts: i64, shift_ns: i64) -> i64 {
    ts.saturating_add(shift_ns).max(NO_TIME + 1)
}
