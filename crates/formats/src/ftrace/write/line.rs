//! Prints single lines.

use std::io::{self, Write};

use rustc_hash::FxHashMap;
use traceloom_trace::{
    ClockKind, NO_NUMBER, ProcessId, RowId, SliceId, StringId, ThreadId, TrackId, TrackKind,
    TrackRow,
};

use super::binder::{RECEIVED, Role, SENT};
use super::fields::{Part, write_fields};
use super::kernel;
use super::plan::{Kind, Line, Plan, to_whole_ms};

/// CPU and priority of a thread without switches: nice 0.
const NOWHERE: (u32, i32) = (0, 120);

/// Prints lines in order of time, and tracks where threads ran last.
pub(super) struct Printer<'p> {
    plan: &'p Plan<'p>,
    /// The last CPU and priority of each thread.
    last: Vec<(u32, i32)>,
    /// The thread that runs on each CPU.
    running: FxHashMap<u32, ThreadId>,
    /// Added to all times so that none is negative, which the text cannot express.
    shift: i64,
    /// The number for processes without one: the trace's own, otherwise 1, the main thread's in
    /// ART.
    default_pid: i64,
    idle: ThreadId,
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
        let idle = trace.threads.tid.iter().position(|tid| tid == 0);
        Self {
            plan,
            last: last.collect(),
            running: FxHashMap::default(),
            shift: start.min(0).saturating_neg(),
            default_pid: pid.unwrap_or(1),
            idle: idle.map_or(ThreadId::NONE, ThreadId::from_row),
        }
    }

    pub fn print(&mut self, line: Line, out: &mut impl Write) -> io::Result<()> {
        let row = line.row as usize;
        match line.kind {
            Kind::Begin => self.begin(line, out)?,
            Kind::End => self.end(line, out)?,
            Kind::Counter => self.counter(line, out)?,
            Kind::Instant => self.instant(line, out)?,
            Kind::Event => self.event(line, out)?,
            Kind::Clock => self.clock(line, out)?,
            Kind::Switch => self.switch(line, out)?,
            Kind::Waking => self.wake(line, "sched_waking", out)?,
            Kind::Wakeup => self.wake(line, "sched_wakeup", out)?,
            Kind::Birth => self.wake(line, "sched_wakeup_new", out)?,
            Kind::Blocked => {
                let state = self.plan.trace.thread_states.row(row);
                self.front(line.ts, self.idle, None, out)?;
                write!(
                    out,
                    "sched_blocked_reason: pid={} iowait={} caller={}",
                    self.tid(state.utid),
                    state.io_wait,
                    self.text(state.blocked_function)
                )?;
            }
        }
        out.write_all(b"\n")
    }

    /// `comm-tid (tgid) [cpu] flags time: `
    fn front(
        &self,
        ts: i64,
        utid: ThreadId,
        cpu: Option<u32>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let cpu = cpu.unwrap_or_else(|| self.last_of(utid).0);
        write!(out, "{:>16}-{:<7} ", self.comm(utid), self.tid(utid))?;
        match self.pid(utid) {
            Some(pid) => write!(out, "({pid:>7})")?,
            None => out.write_all(b"(-------)")?,
        }
        self.time(cpu, ts, out)
    }

    /// The columns of a line written for a process: those of its thread in the plan, or of a
    /// made-up main thread if it has no threads.
    fn process_front(&self, ts: i64, upid: ProcessId, out: &mut impl Write) -> io::Result<i64> {
        let pid = upid
            .some()
            .map_or(self.default_pid, |upid| self.number(upid));
        match self.plan.writers.get(&upid) {
            None if upid == ProcessId::NONE => self.front(ts, self.idle, None, out)?,
            Some(&utid) => self.front(ts, utid, None, out)?,
            None => {
                write!(out, "{:>16}-{pid:<7} ({pid:>7})", "<...>")?;
                self.time(0, ts, out)?;
            }
        }
        Ok(pid)
    }

    /// The columns of a kernel event: its thread, or the one running on its CPU.
    fn kernel_front(&self, ts: i64, track: TrackRow, out: &mut impl Write) -> io::Result<()> {
        let cpu = u32::try_from(track.cpu).ok();
        let running = cpu.and_then(|cpu| self.running.get(&cpu).copied());
        let utid = track.utid.some().or(running).unwrap_or(self.idle);
        self.front(ts, utid, cpu, out)
    }

    fn time(&self, cpu: u32, ts: i64, out: &mut impl Write) -> io::Result<()> {
        let micros = ts.saturating_add(self.shift) / 1_000;
        let (seconds, micros) = (micros / 1_000_000, micros % 1_000_000);
        write!(out, " [{cpu:03}] .... {seconds:>5}.{micros:06}: ")
    }

    fn begin(&self, line: Line, out: &mut impl Write) -> io::Result<()> {
        let slice = SliceId(line.row);
        let track_id = self.plan.trace.slices.track_id.get(slice.row());
        let name = self.plan.trace.slice_name(slice);
        let name = clean(&name);
        let track = self.track(track_id);
        if let (TrackKind::Thread, Some(utid)) = (track.kind, track.utid.some()) {
            self.front(line.ts, utid, None, out)?;
            if let Some(&role) = self.plan.binder.get(&slice) {
                return self.binder_begin(slice, role, out);
            }
            return write!(out, "tracing_mark_write: B|{}|{name}", self.mark_pid(utid));
        }
        if let Some(pair) = kernel::pair(track, self.text(track.name), &name) {
            self.kernel_front(line.ts, track, out)?;
            write!(out, "{}: ", pair.begin)?;
            let args = self.plan.trace.slices.arg_set_id.get(slice.row());
            return write_fields(self.plan.trace, pair.begin, args, Part::Begin, out);
        }
        let pid = self.process_front(line.ts, self.owner(track), out)?;
        match self.lane_name(track) {
            Some(lane) => write!(
                out,
                "tracing_mark_write: G|{pid}|{lane}|{name}|{}",
                line.row
            ),
            None => write!(out, "tracing_mark_write: S|{pid}|{name}|{}", line.row),
        }
    }

    fn end(&self, line: Line, out: &mut impl Write) -> io::Result<()> {
        let slice = SliceId(line.row);
        let track = self.track(self.plan.trace.slices.track_id.get(slice.row()));
        if let (TrackKind::Thread, Some(utid)) = (track.kind, track.utid.some()) {
            self.front(line.ts, utid, None, out)?;
            match self.plan.binder.get(&slice) {
                Some(Role::Call {
                    answer: Some(answer),
                }) => return write!(out, "{RECEIVED}: transaction={answer}"),
                Some(Role::Reply { .. }) => {
                    write!(out, "{SENT}: ")?;
                    let args = self.plan.trace.slices.arg_set_id.get(slice.row());
                    return write_fields(self.plan.trace, SENT, args, Part::Last, out);
                }
                _ => {}
            }
            return write!(out, "tracing_mark_write: E|{}", self.mark_pid(utid));
        }
        let name = self.plan.trace.slice_name(slice);
        if let Some(pair) = kernel::pair(track, self.text(track.name), &name) {
            self.kernel_front(line.ts, track, out)?;
            write!(out, "{}: ", pair.end)?;
            let args = self.plan.trace.slices.arg_set_id.get(slice.row());
            return write_fields(self.plan.trace, pair.end, args, Part::End, out);
        }
        let pid = self.process_front(line.ts, self.owner(track), out)?;
        match self.lane_name(track) {
            Some(lane) => write!(out, "tracing_mark_write: H|{pid}|{lane}|{}", line.row),
            None => {
                let name = clean(&name);
                write!(out, "tracing_mark_write: F|{pid}|{name}|{}", line.row)
            }
        }
    }

    fn binder_begin(&self, slice: SliceId, role: Role, out: &mut impl Write) -> io::Result<()> {
        match role {
            Role::Call { .. } | Role::OneWay => {
                write!(out, "{SENT}: ")?;
                let args = self.plan.trace.slices.arg_set_id.get(slice.row());
                write_fields(self.plan.trace, SENT, args, Part::All, out)
            }
            Role::Reply { call } | Role::Arrival { call } => {
                write!(out, "{RECEIVED}: transaction={call}")
            }
        }
    }

    fn counter(&self, line: Line, out: &mut impl Write) -> io::Result<()> {
        let row = self.plan.trace.counters.row(line.row as usize);
        let track = self.track(row.track_id);
        let name = self.text(track.name);
        let event = kernel::frequency_limits(self.plan.trace, line.row as usize)
            .or_else(|| kernel::counter(track, name, row.value));
        if let Some(event) = event {
            let cpu = u32::try_from(track.cpu).ok();
            self.front(line.ts, self.idle, cpu, out)?;
            return out.write_all(clean(&event).as_bytes());
        }
        let pid = self.process_front(line.ts, self.owner(track), out)?;
        let name = clean(name);
        write!(out, "tracing_mark_write: C|{pid}|{name}")?;
        if track.cpu != NO_NUMBER {
            write!(out, " {}", track.cpu)?;
        }
        write!(out, "|{}", row.value)?;
        match self.text(track.category) {
            "" => Ok(()),
            category => write!(out, "|{}", clean(category)),
        }
    }

    fn instant(&self, line: Line, out: &mut impl Write) -> io::Result<()> {
        let row = self.plan.trace.instants.row(line.row as usize);
        let track = self.track(row.track_id);
        let name = clean(self.text(row.name));
        if let (TrackKind::Thread, Some(utid)) = (track.kind, track.utid.some()) {
            self.front(line.ts, utid, None, out)?;
            return write!(out, "tracing_mark_write: I|{}|{name}", self.mark_pid(utid));
        }
        let pid = self.process_front(line.ts, self.owner(track), out)?;
        let lane = clean(self.text(track.name));
        write!(out, "tracing_mark_write: N|{pid}|{lane}|{name}")
    }

    fn event(&self, line: Line, out: &mut impl Write) -> io::Result<()> {
        let row = self.plan.trace.ftrace_events.row(line.row as usize);
        let name = self.text(row.name);
        self.front(line.ts, row.utid, Some(row.cpu), out)?;
        write!(out, "{name}: ")?;
        write_fields(self.plan.trace, name, row.arg_set_id, Part::All, out)
    }

    fn clock(&self, line: Line, out: &mut impl Write) -> io::Result<()> {
        const SYNC: &str = "tracing_mark_write: trace_event_clock_sync:";
        let row = &self.plan.trace.clocks[line.row as usize];
        let speaker = if self.plan.trace.threads.is_empty() {
            ThreadId::NONE
        } else {
            ThreadId::from_row(0)
        };
        self.front(line.ts, speaker, None, out)?;
        let micros = row.value_ns / 1_000;
        let (seconds, fraction) = (micros / 1_000_000, micros % 1_000_000);
        match row.clock {
            ClockKind::Trace => write!(out, "{SYNC} name={}", clean(&row.name)),
            ClockKind::Realtime => {
                let value_ns = row.value_ns.saturating_add(to_whole_ms(row));
                write!(out, "{SYNC} realtime_ts={}", value_ns / 1_000_000)
            }
            _ => write!(out, "{SYNC} parent_ts={seconds}.{fraction:06}"),
        }
    }

    fn switch(&mut self, line: Line, out: &mut impl Write) -> io::Result<()> {
        let switch = self.plan.switches[line.row as usize];
        let priority = match switch.prev_priority {
            120 => self.last_of(switch.prev).1,
            priority => priority,
        };
        self.front(line.ts, switch.prev, Some(switch.cpu), out)?;
        write!(
            out,
            "sched_switch: prev_comm={} prev_pid={} prev_prio={priority} prev_state={} ==> \
             next_comm={} next_pid={} next_prio={}",
            self.sched_comm(switch.prev, switch.cpu),
            self.tid(switch.prev),
            switch.prev_state,
            self.sched_comm(switch.next, switch.cpu),
            self.tid(switch.next),
            switch.next_priority,
        )?;
        self.running.insert(switch.cpu, switch.next);
        if let Some(last) = self.last.get_mut(switch.next.row()) {
            *last = (switch.cpu, switch.next_priority);
        }
        Ok(())
    }

    fn wake(&self, line: Line, event: &str, out: &mut impl Write) -> io::Result<()> {
        let state = self.plan.trace.thread_states.row(line.row as usize);
        let waker = state.waker_utid.some().unwrap_or(self.idle);
        let (cpu, priority) = self.last_of(state.utid);
        self.front(line.ts, waker, None, out)?;
        write!(
            out,
            "{event}: comm={} pid={} prio={priority} target_cpu={cpu:03}",
            self.comm(state.utid),
            self.tid(state.utid),
        )
    }

    fn text(&self, id: StringId) -> &'p str {
        self.plan.trace.strings.get(id)
    }

    fn last_of(&self, utid: ThreadId) -> (u32, i32) {
        self.last.get(utid.row()).copied().unwrap_or(NOWHERE)
    }

    fn tid(&self, utid: ThreadId) -> i64 {
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
    fn mark_pid(&self, utid: ThreadId) -> i64 {
        self.pid(utid).unwrap_or(0)
    }

    /// The name in the first column.
    fn comm(&self, utid: ThreadId) -> String {
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

    /// The name inside a switch, where idle threads have one for each CPU.
    fn sched_comm(&self, utid: ThreadId, cpu: u32) -> String {
        if self.tid(utid) == 0 {
            return format!("swapper/{cpu}");
        }
        self.comm(utid)
    }

    fn track(&self, track: TrackId) -> TrackRow {
        self.plan.trace.tracks.row(track.row())
    }

    fn owner(&self, track: TrackRow) -> ProcessId {
        match track.utid.some() {
            Some(utid) => self.plan.trace.threads.upid.get(utid.row()),
            None => track.upid,
        }
    }

    /// The name of a track, unless it is just that of its slices.
    fn lane_name(&self, track: TrackRow) -> Option<String> {
        let name = clean(self.text(track.name));
        let own = track.kind != TrackKind::ProcessAsync && !name.is_empty();
        own.then(|| name.into_owned())
    }
}

/// A name without characters that would end the line.
fn clean(name: &str) -> std::borrow::Cow<'_, str> {
    if name.contains(['\n', '\r', '\0']) {
        name.replace(['\n', '\r', '\0'], " ").into()
    } else {
        name.into()
    }
}
