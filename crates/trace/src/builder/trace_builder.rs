//! The builder's state: the tables so far, the current source, and the trace's bounds.

use rustc_hash::FxHashMap;

use crate::align::{Alignment, ClockIndex};
use crate::clock::ClockRow;

use super::lookups::{OpenSlices, TrackIndex};
use crate::ids::{ProcessId, RowId, SourceId, StringId, ThreadId};
use crate::repair::{Place, RepairKind};
use crate::tables::SourceRow;
use crate::trace::Trace;

/// Fills the tables of a trace. Readers call it in the order of their input. It returns row ids, and
/// keeps the lookups that readers share: tid to thread, pid to process, and the open slices of each track.
///
/// Threads, processes and tracks belong to the current source: the same tid in two files means two threads.
///
/// Methods that take an id panic if the id is not from this builder.
#[derive(Debug, Default)]
pub struct TraceBuilder {
    pub(crate) trace: Trace,
    pub(crate) source: SourceId,
    pub(super) threads: FxHashMap<i64, ThreadId>,
    pub(super) processes: FxHashMap<i64, ProcessId>,
    pub(super) tracks: TrackIndex,
    pub(super) open: OpenSlices,
    /// Late rows of thread states. Among rows of the same time, a late row is placed before the nth row. Late rows
    /// with the same n are ordered by the second number.
    pub(crate) late_states: FxHashMap<u32, (u32, u32)>,
    /// Threads whose process no event named, and where they were named first.
    missing_tgids: Vec<(SourceId, ThreadId, Place)>,
    first_ts: Option<i64>,
    last_ts: i64,
    clocks: ClockIndex,
}

impl TraceBuilder {
    /// Creates a builder with an empty trace.
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts a new input: everything added from now on belongs to it.
    pub fn begin_source(&mut self, name: &str, format: &str) -> SourceId {
        let row = SourceRow {
            name: self.trace.strings.intern_unless_empty(name),
            format: self.trace.strings.intern_unless_empty(format),
            bytes: 0,
            machine: 0,
        };
        self.source = SourceId::from_row(self.trace.sources.push(row));
        // Clearing them would take as long as the largest earlier source.
        self.threads = FxHashMap::default();
        self.processes = FxHashMap::default();
        self.tracks = TrackIndex::default();
        self.source
    }

    /// Makes the last source the current one, after sources were appended. Its threads and processes are complete.
    pub(crate) fn continue_last_source(&mut self) {
        if let Some(last) = self.trace.sources.len().checked_sub(1) {
            self.source = SourceId::from_row(last);
            self.threads = FxHashMap::default();
            self.processes = FxHashMap::default();
            self.tracks = TrackIndex::default();
        }
    }

    /// Sets the machine of the current source; 0 is the machine that recorded.
    pub fn set_machine(&mut self, machine: i64) {
        let row = self.source().row();
        *self.trace.sources.machine.get_mut(row) = machine;
    }

    /// The current source. Starts one without a name if there is none.
    pub fn source(&mut self) -> SourceId {
        if self.source == SourceId::NONE {
            self.begin_source("", "");
        }
        self.source
    }

    /// Adds to the number of bytes read from the current source.
    pub fn add_source_bytes(&mut self, bytes: u64) {
        let row = self.source().row();
        *self.trace.sources.bytes.get_mut(row) += bytes;
    }

    /// The trace built so far.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// The id of a string read from a file. Bytes that are not UTF-8 are replaced and counted as a repair.
    #[inline]
    pub fn intern(&mut self, bytes: &[u8]) -> StringId {
        self.trace.strings.intern_bytes(bytes)
    }

    /// The id of a string read from a file; [`StringId::NULL`] if it is empty. For formats that write an empty
    /// text for an absent one.
    pub fn intern_unless_empty(&mut self, bytes: &[u8]) -> StringId {
        match bytes {
            b"" => StringId::NULL,
            bytes => self.intern(bytes),
        }
    }

    /// Sets `last` to the id of `bytes`. Faster than [`intern`](Self::intern) if the string equals that of `last`: no
    /// lookup is needed.
    #[inline(never)]
    pub fn intern_cached(&mut self, last: &mut StringId, bytes: &[u8]) {
        if last.is_none() || !self.trace.strings.is(*last, bytes) {
            *last = self.trace.strings.intern_bytes(bytes);
        }
    }

    /// Widens the trace's bounds to include `ts`, ns. Methods that add a row with a time call this themselves.
    #[inline]
    pub fn saw_time(&mut self, ts: i64) {
        match self.first_ts {
            None => (self.first_ts, self.last_ts) = (Some(ts), ts),
            Some(first) if ts < first => self.first_ts = Some(ts),
            Some(_) if ts > self.last_ts => self.last_ts = ts,
            Some(_) => {}
        }
    }

    /// The earliest time seen, ns; `None` if no time was seen.
    pub fn first_ts(&self) -> Option<i64> {
        self.first_ts
    }

    /// The latest time seen, ns.
    pub fn last_ts(&self) -> i64 {
        self.last_ts
    }

    /// Determines how to place a trace with these clocks on the time line, like
    /// [`align_clocks`](crate::align_clocks).
    pub fn align_clocks(&mut self, other: &[ClockRow]) -> Option<Alignment> {
        self.clocks.notice(&self.trace.clocks);
        self.clocks.align(&self.trace.clocks, other)
    }

    /// The first clock snapshot with a name.
    pub fn clock_named(&mut self, name: &str) -> Option<&ClockRow> {
        self.clocks.notice(&self.trace.clocks);
        self.trace.clocks.get(self.clocks.named(name)?)
    }

    /// Counts repairs of the current source. `detail` is only called for the first repair of a kind.
    pub fn repair(
        &mut self,
        kind: RepairKind,
        count: u64,
        place: Place,
        detail: impl FnOnce() -> String,
    ) {
        let source = self.source();
        self.trace.repairs.add(source, kind, count, place, detail);
    }

    /// Counts repairs of the container that the sources are in. They belong to none of the sources.
    pub fn repair_container(
        &mut self,
        kind: RepairKind,
        count: u64,
        place: Place,
        detail: impl FnOnce() -> String,
    ) {
        let repairs = &mut self.trace.repairs;
        repairs.add(SourceId::NONE, kind, count, place, detail);
    }

    /// Notes a thread whose process no event named. It is counted at the end, because a later process dump may name
    /// the process.
    pub fn missing_tgid(&mut self, utid: ThreadId, first: Place) {
        let source = self.source();
        self.missing_tgids.push((source, utid, first));
    }

    /// Sorts all tables by time, nests the instants and returns the trace. Slices that are still open have no duration
    /// and are counted as repairs.
    pub fn finish(mut self) -> Trace {
        self.count_missing_tgids();
        self.count_open_slices();
        self.count_replaced_names();
        self.trace.bounds = (self.first_ts.unwrap_or(0), self.last_ts);
        crate::order::order_states(&mut self.trace, &self.late_states);
        self.trace.put_in_order();
        self.trace
    }

    fn count_missing_tgids(&mut self) {
        for (source, utid, first) in std::mem::take(&mut self.missing_tgids) {
            let thread = self.trace.threads.row(utid.row());
            let kind = match thread.upid.some() {
                Some(_) => RepairKind::MissingTgid,
                None => RepairKind::UnknownProcess,
            };
            let repairs = &mut self.trace.repairs;
            repairs.add(source, kind, 1, first, || format!("thread {}", thread.tid));
        }
    }

    fn count_open_slices(&mut self) {
        let mut repairs = std::mem::take(&mut self.trace.repairs);
        for id in self.open.all() {
            let row = self.trace.slices.row(id.row());
            let source = self.trace.tracks.source.get(row.track_id.row());
            let place = Place::default().with_ts(row.ts);
            repairs.add(source, RepairKind::NeverClosed, 1, place, || {
                self.trace.slice_name(id)
            });
        }
        self.trace.repairs = repairs;
    }

    fn count_replaced_names(&mut self) {
        let replaced = self.trace.strings.replaced();
        if replaced > 0 {
            let place = Place::default();
            self.repair(RepairKind::InvalidUtf8, replaced, place, String::new);
        }
    }
}
