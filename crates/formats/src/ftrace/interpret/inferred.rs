//! Switches that the kernel omitted. On some virtual machines, switches away from the idle thread or from certain
//! threads are not recorded.
//!
//! ```text
//! sched_switch: a ==> swapper   sched_waking: b   (no switch)   b: tracing_mark_write      sched_switch: b ==> …
//! CPU  a                      | idle            | b runs, inferred
//!
//! sched_switch: b ==> a         (no switch)   b: tracing_mark_write                        sched_switch: b ==> …
//! CPU  b                      | a | b runs, inferred
//! ```
//! The next event shows which thread runs. This needs a real CPU column, so the column is compared with the switches
//! first: some writers put every mark on CPU 0.
//!
//! A text that was written from tables has an event for each inferred switch. A line of its header states this, and
//! nothing else is inferred there.

use traceloom_trace::{NO_CPU, RepairKind, TraceBuilder};

use super::args::Fields;
use super::interpreter::Interpreter;
use super::position::{At, SlotId};
use super::seen::Seen;
use super::state::NOBODY;
use crate::ftrace::event::Event;

/// The tid of the idle threads.
const IDLE: i32 = 0;

/// The time after a switch during which the previous thread may still write events, because the kernel switches shortly
/// after it records the switch.
const TAIL_NS: i64 = 50_000;

/// ns per µs.
const US: i64 = 1_000;

impl Interpreter {
    /// Events of a CPU are lost, so it is unknown which thread runs there.
    pub fn lost_on(&mut self, cpu: u32) {
        let cpu = self.cpu(cpu);
        (cpu.current, cpu.seen) = (NOBODY, None);
    }

    /// Handles an event of a thread on a CPU where another thread runs according to the switches.
    #[cold]
    pub(super) fn seen_elsewhere(
        &mut self,
        at: At,
        current: i32,
        event: &Event<'_>,
        out: &mut TraceBuilder,
    ) {
        if self.columns.inferred_are_events || !event.shows_who_runs() {
            return;
        }
        let is_switch = matches!(event, Event::Switch(_));
        if let Some(other) = self.elsewhere(at, out) {
            self.infer_seen(other, at.ts, out);
        }
        if self.elsewhere(at, out).is_some() {
            return self.columns.contradict(is_switch);
        }
        let runs_on = self.sched.cpu_of(out, at.utid);
        let may_be_there = runs_on.is_none() && !self.threads.slot(at.slot).is_idle();
        let is_inferred = may_be_there && self.seen_there(at, is_switch, out);
        if is_switch && current != IDLE && !is_inferred {
            self.columns.contradict(is_switch);
        }
    }

    /// The CPU on which the thread of an event runs according to the switches, if it is not the
    /// event's CPU.
    fn elsewhere(&self, at: At, out: &TraceBuilder) -> Option<u32> {
        self.sched.cpu_of(out, at.utid).filter(|cpu| *cpu != at.cpu)
    }

    /// Notes an event of a thread on a CPU without a switch to it. A switch away from the thread proves that it ran, so
    /// a switch to it is inferred. Returns whether that was possible.
    fn seen_there(&mut self, at: At, is_switch: bool, out: &mut TraceBuilder) -> bool {
        let cpu = self.cpu(at.cpu);
        let seen = cpu.saw(at);
        if is_switch {
            return self.infer_switch(seen, at.ts, out);
        }
        let (left, when) = cpu.left;
        let is_tail = left == at.utid && at.ts.saturating_sub(when) < TAIL_NS;
        if !is_tail {
            cpu.seen = Some(seen);
            self.columns.cpus.insert(at.cpu);
            self.threads.slot_mut(at.slot).seen_on = at.cpu;
        }
        false
    }

    /// Forgets the thread that was seen on a CPU, because the current thread according to switches is still there. The
    /// CPU column was wrong.
    pub(super) fn forget_seen(&mut self, cpu: u32) {
        if self.cpu(cpu).seen.take().is_some() {
            self.columns.contradict(false);
        }
    }

    /// The current thread of a CPU has left it, so the thread that was seen there runs.
    #[cold]
    pub(super) fn infer_seen(&mut self, cpu: u32, now: i64, out: &mut TraceBuilder) {
        let Some(seen) = self.cpu(cpu).seen.take() else {
            return;
        };
        let is_elsewhere = self.sched.cpu_of(out, seen.at.utid).is_some();
        if !is_elsewhere && self.infer_switch(seen, now, out) {
            let tid = self.threads.slot(seen.at.slot).tid;
            let cpu = self.cpu(cpu);
            (cpu.current, cpu.current_ts) = (tid, seen.last);
        }
    }

    /// Handles the wake-up of a thread. The thread has left its CPU if another thread was seen there, and it ran if it
    /// was seen itself.
    pub(super) fn infer_before_wake(&mut self, slot: SlotId, now: i64, out: &mut TraceBuilder) {
        let slot = self.threads.slot_mut(slot);
        let utid = slot.utid;
        let seen_on = std::mem::replace(&mut slot.seen_on, NO_CPU);
        if let Some(cpu) = self.sched.cpu_of(out, utid) {
            self.infer_seen(cpu, now, out);
        } else if seen_on != NO_CPU
            && let Some(seen) = self.cpu(seen_on).seen
            && seen.at.utid == utid
        {
            self.infer_seen(seen_on, now, out);
        }
    }

    /// Infers the runs of threads that were seen and not switched away from by the end.
    pub(super) fn infer_last(&mut self, out: &mut TraceBuilder) {
        for cpu in std::mem::take(&mut self.columns.cpus) {
            self.infer_seen(cpu, i64::MAX, out);
        }
    }

    /// Infers the switch to a thread that was seen on a CPU and ran until `end` at least. Returns whether enough is
    /// known to do so.
    fn infer_switch(&mut self, seen: Seen, end: i64, out: &mut TraceBuilder) -> bool {
        let columns = &self.columns;
        // A thread without earlier events may be on the wrong CPU.
        let is_sure = self.sched.is_known(seen.at.utid) || columns.agreeing > 0;
        if !is_sure || !columns.is_real(true) || !columns.is_real(false) {
            return false;
        }
        let came = self.sched.came_at(out, &seen.sighting());
        // If the thread was woken after it was seen, it was seen in an earlier run. A run of length 0 carries no
        // information.
        let Some(came) = came.filter(|came| *came <= seen.last && *came < end) else {
            return false;
        };
        let priority = self.sched.priority(seen.at.utid);
        self.switch_unrecorded(seen.at, came, priority, out);
        true
    }

    /// From `ts` on, the thread of this event runs on the event's CPU.
    fn switch_unrecorded(&mut self, at: At, ts: i64, priority: i32, out: &mut TraceBuilder) {
        let (cpu, next) = (at.cpu, (at.utid, priority));
        let from_idle = self.cpu(cpu).current == IDLE;
        self.sched.unrecorded_switch(out, cpu, next, ts, from_idle);
        let tid = self.threads.slot(at.slot).tid;
        out.repair(RepairKind::InferredSwitch, 1, at.place(), || {
            format!("thread {tid} runs on CPU {cpu}")
        });
    }

    /// `inferred_switch: next_prio=120`, written from tables: the event's thread gets the CPU.
    pub(super) fn inferred_switch(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let priority = i32::try_from(fields.int("next_prio")?).ok()?;
        let slot = self.threads.slot(at.slot);
        if slot.is_idle() {
            return None;
        }
        let tid = slot.tid;
        self.switch_unrecorded(at, at.ts, priority, out);
        let cpu = self.cpu(at.cpu);
        (cpu.current, cpu.current_ts, cpu.seen) = (tid, at.ts, None);
        Some(())
    }

    /// `sched_stat_runtime: comm=a pid=1 runtime=572337 [ns]`: how long the thread has run since the last such event,
    /// or since it got its CPU.
    pub(super) fn stat_runtime(
        &mut self,
        at: At,
        fields: Fields<'_>,
        _: &mut TraceBuilder,
    ) -> Option<()> {
        let is_own = fields.tid("pid") == Some(self.threads.slot(at.slot).tid);
        let came = at.ts.saturating_sub(fields.int("runtime")?);
        // Times in text have a precision of 1 µs, so a time derived from one is truncated to µs.
        let came = if at.ts % US == 0 {
            came - came % US
        } else {
            came
        };
        if let Some(seen) = &mut self.cpu(at.cpu).seen
            && is_own
            && seen.at.utid == at.utid
        {
            seen.began.get_or_insert(came);
        }
        None
    }
}
