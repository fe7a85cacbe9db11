//! Rows that need no lookup: methods, counter values, flows, events, arguments, facts and clocks.

use super::trace_builder::TraceBuilder;
use crate::args::{ArgColumns, ArgValue};
use crate::clock::ClockRow;
use crate::ids::{ArgSetId, MethodId, RecordId, RowId, StringId, TrackId};
use crate::records::FIGURES_TABLE;
use crate::tables::{
    CounterRow, ExactCounterRow, FlowRow, FtraceEventRow, MetadataRow, MethodRow, NO_TIME,
    SchedSliceRow, ThreadNameRow, ThreadStateRow, WakeupRow,
};

impl TraceBuilder {
    /// Adds a method.
    pub fn method(&mut self, row: MethodRow) -> MethodId {
        MethodId::from_row(self.trace.methods.push(row))
    }

    /// Replaces the class, name, signature, file and line of a method that was added before its name
    /// was known. Its raw id and source stay.
    pub fn rename_method(&mut self, method: MethodId, row: MethodRow) {
        let (methods, at) = (&mut self.trace.methods, method.row());
        *methods.class.get_mut(at) = row.class;
        *methods.name.get_mut(at) = row.name;
        *methods.signature.get_mut(at) = row.signature;
        *methods.file.get_mut(at) = row.file;
        *methods.line.get_mut(at) = row.line;
    }

    /// Adds a counter value that holds from `ts`, ns, on.
    #[inline]
    pub fn counter(&mut self, track_id: TrackId, ts: i64, value: f64) {
        self.saw_time(ts);
        self.unaligned_counter(track_id, ts, value);
    }

    /// As [`counter`](Self::counter) for a whole number, which is kept exactly.
    #[inline]
    pub fn whole_counter(&mut self, track_id: TrackId, ts: i64, value: i64) {
        // Beyond 2^53, a float leaves out some numbers.
        if value.unsigned_abs() > 1 << 53 {
            let row = ExactCounterRow {
                ts,
                track_id,
                value,
            };
            self.trace.exact_counters.push(row);
        }
        self.counter(track_id, ts, value as f64);
    }

    /// Adds a counter value whose time is not yet on the trace's clock, and so does not widen the
    /// trace's bounds. [`align_counters`](Self::align_counters) must follow.
    #[inline]
    pub fn unaligned_counter(&mut self, track_id: TrackId, ts: i64, value: f64) {
        self.trace.counters.push(CounterRow {
            ts,
            track_id,
            value,
            arg_set_id: ArgSetId::NONE,
        });
    }

    /// Adds a counter value as [`counter`](Self::counter) does, with arguments.
    pub fn counter_with_args(
        &mut self,
        track_id: TrackId,
        ts: i64,
        value: f64,
        arg_set_id: ArgSetId,
    ) {
        self.saw_time(ts);
        self.trace.counters.push(CounterRow {
            ts,
            track_id,
            value,
            arg_set_id,
        });
    }

    /// Sets the arguments of the counter value that was added last.
    pub fn describe_last_counter(&mut self, arg_set_id: ArgSetId) {
        if let Some(row) = self.trace.counters.len().checked_sub(1) {
            *self.trace.counters.arg_set_id.get_mut(row) = arg_set_id;
        }
    }

    /// Shifts the counter values from row `first` on by `shift_ns`, which puts them on the trace's
    /// clock, and widens the trace's bounds to include them.
    pub fn align_counters(&mut self, first: usize, shift_ns: i64) {
        for row in first..self.trace.counters.len() {
            let ts = self.trace.counters.ts.get_mut(row);
            *ts = ts.saturating_add(shift_ns);
            let ts = *ts;
            self.saw_time(ts);
        }
    }

    /// Adds an arrow from one slice to another.
    pub fn flow(&mut self, row: FlowRow) {
        self.trace.flows.push(row);
    }

    /// Adds a thread state, for formats that record states. [`SchedTracker`](crate::SchedTracker) derives them
    /// from switches and wake-ups.
    pub fn thread_state(&mut self, row: ThreadStateRow) {
        self.saw_time(row.ts);
        self.trace.thread_states.push(row);
    }

    /// Adds a run of a thread on a CPU, for formats that record runs.
    pub fn sched_slice(&mut self, row: SchedSliceRow) {
        self.saw_time(row.ts);
        self.trace.sched_slices.push(row);
    }

    /// Adds a wake-up, an event of the kernel.
    #[inline]
    pub fn wakeup(&mut self, row: WakeupRow) {
        self.saw_time(row.ts);
        self.trace.wakeups.push(row);
    }

    /// Adds a name that an event of the kernel gave a thread.
    pub fn thread_name(&mut self, row: ThreadNameRow) {
        self.trace.thread_names.push(row);
    }

    /// Adds an event that has no table of its own.
    pub fn ftrace_event(&mut self, row: FtraceEventRow) {
        self.saw_time(row.ts);
        self.trace.ftrace_events.push(row);
    }

    /// Sets the arguments of such an event, by its row. A row that does not exist is ignored.
    pub fn set_event_args(&mut self, row: usize, args: ArgSetId) {
        if row < self.trace.ftrace_events.len() {
            *self.trace.ftrace_events.arg_set_id.get_mut(row) = args;
        }
    }

    /// Stores a set of arguments; an empty one is [`ArgSetId::NONE`](RowId::NONE).
    pub fn args(&mut self, args: impl IntoIterator<Item = (StringId, ArgValue)>) -> ArgSetId {
        self.trace.args.push_set(args)
    }

    /// Stores a set of arguments, like [`args`](Self::args) but faster.
    pub fn arg_columns(&mut self, args: &ArgColumns) -> ArgSetId {
        self.trace.args.push_columns(args)
    }

    /// Adds a row to a table that only queries read; `ts` in ns, or [`NO_TIME`].
    pub fn record(&mut self, ts: i64, table: &str, cells: &[(&str, ArgValue)]) -> RecordId {
        if ts != NO_TIME {
            self.saw_time(ts);
        }
        let strings = &mut self.trace.strings;
        let table = strings.intern(table);
        let mut named = Vec::with_capacity(cells.len());
        named.extend(
            cells
                .iter()
                .map(|(name, value)| (strings.intern(name), *value)),
        );
        self.trace.records.push(ts, table, named)
    }

    /// Adds a statistic of the recording or of the reader, which SQL shows in `stats`. Statistics with the same name
    /// may have an index.
    pub fn stat(&mut self, name: &str, index: Option<i64>, machine: i64, value: i64) {
        let name = self.trace.strings.intern(name);
        let mut cells = vec![
            ("name", ArgValue::Text(name)),
            ("value", ArgValue::Int(value)),
            ("machine_id", ArgValue::Int(machine)),
        ];
        cells.extend(index.map(|index| ("idx", ArgValue::Int(index))));
        self.record(NO_TIME, FIGURES_TABLE, &cells);
    }

    /// Adds a fact about the current source.
    pub fn metadata(&mut self, key: &str, value: &str) {
        let row = MetadataRow {
            key: self.trace.strings.intern(key),
            value: self.trace.strings.intern(value),
            source: self.source(),
        };
        self.trace.metadata.push(row);
    }

    /// Adds a clock snapshot. The row's source is set to the current one.
    pub fn clock(&mut self, row: ClockRow) {
        let source = self.source();
        self.trace.clocks.push(ClockRow { source, ..row });
    }
}
