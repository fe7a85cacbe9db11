//! The tables of a trace, with the names of PerfettoSQL. All times are nanoseconds on the trace's own clock.

mod kernel;

pub use self::kernel::*;
use crate::ids::{
    ArgSetId, MethodId, ProcessId, RowId, SliceId, SourceId, StringId, ThreadId, TrackId,
};
use crate::table::table;
use crate::track_type::TrackType;

/// An unknown time.
pub const NO_TIME: i64 = i64::MIN;

/// The `dur` of a slice that never ended, and `thread_ts` or `thread_dur` if no CPU clock was recorded.
pub const NO_DURATION: i64 = -1;

/// An unknown number of the operating system: tid, pid, uid or CPU.
pub const NO_NUMBER: i64 = -1;

/// An unknown flag.
pub const NO_FLAG: i8 = -1;

/// No CPU, or an unknown one.
pub const NO_CPU: u32 = u32::MAX;

/// An unknown priority.
pub const NO_PRIORITY: i32 = i32::MIN;

table! {
    /// The input files of the trace, and blocks within them.
    SourceTable of
    /// An input file, or a block of it.
    SourceRow {
        /// The name the caller gave: mostly the file's.
        name: StringId,
        /// The name of the format it was read as.
        format: StringId,
        /// Bytes read, after decompression.
        bytes: u64,
        /// The machine that was recorded: 0, or a further number if an input has several machines.
        machine: i64,
    }
}

table! {
    /// Processes. A reused pid has one row per lifetime.
    ProcessTable of
    /// A process.
    ProcessRow {
        /// The operating system's number, [`NO_NUMBER`] if the file does not have it.
        pid: i64,
        /// Its name: the package of an Android app, else the command's name.
        name: StringId,
        /// The full command line, if the input has it.
        cmdline: StringId,
        /// User id, [`NO_NUMBER`] if unknown.
        uid: i64,
        /// The parent's pid, [`NO_NUMBER`] if unknown.
        ppid: i64,
        /// When it started, ns; [`NO_TIME`] if that was before the trace.
        start_ts: i64,
        /// When it ended, ns; [`NO_TIME`] if it outlived the trace.
        end_ts: i64,
        /// The input it came from.
        source: SourceId,
        /// Further facts about it.
        arg_set_id: ArgSetId,
    }
}

table! {
    /// Threads. A reused tid has one row per lifetime.
    ThreadTable of
    /// A thread.
    ThreadRow {
        /// The operating system's number, or the virtual machine's own small one in a method trace.
        tid: i64,
        /// Its last name in the trace.
        name: StringId,
        /// Its process, or none if unknown.
        upid: ProcessId,
        /// Whether it is the process's first thread.
        is_main_thread: bool,
        /// When it started, ns; [`NO_TIME`] if that was before the trace.
        start_ts: i64,
        /// When it ended, ns; [`NO_TIME`] if it outlived the trace.
        end_ts: i64,
        /// The input it came from.
        source: SourceId,
        /// Further facts about it.
        arg_set_id: ArgSetId,
    }
}

table! {
    /// The rows of the [`Records`](crate::Records), without their cells.
    RecordTable of
    /// A record, without its cells.
    RecordRow {
        /// When it was, ns; [`NO_TIME`] if it has no time.
        ts: i64,
        /// The name of its table.
        table: StringId,
        /// Its first cell; `u32::MAX` if it has none.
        cells: u32,
    }
}

table! {
    /// Tracks, which hold slices or counter values.
    TrackTable of
    /// A track.
    TrackRow {
        /// Its type, which gives its owner and its contents.
        kind: TrackType,
        /// Its name; empty for a thread's own track.
        name: StringId,
        /// The category of a counter, or empty.
        category: StringId,
        /// Its thread, if it has one.
        utid: ThreadId,
        /// Its process, if it has one.
        upid: ProcessId,
        /// Its CPU, [`NO_NUMBER`] if it has none.
        cpu: i64,
        /// The track of which it is a lane.
        parent: TrackId,
        /// The input it came from.
        source: SourceId,
        /// The track under which the input puts it.
        declared_parent: TrackId,
        /// The unit of a counter if the input gives it, otherwise the unit of the type.
        unit: StringId,
        /// Further facts from the input, such as a description.
        arg_set_id: ArgSetId,
    }
}

table! {
    /// Slices: named time spans, nested on their track, and named points in time. Sorted by (ts, whether it is an
    /// instant, arrival).
    SliceTable of
    /// A slice: a span or an instant.
    SliceRow {
        /// Start, ns.
        ts: i64,
        /// Duration, ns; [`NO_DURATION`] if it never ended.
        dur: i64,
        /// Its track.
        track_id: TrackId,
        /// Its name; for a call of a method, empty: the name is the method's.
        name: StringId,
        /// A category, or empty.
        category: StringId,
        /// How many slices of its track enclose it.
        depth: u32,
        /// The innermost slice that encloses it.
        parent_id: SliceId,
        /// Its arguments.
        arg_set_id: ArgSetId,
        /// The thread's CPU clock at the start, [`NO_DURATION`] if not recorded.
        thread_ts: i64,
        /// CPU time, ns; [`NO_DURATION`] if not recorded or never ended.
        thread_dur: i64,
        /// The method called, in a method trace.
        method_id: MethodId,
        /// Whether it is an instant: a point in time, whose duration is 0. A span may have this duration, too.
        instant: bool,
    }
}

impl ProcessRow {
    /// The reserved row of the kernel's idle process.
    pub(crate) fn idle() -> Self {
        Self {
            pid: 0,
            name: StringId::NULL,
            cmdline: StringId::NULL,
            uid: NO_NUMBER,
            ppid: NO_NUMBER,
            start_ts: NO_TIME,
            end_ts: NO_TIME,
            source: SourceId::NONE,
            arg_set_id: ArgSetId::NONE,
        }
    }
}

impl ThreadRow {
    /// The reserved row of the kernel's idle thread, until an input has one.
    pub(crate) fn idle() -> Self {
        Self {
            tid: 0,
            name: StringId::NULL,
            upid: ProcessId::NONE,
            is_main_thread: false,
            start_ts: NO_TIME,
            end_ts: NO_TIME,
            source: SourceId::NONE,
            arg_set_id: ArgSetId::NONE,
        }
    }
}

/// The depth of an instant until the slice around it is found.
pub(crate) const UNNESTED: u32 = u32::MAX;

impl SliceRow {
    /// A point in time, ns. [`Trace::put_in_order`](crate::Trace::put_in_order) finds the slice around it.
    pub fn instant(ts: i64, track_id: TrackId, name: StringId, arg_set_id: ArgSetId) -> Self {
        Self {
            ts,
            dur: 0,
            track_id,
            name,
            category: StringId::NULL,
            depth: UNNESTED,
            parent_id: SliceId::NONE,
            arg_set_id,
            thread_ts: NO_DURATION,
            thread_dur: NO_DURATION,
            method_id: MethodId::NONE,
            instant: true,
        }
    }
}

impl SliceTable {
    /// Whether a slice is a point in time and not a span.
    ///
    /// # Panics
    /// If there is no such row.
    #[inline]
    pub fn is_instant(&self, row: usize) -> bool {
        self.instant.get(row)
    }

    /// Whether any slice can be an instant. Takes constant time.
    pub fn has_instants(&self) -> bool {
        !self.is_empty() && self.instant.constant() != Some(false)
    }

    /// The rows of spans: calls, trace points, interrupts. Whatever counts or sums slices counts these.
    pub fn spans(&self) -> impl Iterator<Item = usize> + '_ {
        self.instant
            .iter()
            .enumerate()
            .filter_map(|(row, instant)| (!instant).then_some(row))
    }

    /// The rows of instants.
    pub fn instants(&self) -> impl Iterator<Item = usize> + '_ {
        let rows = if self.has_instants() { self.len() } else { 0 };
        (0..rows).filter(|&row| self.is_instant(row))
    }

    /// The number of spans.
    pub fn span_count(&self) -> usize {
        self.len() - self.instants().count()
    }
}

table! {
    /// Methods of method traces.
    MethodTable of
    /// A method.
    MethodRow {
        /// The id in the file.
        raw_id: u64,
        /// The class, dotted; as in the file otherwise.
        class: StringId,
        /// The method's name.
        name: StringId,
        /// Its signature, such as `(I)V`.
        signature: StringId,
        /// The source file, or empty.
        file: StringId,
        /// The line it starts at, -1 if unknown.
        line: i32,
        /// The input it came from.
        source: SourceId,
    }
}

table! {
    /// Values of counters over time. Sorted by (ts, arrival).
    CounterTable of
    /// The value from `ts` on.
    CounterRow {
        /// The time of the value, ns.
        ts: i64,
        /// The counter's track.
        track_id: TrackId,
        /// The value, in the counter's own unit.
        value: f64,
        /// Its arguments.
        arg_set_id: ArgSetId,
    }
}

table! {
    /// Values of counters that a 64-bit float cannot hold. Sorted by (ts, arrival).
    ExactCounterTable of
    /// The exact value of a row of counters, which has the same time and track and the nearest float.
    ExactCounterRow {
        /// The time of the value, ns.
        ts: i64,
        /// The counter's track.
        track_id: TrackId,
        /// The value.
        value: i64,
    }
}

table! {
    /// Arrows from slice to slice, such as a binder call and its reply.
    FlowTable of
    /// An arrow.
    FlowRow {
        /// Where it starts.
        slice_out: SliceId,
        /// Where it ends.
        slice_in: SliceId,
        /// What it is: `binder`, ….
        name: StringId,
        /// Its number in the input; [`NO_NUMBER`] if it has none.
        trace_id: i64,
    }
}

table! {
    /// Facts about the trace: key section, tracer header, device.
    MetadataTable of
    /// A fact.
    MetadataRow {
        /// The name of the fact.
        key: StringId,
        /// The value of the fact.
        value: StringId,
        /// The input it came from.
        source: SourceId,
    }
}
