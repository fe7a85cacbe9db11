//! Prints counters, instants, kernel events and clocks.

use std::io::{self, Write};

use traceloom_trace::{ClockKind, NO_CPU, NO_NUMBER, RowId};

use super::fields::{Part, write_fields};
use super::kernel;
use super::line::{Printer, clean};
use super::plan::{Line, to_whole_ms};

/// The counter of a kernel event that also has a thread.
const OOM_SCORE: &str = "oom_score_adj";

impl Printer<'_> {
    pub(super) fn counter(&mut self, line: Line, out: &mut impl Write) -> io::Result<()> {
        let row = self.plan.trace.counters.row(line.row as usize);
        let track = self.track(row.track_id);
        let name = self.text(track.name);
        let whole = self.exact.take(row);
        let event = kernel::frequency_limits(self.plan.trace, line.row as usize)
            .or_else(|| kernel::counter(track, name, whole.unwrap_or(row.value as i64)));
        if let Some(event) = event {
            let cpu = u32::try_from(track.cpu).ok();
            self.front(line.ts, self.stand_in, cpu, out)?;
            return out.write_all(clean(&event).as_bytes());
        }
        let owner = self.owner(track);
        if let (OOM_SCORE, Some(score), Some(main)) = (name, whole, self.main_thread(owner)) {
            // The line of a kernel event shows which thread runs on a CPU, but here that thread is unknown.
            self.front(line.ts, self.idle, None, out)?;
            let pid = self.tid(main);
            let comm = self.sched_comm(main, NO_CPU, line.ts);
            return write!(
                out,
                "oom_score_adj_update: pid={pid} comm={comm} oom_score_adj={score}"
            );
        }
        let pid = self.process_front(line.ts, owner, out)?;
        let name = clean(name);
        write!(out, "tracing_mark_write: C|{pid}|{name}")?;
        if track.cpu != NO_NUMBER {
            write!(out, " {}", track.cpu)?;
        }
        match whole {
            Some(value) => write!(out, "|{value}")?,
            None => write!(out, "|{:?}", row.value)?,
        }
        match self.text(track.category) {
            "" => Ok(()),
            category => write!(out, "|{}", clean(category)),
        }
    }

    pub(super) fn instant(&self, line: Line, out: &mut impl Write) -> io::Result<()> {
        let row = self.plan.trace.slices.row(line.row as usize);
        let track = self.track(row.track_id);
        let name = clean(self.text(row.name));
        if let (true, Some(utid)) = (track.kind.is_stack(), track.utid.some()) {
            self.front(line.ts, utid, None, out)?;
            return write!(out, "tracing_mark_write: I|{}|{name}", self.mark_pid(utid));
        }
        let pid = self.process_front(line.ts, self.owner(track), out)?;
        let lane = clean(self.text(track.name));
        write!(out, "tracing_mark_write: N|{pid}|{lane}|{name}")
    }

    pub(super) fn event(&self, line: Line, out: &mut impl Write) -> io::Result<()> {
        let row = self.plan.trace.ftrace_events.row(line.row as usize);
        let name = self.text(row.name);
        self.front(line.ts, row.utid, Some(row.cpu), out)?;
        write!(out, "{name}: ")?;
        write_fields(self.plan.trace, name, row.arg_set_id, Part::All, out)
    }

    pub(super) fn clock(&self, line: Line, out: &mut impl Write) -> io::Result<()> {
        const SYNC: &str = "tracing_mark_write: trace_event_clock_sync:";
        let row = &self.plan.trace.clocks[line.row as usize];
        self.front(line.ts, self.idle, None, out)?;
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
}
