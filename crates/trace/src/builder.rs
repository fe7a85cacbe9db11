//! The builder: what readers write a trace with.

use rustc_hash::FxHashMap;

use crate::args::ArgValue;
use crate::clock::ClockRow;
use crate::ids::{ArgSetId, ProcessId, RowId, SourceId, StringId, ThreadId, TrackId};
use crate::repair::{Place, RepairKind};
use crate::slices::OpenSlices;
use crate::tables::{
    CounterRow, FtraceEventRow, InstantRow, MetadataRow, NO_NUMBER, NO_TIME, ProcessRow, SourceRow,
    ThreadRow,
};
use crate::trace::Trace;
use crate::tracks::TrackIndex;

/// Fills the tables of a trace. Readers call it in the order of their input; it hands out row ids
/// and keeps the look-ups (tid to thread, pid to process, open slices) that readers share.
///
/// Threads, processes and tracks belong to the current source: equal tids of two files are two threads.
#[derive(Debug, Default)]
pub struct TraceBuilder {
    pub(crate) trace: Trace,
    pub(crate) source: SourceId,
    threads: FxHashMap<i64, ThreadId>,
    processes: FxHashMap<i64, ProcessId>,
    pub(crate) tracks: TrackIndex,
    pub(crate) open: OpenSlices,
    first_ts: Option<i64>,
    last_ts: i64,
}

impl TraceBuilder {
    /// An empty trace.
    pub fn new() -> Self {
        Self::default()
    }

    /// Begins an input: what follows belongs to it.
    pub fn begin_source(&mut self, name: &str, format: &str) -> SourceId {
        let row = SourceRow {
            name: self.trace.strings.intern(name),
            format: self.trace.strings.intern(format),
            bytes: 0,
        };
        self.source = SourceId::from_row(self.trace.sources.push(row));
        self.threads.clear();
        self.processes.clear();
        self.tracks.clear();
        self.source
    }

    /// The current source; one without a name is begun if there is none.
    pub fn source(&mut self) -> SourceId {
        if self.source == SourceId::NONE {
            self.begin_source("", "");
        }
        self.source
    }

    /// Notes how many bytes of the current source were read.
    pub fn add_source_bytes(&mut self, bytes: u64) {
        let row = self.source().row();
        *self.trace.sources.bytes.get_mut(row) += bytes;
    }

    /// What was built so far.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// The tables, for what has no method here (sched slices, flows, methods …).
    pub fn tables(&mut self) -> &mut Trace {
        &mut self.trace
    }

    /// The id of a name out of a file.
    #[inline]
    pub fn intern(&mut self, bytes: &[u8]) -> StringId {
        self.trace.strings.intern_bytes(bytes)
    }

    /// Widens the trace's bounds to hold `ts`. Rows with a time do this themselves.
    #[inline]
    pub fn saw_time(&mut self, ts: i64) {
        match self.first_ts {
            None => (self.first_ts, self.last_ts) = (Some(ts), ts),
            Some(first) if ts < first => self.first_ts = Some(ts),
            Some(_) if ts > self.last_ts => self.last_ts = ts,
            Some(_) => {}
        }
    }

    /// The oldest time seen, ns; `None` before any.
    pub fn first_ts(&self) -> Option<i64> {
        self.first_ts
    }

    /// The newest time seen, ns.
    pub fn last_ts(&self) -> i64 {
        self.last_ts
    }

    /// The thread that has `tid` now; made if there is none.
    #[inline]
    pub fn thread(&mut self, tid: i64) -> ThreadId {
        match self.threads.get(&tid) {
            Some(&utid) => utid,
            None => self.new_thread(tid),
        }
    }

    /// The thread that has `tid` now, if there is one.
    pub fn find_thread(&self, tid: i64) -> Option<ThreadId> {
        self.threads.get(&tid).copied()
    }

    /// A new thread with `tid`, which takes the number over from an earlier one.
    pub fn new_thread(&mut self, tid: i64) -> ThreadId {
        let row = ThreadRow {
            tid,
            name: StringId::EMPTY,
            upid: ProcessId::NONE,
            is_main_thread: false,
            start_ts: NO_TIME,
            end_ts: NO_TIME,
            source: self.source(),
        };
        let utid = ThreadId::from_row(self.trace.threads.push(row));
        self.threads.insert(tid, utid);
        utid
    }

    /// The thread ended: the next use of its tid is a new thread.
    pub fn end_thread(&mut self, utid: ThreadId, ts: i64) {
        let tid = self.trace.threads.tid.get(utid.row());
        *self.trace.threads.end_ts.get_mut(utid.row()) = ts;
        if self.threads.get(&tid) == Some(&utid) {
            self.threads.remove(&tid);
        }
        let upid = self.trace.threads.upid.get(utid.row());
        if upid != ProcessId::NONE && self.trace.threads.is_main_thread.get(utid.row()) {
            *self.trace.processes.end_ts.get_mut(upid.row()) = ts;
            let pid = self.trace.processes.pid.get(upid.row());
            if self.processes.get(&pid) == Some(&upid) {
                self.processes.remove(&pid);
            }
        }
    }

    /// Names a thread; an empty name changes nothing.
    #[inline]
    pub fn name_thread(&mut self, utid: ThreadId, name: StringId) {
        if !name.is_empty() {
            *self.trace.threads.name.get_mut(utid.row()) = name;
        }
    }

    /// The process that has `pid` now; made if there is none.
    pub fn process(&mut self, pid: i64) -> ProcessId {
        match self.processes.get(&pid) {
            Some(&upid) => upid,
            None => self.new_process(pid),
        }
    }

    /// A new process with `pid`, which takes the number over from an earlier one.
    pub fn new_process(&mut self, pid: i64) -> ProcessId {
        let row = ProcessRow {
            pid,
            name: StringId::EMPTY,
            cmdline: StringId::EMPTY,
            uid: NO_NUMBER,
            ppid: NO_NUMBER,
            start_ts: NO_TIME,
            end_ts: NO_TIME,
            source: self.source(),
        };
        let upid = ProcessId::from_row(self.trace.processes.push(row));
        self.processes.insert(pid, upid);
        upid
    }

    /// Says that `utid` belongs to the process with `pid`.
    pub fn put_in_process(&mut self, utid: ThreadId, pid: i64) -> ProcessId {
        let upid = self.process(pid);
        let threads = &mut self.trace.threads;
        *threads.upid.get_mut(utid.row()) = upid;
        *threads.is_main_thread.get_mut(utid.row()) = threads.tid.get(utid.row()) == pid;
        upid
    }

    /// Names a process; an empty name changes nothing.
    pub fn name_process(&mut self, upid: ProcessId, name: StringId) {
        if !name.is_empty() {
            *self.trace.processes.name.get_mut(upid.row()) = name;
        }
    }

    /// Adds a counter value.
    #[inline]
    pub fn counter(&mut self, track_id: TrackId, ts: i64, value: f64) {
        self.saw_time(ts);
        self.trace.counters.push(CounterRow {
            ts,
            track_id,
            value,
        });
    }

    /// Adds a point in time.
    pub fn instant(&mut self, track_id: TrackId, ts: i64, name: StringId, arg_set_id: ArgSetId) {
        self.saw_time(ts);
        self.trace.instants.push(InstantRow {
            ts,
            track_id,
            name,
            arg_set_id,
        });
    }

    /// Adds an event that has no table of its own.
    pub fn ftrace_event(&mut self, row: FtraceEventRow) {
        self.saw_time(row.ts);
        self.trace.ftrace_events.push(row);
    }

    /// Stores a set of arguments.
    pub fn args(&mut self, args: impl IntoIterator<Item = (StringId, ArgValue)>) -> ArgSetId {
        self.trace.args.push_set(args)
    }

    /// Notes a fact about the current source.
    pub fn metadata(&mut self, key: &str, value: &str) {
        let row = MetadataRow {
            key: self.trace.strings.intern(key),
            value: self.trace.strings.intern(value),
            source: self.source(),
        };
        self.trace.metadata.push(row);
    }

    /// Notes a sync point. The row's source becomes the current one.
    pub fn clock(&mut self, row: ClockRow) {
        let source = self.source();
        self.trace.clocks.push(ClockRow { source, ..row });
    }

    /// Counts repairs of the current source; `detail` is asked for the first time only.
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

    /// Puts all tables in order of time and hands the trace over. Slices that are still open stay
    /// without a duration and are counted.
    pub fn finish(mut self) -> Trace {
        self.count_open_slices();
        self.count_replaced_names();
        self.trace.bounds = (self.first_ts.unwrap_or(0), self.last_ts);
        crate::order::order_tables(&mut self.trace);
        self.trace
    }

    fn count_replaced_names(&mut self) {
        let replaced = self.trace.strings.replaced();
        if replaced > 0 {
            self.repair(
                RepairKind::InvalidUtf8,
                replaced,
                Place::default(),
                String::new,
            );
        }
    }
}
