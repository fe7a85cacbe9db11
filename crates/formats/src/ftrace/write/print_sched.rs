//! Prints switches and wake-ups.

use std::io::{self, Write};

use traceloom_trace::{NO_CPU, NO_PRIORITY, RowId, ThreadId};

use super::line::{NO_FLAGS, Printer};
use super::plan::Line;

/// The flags of a wake-up, as a kernel prints them: it wakes threads with interrupts off.
fn flags(irq_context: i8) -> &'static str {
    match irq_context {
        1 => "d.h.",
        0 => "d...",
        _ => NO_FLAGS,
    }
}

impl Printer<'_> {
    pub(super) fn switch(&mut self, line: Line, out: &mut impl Write) -> io::Result<()> {
        let switch = self.plan.switches[line.row as usize];
        if switch.inferred {
            // Other tools do not know this event.
            self.front(line.ts, switch.next, Some(switch.cpu), out)?;
            write!(out, "inferred_switch: next_prio={}", switch.next_priority)?;
            self.runs(switch.cpu, switch.next, switch.next_priority);
            return Ok(());
        }
        let priority = match switch.prev_priority {
            NO_PRIORITY => self.last_of(switch.prev).1,
            priority => priority,
        };
        self.front(line.ts, switch.prev, Some(switch.cpu), out)?;
        write!(
            out,
            "sched_switch: prev_comm={} prev_pid={} prev_prio={priority} prev_state={} ==> \
             next_comm={} next_pid={} next_prio={}",
            self.sched_comm(switch.prev, switch.cpu, line.ts),
            self.tid(switch.prev),
            switch.prev_state,
            self.sched_comm(switch.next, switch.cpu, line.ts),
            self.tid(switch.next),
            switch.next_priority,
        )?;
        self.runs(switch.cpu, switch.next, switch.next_priority);
        Ok(())
    }

    /// A wake-up as it was recorded.
    pub(super) fn woken(&mut self, line: Line, out: &mut impl Write) -> io::Result<()> {
        let row = self.plan.trace.wakeups.row(line.row as usize);
        let flags = flags(row.irq_context);
        self.flagged_front(line.ts, row.waker_utid, row.cpu, flags, out)?;
        let (event, tid) = (row.kind.name(), self.tid(row.utid));
        let comm = self.sched_comm(row.utid, row.target_cpu, line.ts);
        write!(out, "sched_{event}: comm={comm} pid={tid}")?;
        if row.priority != NO_PRIORITY {
            write!(out, " prio={}", row.priority)?;
        }
        if row.target_cpu != NO_CPU {
            write!(out, " target_cpu={:03}", row.target_cpu)?;
        }
        Ok(())
    }

    /// A wake-up that is known only from a thread state.
    pub(super) fn wake(&mut self, line: Line, event: &str, out: &mut impl Write) -> io::Result<()> {
        let state = self.plan.trace.thread_states.row(line.row as usize);
        let waker = state.waker_utid.some().unwrap_or(self.idle);
        let (cpu, priority) = self.last_of(state.utid);
        self.front(line.ts, waker, None, out)?;
        let (comm, tid) = (self.comm(state.utid), self.tid(state.utid));
        write!(
            out,
            "{event}: comm={comm} pid={tid} prio={priority} target_cpu={cpu:03}"
        )
    }

    /// The reason why a thread was blocked, if only a thread state has it.
    pub(super) fn blocked(&self, line: Line, out: &mut impl Write) -> io::Result<()> {
        let state = self.plan.trace.thread_states.row(line.row as usize);
        self.front(line.ts, self.idle, None, out)?;
        write!(
            out,
            "sched_blocked_reason: pid={} iowait={} caller={}",
            self.tid(state.utid),
            state.io_wait,
            self.text(state.blocked_function)
        )
    }

    /// The name inside a scheduler event, in which each CPU's idle thread has a name.
    pub(super) fn sched_comm(&mut self, utid: ThreadId, cpu: u32, ts: i64) -> String {
        if self.tid(utid) == 0 {
            return match cpu {
                NO_CPU => "swapper".to_owned(),
                cpu => format!("swapper/{cpu}"),
            };
        }
        let next = self.names.next_name(utid, ts);
        match next.filter(|name| !name.is_empty()) {
            Some(name) => super::line::clean(self.text(name)).into_owned(),
            None => self.comm(utid),
        }
    }
}
