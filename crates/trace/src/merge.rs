//! Merges traces.

use crate::args::ArgValue;
use crate::builder::TraceBuilder;
use crate::clock::ClockRow;
use crate::ids::{
    ArgSetId, MethodId, ProcessId, RowId, SliceId, SourceId, StringId, ThreadId, TrackId,
};
use crate::repair::Place;
use crate::tables::{
    CounterRow, CounterTable, FlowRow, FlowTable, FtraceEventRow, FtraceEventTable, InstantRow,
    InstantTable, MetadataRow, MetadataTable, MethodRow, NO_DURATION, NO_TIME, ProcessRow,
    SchedSliceRow, SchedSliceTable, SliceRow, SliceTable, SourceRow, ThreadRow, ThreadStateRow,
    ThreadStateTable, TrackRow,
};
use crate::trace::Trace;

impl Trace {
    /// Appends the rows of `other`, with `shift_ns` added to its times.
    ///
    /// ```text
    /// self    a     b  b'    c          sources 0, 1
    /// other      x     y        z       sources 0     ─> 2
    /// merged  a  x  b  b' y  c  z       by (ts, self before other, arrival)
    /// ```
    /// Ids of `other` follow those of `self`, and strings are interned again. Nothing is unified: a pid in both
    /// traces means two processes, each with its own source. The threads' CPU clocks are not shifted. A time
    /// that does not fit into 64 bits is clamped.
    ///
    /// Runs on CPUs and thread states that are open when their own trace ends are closed there if the other
    /// trace ends later: what came after was not recorded.
    pub fn append(&mut self, mut other: Self, shift_ns: i64) {
        let bounds = match (self.has_times(), other.has_times()) {
            (_, false) => self.bounds,
            (false, true) => shifted_bounds(&other, shift_ns),
            (true, true) => {
                let (first, last) = shifted_bounds(&other, shift_ns);
                (self.bounds.0.min(first), self.bounds.1.max(last))
            }
        };
        self.close_stretches(bounds.1);
        other.close_stretches(bounds.1.saturating_sub(shift_ns));
        self.push_rows_of(other, shift_ns);
        self.bounds = bounds;
        crate::order::order_tables(self);
    }

    /// Closes open runs and states at the end of this trace, if the time line ends later.
    fn close_stretches(&mut self, line_ends: i64) {
        let end = self.bounds.1;
        if end >= line_ends {
            return;
        }
        let (ran, states) = (&mut self.sched_slices, &mut self.thread_states);
        for (ts, dur) in [(&ran.ts, &mut ran.dur), (&states.ts, &mut states.dur)] {
            for row in 0..dur.len() {
                if dur.get(row) == NO_DURATION {
                    *dur.get_mut(row) = end.saturating_sub(ts.get(row)).max(0);
                }
            }
        }
    }

    /// Whether any row has a time, so that the bounds mean something.
    fn has_times(&self) -> bool {
        !(self.slices.is_empty()
            && self.counters.is_empty()
            && self.instants.is_empty()
            && self.sched_slices.is_empty()
            && self.thread_states.is_empty()
            && self.ftrace_events.is_empty()
            && self.bounds == (0, 0))
    }

    /// Whether nothing at all was put in.
    fn is_blank(&self) -> bool {
        !self.has_times()
            && self.strings.is_empty()
            && self.sources.is_empty()
            && self.processes.is_empty()
            && self.threads.is_empty()
            && self.tracks.is_empty()
            && self.methods.is_empty()
            && self.args.is_empty()
            && self.metadata.is_empty()
            && self.clocks.is_empty()
            && self.repairs.rows().is_empty()
    }

    /// Rows one table after the other, each freed once it is taken over; not in order of time.
    fn push_rows_of(&mut self, other: Self, shift_ns: i64) {
        let ids = Ids::new(self, &other, shift_ns);
        ids.owners(self, &other);
        ids.slices(self, other.slices);
        ids.flows(self, other.flows);
        ids.points(self, other.counters, other.instants, other.ftrace_events);
        ids.sched(self, other.sched_slices, other.thread_states);
        for set in (0..other.args.sets()).map(ArgSetId::from_row) {
            let args = other.args.set(set).map(|(key, value)| match value {
                ArgValue::Text(text) => (ids.string(key), ArgValue::Text(ids.string(text))),
                number => (ids.string(key), number),
            });
            self.args.push_set(args);
        }
        ids.notes(self, other.metadata, other.clocks);
        for row in other.repairs.rows() {
            let first = Place {
                ts: row.first.ts.map(|ts| ids.time(ts)),
                ..row.first
            };
            let detail = || row.detail.clone();
            self.repairs
                .add(ids.source(row.source), row.kind, row.count, first, detail);
        }
    }
}

impl TraceBuilder {
    /// Appends a finished trace, as [`Trace::append`] does, for a reader whose input contains whole traces. The
    /// current source does not change. Slices that are open in `other` stay open and are not counted again. If
    /// the builder is empty, nothing is copied.
    pub fn append(&mut self, other: Trace, shift_ns: i64) {
        if other.has_times() {
            let (first, last) = shifted_bounds(&other, shift_ns);
            self.saw_time(first);
            self.saw_time(last);
        }
        if shift_ns == 0 && self.trace.is_blank() {
            self.trace = other;
        } else {
            self.trace.push_rows_of(other, shift_ns);
        }
    }
}

/// The bounds on the new time line.
fn shifted_bounds(trace: &Trace, shift_ns: i64) -> (i64, i64) {
    let (first, last) = trace.bounds;
    (
        first.saturating_add(shift_ns),
        last.saturating_add(shift_ns),
    )
}

/// Maps ids and times of the other trace to those in the merged one.
struct Ids {
    strings: Vec<StringId>,
    sources: u32,
    processes: u32,
    threads: u32,
    tracks: u32,
    slices: u32,
    methods: u32,
    arg_sets: u32,
    shift_ns: i64,
}

impl Ids {
    fn new(new: &mut Trace, other: &Trace, shift_ns: i64) -> Self {
        let strings = other.strings.iter();
        Self {
            strings: strings.map(|(_, text)| new.strings.intern(text)).collect(),
            sources: new.sources.len() as u32,
            processes: new.processes.len() as u32,
            threads: new.threads.len() as u32,
            tracks: new.tracks.len() as u32,
            slices: new.slices.len() as u32,
            methods: new.methods.len() as u32,
            arg_sets: new.args.sets() as u32,
            shift_ns,
        }
    }

    fn string(&self, id: StringId) -> StringId {
        let known = self.strings.get(id.0 as usize);
        known.copied().unwrap_or(StringId::EMPTY)
    }

    fn time(&self, ts: i64) -> i64 {
        // The smallest value means "no time" and must not come out of a moved one.
        ts.saturating_add(self.shift_ns).max(NO_TIME + 1)
    }

    fn known_time(&self, ts: i64) -> i64 {
        if ts == NO_TIME { ts } else { self.time(ts) }
    }

    fn source(&self, id: SourceId) -> SourceId {
        up(id, self.sources)
    }

    fn thread(&self, id: ThreadId) -> ThreadId {
        up(id, self.threads)
    }

    fn process(&self, id: ProcessId) -> ProcessId {
        up(id, self.processes)
    }

    fn track(&self, id: TrackId) -> TrackId {
        up(id, self.tracks)
    }

    fn slice(&self, id: SliceId) -> SliceId {
        up(id, self.slices)
    }

    fn arg_set(&self, id: ArgSetId) -> ArgSetId {
        up(id, self.arg_sets)
    }

    /// What has no time: sources, processes, threads, tracks, methods.
    fn owners(&self, new: &mut Trace, other: &Trace) {
        for row in other.sources.rows() {
            new.sources.push(SourceRow {
                name: self.string(row.name),
                format: self.string(row.format),
                ..row
            });
        }
        for row in other.processes.rows() {
            new.processes.push(ProcessRow {
                name: self.string(row.name),
                cmdline: self.string(row.cmdline),
                start_ts: self.known_time(row.start_ts),
                end_ts: self.known_time(row.end_ts),
                source: self.source(row.source),
                ..row
            });
        }
        for row in other.threads.rows() {
            new.threads.push(ThreadRow {
                name: self.string(row.name),
                upid: self.process(row.upid),
                start_ts: self.known_time(row.start_ts),
                end_ts: self.known_time(row.end_ts),
                source: self.source(row.source),
                ..row
            });
        }
        for row in other.tracks.rows() {
            new.tracks.push(TrackRow {
                name: self.string(row.name),
                utid: self.thread(row.utid),
                upid: self.process(row.upid),
                parent: self.track(row.parent),
                source: self.source(row.source),
                ..row
            });
        }
        for row in other.methods.rows() {
            new.methods.push(MethodRow {
                class: self.string(row.class),
                name: self.string(row.name),
                signature: self.string(row.signature),
                file: self.string(row.file),
                source: self.source(row.source),
                ..row
            });
        }
    }

    fn slices(&self, new: &mut Trace, rows: SliceTable) {
        for row in rows.rows() {
            new.slices.push(SliceRow {
                ts: self.time(row.ts),
                track_id: self.track(row.track_id),
                name: self.string(row.name),
                category: self.string(row.category),
                parent_id: self.slice(row.parent_id),
                arg_set_id: self.arg_set(row.arg_set_id),
                method_id: up::<MethodId>(row.method_id, self.methods),
                ..row
            });
        }
    }

    fn flows(&self, new: &mut Trace, rows: FlowTable) {
        for row in rows.rows() {
            new.flows.push(FlowRow {
                slice_out: self.slice(row.slice_out),
                slice_in: self.slice(row.slice_in),
                name: self.string(row.name),
            });
        }
    }

    fn points(
        &self,
        new: &mut Trace,
        counters: CounterTable,
        instants: InstantTable,
        events: FtraceEventTable,
    ) {
        for row in counters.rows() {
            new.counters.push(CounterRow {
                ts: self.time(row.ts),
                track_id: self.track(row.track_id),
                ..row
            });
        }
        for row in instants.rows() {
            new.instants.push(InstantRow {
                ts: self.time(row.ts),
                track_id: self.track(row.track_id),
                name: self.string(row.name),
                arg_set_id: self.arg_set(row.arg_set_id),
            });
        }
        for row in events.rows() {
            new.ftrace_events.push(FtraceEventRow {
                ts: self.time(row.ts),
                name: self.string(row.name),
                utid: self.thread(row.utid),
                arg_set_id: self.arg_set(row.arg_set_id),
                ..row
            });
        }
    }

    fn sched(&self, new: &mut Trace, ran: SchedSliceTable, states: ThreadStateTable) {
        for row in ran.rows() {
            new.sched_slices.push(SchedSliceRow {
                ts: self.time(row.ts),
                utid: self.thread(row.utid),
                ..row
            });
        }
        for row in states.rows() {
            new.thread_states.push(ThreadStateRow {
                ts: self.time(row.ts),
                utid: self.thread(row.utid),
                blocked_function: self.string(row.blocked_function),
                waker_utid: self.thread(row.waker_utid),
                ..row
            });
        }
    }

    fn notes(&self, new: &mut Trace, metadata: MetadataTable, clocks: Vec<ClockRow>) {
        for row in metadata.rows() {
            new.metadata.push(MetadataRow {
                key: self.string(row.key),
                value: self.string(row.value),
                source: self.source(row.source),
            });
        }
        new.clocks.extend(clocks.into_iter().map(|row| ClockRow {
            source: self.source(row.source),
            ts: self.time(row.ts),
            ..row
        }));
    }
}

/// The id behind `offset` rows of the other trace's table.
fn up<I: RowId>(id: I, offset: u32) -> I {
    match id.some() {
        Some(id) => I::from_row(id.row() + offset as usize),
        None => id,
    }
}

#[cfg(test)]
mod tests;
