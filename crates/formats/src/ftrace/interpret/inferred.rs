//! Switches that the kernel left out: some leave an idle CPU to a thread without `sched_switch`.
//!
//! ```text
//! sched_switch: a ==> swapper   sched_waking: b   (no switch)   b: tracing_mark_write      sched_switch: b ==> …
//! CPU  a                      | idle            | b runs, inferred
//! ```
//! The next event shows who runs. This needs a CPU column that is real, so it is compared with the switches first:
//! some writers put every mark on CPU 0.

use traceloom_trace::{RepairKind, TraceBuilder};

use super::interpreter::Interpreter;
use super::position::At;
use super::state::NOBODY;
use crate::ftrace::event::Event;

/// The tid of the idle threads.
const IDLE: i32 = 0;

impl Interpreter {
    /// Events of a CPU are lost: nobody knows which thread runs there.
    pub fn lost_on(&mut self, cpu: u32) {
        let cpu = self.cpu(cpu);
        (cpu.current, cpu.seen) = (NOBODY, None);
    }

    /// An event of a thread on a CPU where `current` runs, as far as switches told.
    #[cold]
    pub(super) fn seen_elsewhere(
        &mut self,
        at: At,
        current: i32,
        event: &Event<'_>,
        out: &mut TraceBuilder,
    ) {
        if matches!(event, Event::Mark(mark) if !mark.shows_who_runs()) {
            return;
        }
        let is_switch = matches!(event, Event::Switch(_));
        let runs_on = self.sched.cpu_of(out, at.utid);
        let is_contradiction = runs_on.is_some_and(|cpu| cpu != at.cpu);
        if is_contradiction || is_switch && current != IDLE {
            self.columns.contradict(is_switch);
        } else if current == IDLE && runs_on.is_none() {
            self.seen_on_idle(at, is_switch, out);
        }
    }

    /// Notes the first event of a thread on a CPU that was last known idle. A switch away from the thread proves that
    /// it ran.
    fn seen_on_idle(&mut self, at: At, is_switch: bool, out: &mut TraceBuilder) {
        let noted = self.cpu(at.cpu).seen;
        let noted = noted.filter(|seen| seen.utid == at.utid).unwrap_or(at);
        if is_switch {
            self.infer_switch(noted, at.ts, out);
        } else {
            self.cpu(at.cpu).seen = Some(noted);
            self.columns.cpus.insert(at.cpu);
        }
    }

    /// Forgets who was seen on a CPU, as its next switch is away from the idle thread: the CPU column was wrong.
    pub(super) fn forget_seen(&mut self, cpu: u32) {
        if self.cpu(cpu).seen.take().is_some() {
            self.columns.contradict(false);
        }
    }

    /// Threads that were seen and not yet switched away from run at the end.
    pub(super) fn infer_last(&mut self, out: &mut TraceBuilder) {
        for cpu in std::mem::take(&mut self.columns.cpus) {
            if let Some(seen) = self.cpu(cpu).seen.take()
                && self.sched.cpu_of(out, seen.utid).is_none()
            {
                self.infer_switch(seen, i64::MAX, out);
            }
        }
    }

    /// The thread of an event runs on a CPU that was last known idle, until `end`.
    fn infer_switch(&mut self, seen: At, end: i64, out: &mut TraceBuilder) {
        let columns = &self.columns;
        // A thread that nothing told of may be on the wrong CPU.
        let is_sure = self.sched.is_known(seen.utid) || columns.agreeing > 0;
        if !is_sure || !columns.is_real(true) || !columns.is_real(false) {
            return;
        }
        let came = self.sched.came_at(out, seen.cpu, seen.utid, seen.ts);
        // A run of no length tells nothing.
        let Some(came) = came.filter(|came| *came < end) else {
            return;
        };
        self.sched.infer_switch(out, seen.cpu, seen.utid, came);
        let tid = self.threads.slot(seen.slot).tid;
        out.repair(RepairKind::InferredSwitch, 1, seen.place(), || {
            format!("thread {tid} runs on CPU {}", seen.cpu)
        });
    }
}
