//! Adds the rows of another trace, with mapped ids and times.

use crate::clock::ClockRow;
use crate::ids::{
    ArgSetId, MethodId, ProcessId, RowId, SliceId, SourceId, StringId, ThreadId, TrackId,
};
use crate::tables::{
    CounterRow, CounterTable, ExactCounterRow, ExactCounterTable, FlowRow, FlowTable,
    FtraceEventRow, FtraceEventTable, InstantRow, InstantTable, MetadataRow, MetadataTable,
    MethodRow, NO_TIME, ProcessRow, RunEndRow, RunEndTable, SchedSliceRow, SchedSliceTable,
    SliceRow, SliceTable, SourceRow, ThreadNameRow, ThreadNameTable, ThreadRow, ThreadStateRow,
    ThreadStateTable, TrackRow, WakeupRow, WakeupTable,
};
use crate::trace::Trace;

/// Maps ids and times of the other trace to those in the merged one.
pub(super) struct Ids {
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
    pub fn new(new: &mut Trace, other: &Trace, shift_ns: i64) -> Self {
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

    pub fn string(&self, id: StringId) -> StringId {
        let known = self.strings.get(id.0 as usize);
        known.copied().unwrap_or(StringId::EMPTY)
    }

    pub fn time(&self, ts: i64) -> i64 {
        // The smallest value means "no time", so a shifted time must not become that value.
        ts.saturating_add(self.shift_ns).max(NO_TIME + 1)
    }

    fn known_time(&self, ts: i64) -> i64 {
        if ts == NO_TIME { ts } else { self.time(ts) }
    }

    pub fn source(&self, id: SourceId) -> SourceId {
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

    /// Adds the rows that have no time: sources, processes, threads, tracks, methods.
    pub fn owners(&self, new: &mut Trace, other: &Trace) {
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

    pub fn slices(&self, new: &mut Trace, rows: SliceTable) {
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

    pub fn flows(&self, new: &mut Trace, rows: FlowTable) {
        for row in rows.rows() {
            new.flows.push(FlowRow {
                slice_out: self.slice(row.slice_out),
                slice_in: self.slice(row.slice_in),
                name: self.string(row.name),
            });
        }
    }

    pub fn points(
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

    pub fn sched(&self, new: &mut Trace, ran: SchedSliceTable, states: ThreadStateTable) {
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

    pub fn exact_counters(&self, new: &mut Trace, rows: ExactCounterTable) {
        for row in rows.rows() {
            new.exact_counters.push(ExactCounterRow {
                ts: self.time(row.ts),
                track_id: self.track(row.track_id),
                ..row
            });
        }
    }

    pub fn sched_points(
        &self,
        new: &mut Trace,
        run_ends: RunEndTable,
        wakeups: WakeupTable,
        names: ThreadNameTable,
    ) {
        for row in run_ends.rows() {
            new.run_ends.push(RunEndRow {
                ts: self.time(row.ts),
                utid: self.thread(row.utid),
                ..row
            });
        }
        for row in wakeups.rows() {
            new.wakeups.push(WakeupRow {
                ts: self.time(row.ts),
                waker_utid: self.thread(row.waker_utid),
                utid: self.thread(row.utid),
                ..row
            });
        }
        for row in names.rows() {
            new.thread_names.push(ThreadNameRow {
                ts: self.time(row.ts),
                utid: self.thread(row.utid),
                name: self.string(row.name),
            });
        }
    }

    pub fn notes(&self, new: &mut Trace, metadata: MetadataTable, clocks: Vec<ClockRow>) {
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

/// The id, moved up by `offset` rows.
fn up<I: RowId>(id: I, offset: u32) -> I {
    match id.some() {
        Some(id) => I::from_row(id.row() + offset as usize),
        None => id,
    }
}
