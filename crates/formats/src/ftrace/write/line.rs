//! Prints single lines.

use std::io::{self, Write};

use rustc_hash::{FxHashMap, FxHashSet};
use traceloom_trace::{
    NO_NUMBER, NO_TIME, ProcessId, RowId, StringId, ThreadId, Trace, TrackId, TrackRow,
};

use super::exact::ExactValues;
use super::names::Names;
use super::plan::{Kind, Line, Plan};

/// The column of flags if they are unknown.
pub(super) const NO_FLAGS: &str = "....";

/// CPU and priority of a thread without switches: nice 0.
const NOWHERE: (u32, i32) = (0, 120);

/// Prints lines in order of time, and tracks where threads ran last.
pub(super) struct Printer<'p> {
    pub(super) plan: &'p Plan<'p>,
    pub(super) names: Names<'p>,
    pub(super) exact: ExactValues,
    /// The last CPU and priority of each thread.
    last: Vec<(u32, i32)>,
    /// The thread that runs on each CPU.
    running: FxHashMap<u32, ThreadId>,
    /// Added to all times so that none is negative, which the text cannot express.
    shift: i64,
    /// The number for processes without one: that of the trace, otherwise 1, which is the main
    /// thread's in ART.
    default_pid: i64,
    pub(super) idle: ThreadId,
    /// The thread of kernel events whose thread is unknown.
    pub(super) stand_in: ThreadId,
}

impl<'p> Printer<'p> {
    pub fn new(plan: &'p Plan<'p>) -> Self {
        let trace = plan.trace;
        let mut first = vec![None; trace.threads.len()];
        for slice in trace.sched_slices.rows() {
            if let Some(first) = first.get_mut(slice.utid.row()) {
                first.get_or_insert((slice.cpu, slice.priority));
            }
        }
        let last = first.into_iter().map(|place| place.unwrap_or(NOWHERE));
        let pid = trace.metadata("pid").and_then(|pid| pid.parse().ok());
        let start = plan.lines.first().map_or(0, |line| line.ts);
        Self {
            plan,
            names: Names::new(trace),
            exact: ExactValues::new(trace),
            last: last.collect(),
            running: FxHashMap::default(),
            shift: start.min(0).saturating_neg(),
            default_pid: pid.unwrap_or(1),
            idle: ThreadId::IDLE,
            stand_in: stand_in(trace, ThreadId::IDLE),
        }
    }

    pub fn print(&mut self, line: Line, out: &mut impl Write) -> io::Result<()> {
        match line.kind {
            Kind::Begin | Kind::BeginAgain => self.begin(line, out)?,
            Kind::End => self.end(line, out)?,
            Kind::EndMark => self.end_mark(line, out)?,
            Kind::Counter => self.counter(line, out)?,
            Kind::Instant => self.instant(line, out)?,
            Kind::Event => self.event(line, out)?,
            Kind::Clock => self.clock(line, out)?,
            Kind::Switch => self.switch(line, out)?,
            Kind::Woken => self.woken(line, out)?,
            Kind::Waking => self.wake(line, "sched_waking", out)?,
            Kind::Wakeup => self.wake(line, "sched_wakeup", out)?,
            Kind::Birth => self.wake(line, "sched_wakeup_new", out)?,
            Kind::Blocked => self.blocked(line, out)?,
        }
        out.write_all(b"\n")
    }

    /// Records that a thread runs on a CPU from here on.
    pub(super) fn runs(&mut self, cpu: u32, utid: ThreadId, priority: i32) {
        self.running.insert(cpu, utid);
        if let Some(last) = self.last.get_mut(utid.row()) {
            *last = (cpu, priority);
        }
    }

    /// `comm-tid (tgid) [cpu] flags time: `. If the CPU is unknown, it is the one on which the thread ran last.
    pub(super) fn front(
        &self,
        ts: i64,
        utid: ThreadId,
        cpu: Option<u32>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let cpu = cpu.unwrap_or_else(|| self.last_of(utid).0);
        self.flagged_front(ts, utid, cpu, NO_FLAGS, out)
    }

    /// The same, with flags.
    pub(super) fn flagged_front(
        &self,
        ts: i64,
        utid: ThreadId,
        cpu: u32,
        flags: &str,
        out: &mut impl Write,
    ) -> io::Result<()> {
        write!(out, "{:>16}-{:<7} ", self.comm(utid), self.tid(utid))?;
        match self.pid(utid) {
            Some(pid) => write!(out, "({pid:>7})")?,
            None => out.write_all(b"(-------)")?,
        }
        self.time(cpu, ts, flags, out)
    }

    /// The columns of a line that is written for a process: those of its thread in the plan, or of
    /// an invented main thread if it has no threads.
    pub(super) fn process_front(
        &self,
        ts: i64,
        upid: ProcessId,
        out: &mut impl Write,
    ) -> io::Result<i64> {
        let pid = upid
            .some()
            .map_or(self.default_pid, |upid| self.number(upid));
        match self.plan.writers.get(&upid) {
            None if upid == ProcessId::NONE => self.front(ts, self.idle, None, out)?,
            Some(&utid) => self.front(ts, utid, None, out)?,
            None => {
                write!(out, "{:>16}-{pid:<7} ({pid:>7})", "<...>")?;
                self.time(NOWHERE.0, ts, NO_FLAGS, out)?;
            }
        }
        Ok(pid)
    }

    /// The main thread of a process, if it is in the trace.
    pub(super) fn main_thread(&self, upid: ProcessId) -> Option<ThreadId> {
        let utid = *self.plan.writers.get(&upid.some()?)?;
        let is_main = self.plan.trace.threads.is_main_thread.get(utid.row());
        is_main.then_some(utid)
    }

    /// The columns of a kernel event: its thread, or the one running on its CPU.
    pub(super) fn kernel_front(
        &self,
        ts: i64,
        track: TrackRow,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let cpu = u32::try_from(track.cpu).ok();
        let running = cpu.and_then(|cpu| self.running.get(&cpu).copied());
        let utid = track.utid.some().or(running).unwrap_or(self.idle);
        self.front(ts, utid, cpu, out)
    }

    fn time(&self, cpu: u32, ts: i64, flags: &str, out: &mut impl Write) -> io::Result<()> {
        let micros = ts.saturating_add(self.shift) / 1_000;
        let (seconds, micros) = (micros / 1_000_000, micros % 1_000_000);
        write!(out, " [{cpu:03}] {flags} {seconds:>5}.{micros:06}: ")
    }

    pub(super) fn text(&self, id: StringId) -> &'p str {
        self.plan.trace.strings.get(id)
    }

    pub(super) fn last_of(&self, utid: ThreadId) -> (u32, i32) {
        self.last.get(utid.row()).copied().unwrap_or(NOWHERE)
    }

    pub(super) fn tid(&self, utid: ThreadId) -> i64 {
        match utid.some() {
            Some(utid) => self.plan.trace.threads.tid.get(utid.row()),
            None => 0,
        }
    }

    fn pid(&self, utid: ThreadId) -> Option<i64> {
        let upid = self.plan.trace.threads.upid.get(utid.some()?.row());
        Some(self.number(upid.some()?))
    }

    fn number(&self, upid: ProcessId) -> i64 {
        match self.plan.trace.processes.pid.get(upid.row()) {
            NO_NUMBER => self.default_pid,
            pid => pid,
        }
    }

    /// The process number in a marker; 0 if the process is unknown.
    pub(super) fn mark_pid(&self, utid: ThreadId) -> i64 {
        self.pid(utid).unwrap_or(0)
    }

    /// The name in the first column.
    pub(super) fn comm(&self, utid: ThreadId) -> String {
        let name = match utid.some() {
            _ if self.tid(utid) == 0 => return "<idle>".to_owned(),
            Some(utid) => self.text(self.plan.trace.threads.name.get(utid.row())),
            None => "",
        };
        match name {
            "" => "<...>".to_owned(),
            name => clean(name).into_owned(),
        }
    }

    pub(super) fn track(&self, track: TrackId) -> TrackRow {
        self.plan.trace.tracks.row(track.row())
    }

    pub(super) fn owner(&self, track: TrackRow) -> ProcessId {
        match track.utid.some() {
            Some(utid) => self.plan.trace.threads.upid.get(utid.row()),
            None => track.upid,
        }
    }

    /// The name of a track, unless it equals that of its slices.
    pub(super) fn lane_name(&self, track: TrackRow) -> Option<String> {
        let name = clean(self.text(track.name));
        let own = !track.kind.is_process_async() && !name.is_empty();
        own.then(|| name.into_owned())
    }
}

/// The idle thread, unless it has slices of kernel events. An event in its name could end such a slice, so another
/// thread is used that has no such slices and lived all the time. A main thread without a name is not used, because
/// `process_front` invents such threads: the trace that is read from the text would use one that this trace lacks.
fn stand_in(trace: &Trace, idle: ThreadId) -> ThreadId {
    let tracks = trace.tracks.rows();
    let mut beside = tracks.filter(|track| track.kind.is_beside_thread());
    if !beside.any(|track| track.utid == idle) {
        return idle;
    }
    let tracks = trace.slices.track_id.iter();
    let tracks = tracks.map(|track| trace.tracks.row(track.row()));
    let tracks = tracks.filter(|track| track.kind.is_beside_thread());
    let busy: FxHashSet<ThreadId> = tracks.map(|track| track.utid).collect();
    if !busy.contains(&idle) {
        return idle;
    }
    let threads = trace.threads.rows().enumerate();
    let mut whole = threads
        .filter(|(_, thread)| thread.start_ts == NO_TIME && thread.end_ts == NO_TIME)
        .filter(|(_, thread)| !(thread.is_main_thread && thread.name.is_empty()))
        .map(|(row, _)| ThreadId::from_row(row));
    whole.find(|utid| !busy.contains(utid)).unwrap_or(idle)
}

/// A name without characters that would end the line.
pub(super) fn clean(name: &str) -> std::borrow::Cow<'_, str> {
    if name.contains(['\n', '\r', '\0']) {
        name.replace(['\n', '\r', '\0'], " ").into()
    } else {
        name.into()
    }
}
