//! The scheduler: switches, wake-ups, creation and exit of threads.

use traceloom_trace::{RepairKind, SchedSwitch, StringId, TraceBuilder, WakeKind, WakeupRow};

use super::args::Fields;
use super::interpreter::Interpreter;
use super::position::At;
use super::position::SlotId;
use crate::ftrace::event::{NO_TGID, Switch, Value, Wake};

/// `CLONE_THREAD` of `include/uapi/linux/sched.h`: the new thread belongs to its parent's process.
const CLONE_THREAD: i64 = 0x0001_0000;

/// Kernel functions have addresses above this. Smaller values are Perfetto's numbers for functions without a known
/// name.
const FIRST_ADDRESS: u64 = 1 << 28;

impl Interpreter {
    #[inline]
    pub(super) fn switch(&mut self, at: At, switch: Switch<'_>, out: &mut TraceBuilder) {
        let prev = self.named(at, switch.prev_tid, switch.prev_comm, out);
        let next = self.named(at, switch.next_tid, switch.next_comm, out);
        self.threads.slot_mut(next).fresh = false;
        let comes = self.threads.slot(next).utid;
        if let Some(other) = self.sched.cpu_of(out, comes).filter(|cpu| *cpu != at.cpu) {
            self.infer_seen(other, at.ts, out);
        }
        let left = self.threads.slot(prev).utid;
        let cpu = self.cpu(at.cpu);
        let was = std::mem::replace(&mut cpu.current, switch.next_tid);
        (cpu.current_ts, cpu.left) = (at.ts, (left, at.ts));
        if was == switch.prev_tid {
            self.columns.agreeing_switches += 1;
            self.forget_seen(at.cpu);
        }
        self.cpu(at.cpu).seen = None;
        let (prev, next) = (self.threads.slot(prev), self.threads.slot(next));
        let switch = SchedSwitch {
            ts: at.ts,
            cpu: at.cpu,
            prev: prev.utid,
            prev_priority: switch.prev_prio,
            prev_state: switch.prev_state,
            next: next.utid,
            next_priority: switch.next_prio,
            prev_is_idle: prev.is_idle(),
            next_is_idle: next.is_idle(),
        };
        if !self.sched.switch(out, switch) {
            out.repair(RepairKind::SchedMismatch, 1, at.place(), || {
                format!("CPU {} switches away from thread {}", at.cpu, prev.tid)
            });
        }
    }

    #[inline]
    pub(super) fn named(
        &mut self,
        at: At,
        tid: i32,
        name: &[u8],
        out: &mut TraceBuilder,
    ) -> SlotId {
        let slot = self.threads.current(tid, at.position, out);
        self.threads.name_from_event(slot, name, at.ts, out);
        slot
    }

    #[inline]
    pub(super) fn wake(&mut self, at: At, wake: Wake<'_>, out: &mut TraceBuilder) {
        let slot = match wake.kind {
            WakeKind::New => self.threads.birth(wake.tid, at.ts, at.position, out),
            _ => self.threads.current(wake.tid, at.position, out),
        };
        self.threads.name_from_event(slot, wake.comm, at.ts, out);
        if wake.kind == WakeKind::New {
            self.threads.slot_mut(slot).fresh = false;
        }
        let woken = slot;
        let slot = self.threads.slot(slot);
        out.wakeup(WakeupRow {
            ts: at.ts,
            kind: wake.kind,
            cpu: at.cpu,
            waker_utid: at.utid,
            utid: slot.utid,
            target_cpu: wake.target_cpu,
            priority: wake.prio,
            irq_context: wake.irq_context,
        });
        if slot.is_idle() {
            return;
        }
        let utid = slot.utid;
        self.infer_before_wake(woken, at.ts, out);
        match wake.kind {
            WakeKind::Waking => self.sched.waking(out, at.ts, utid, at.utid),
            _ => self.sched.wake(out, at.ts, utid, at.utid),
        }
    }

    /// `sched_blocked_reason: pid=269 iowait=0 caller=worker_thread+0x534/0x820`.
    pub(super) fn blocked_reason(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let slot = self.threads.current(fields.tid("pid")?, at.position, out);
        let io_wait = fields.int("iowait")? != 0;
        let function = match fields.get("caller") {
            Some(Value::Text(name)) => out.intern(name),
            Some(address @ Value::Hex(FIRST_ADDRESS..)) => out.intern(address.shown().as_bytes()),
            _ => StringId::NULL,
        };
        let utid = self.threads.slot(slot).utid;
        self.sched.blocked_reason(out, utid, io_wait, function);
        // The state does not record the time and thread of this event, so the event is kept, too.
        None
    }

    /// `task_newtask: pid=34422 comm=sh clone_flags=1200011 oom_score_adj=0`.
    pub(super) fn new_task(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let tid = fields.tid("pid")?;
        let flags = match fields.get("clone_flags")? {
            Value::Hex(flags) => flags as i64,
            // The kernel prints the flags in hexadecimal, without a prefix.
            Value::Int(decimal) => i64::from_str_radix(&decimal.to_string(), 16).unwrap_or(0),
            Value::Text(text) => i64::from_str_radix(std::str::from_utf8(text).ok()?, 16).ok()?,
        };
        let slot = self.threads.first_birth(tid, at.ts, at.position, out);
        let name = fields.text("comm").unwrap_or_default();
        self.threads.name_from_event(slot, name, at.ts, out);
        let parent = self.threads.slot(at.slot).tgid;
        let is_process = flags & CLONE_THREAD == 0;
        if is_process {
            self.new_process(slot, tid, parent, at.ts, out);
        } else {
            self.threads.learn_tgid(slot, parent, out);
        }
        if parent == NO_TGID {
            self.threads.created(slot, at.slot, is_process);
        }
        let new = self.threads.slot(slot);
        if !new.is_idle() && !self.sched.is_known(new.utid) {
            // It waits for a CPU, as if its creator had woken it.
            self.sched.wake(out, at.ts, new.utid, at.utid);
        }
        None
    }

    fn new_process(
        &mut self,
        slot: SlotId,
        pid: i32,
        parent: i32,
        ts: i64,
        out: &mut TraceBuilder,
    ) {
        self.threads.learn_tgid(slot, pid, out);
        let upid = out.process(pid.into());
        out.set_process_start(upid, ts);
        if parent > 0 {
            out.set_process_parent(upid, parent.into());
        }
    }

    /// `sched_process_fork: comm=sh pid=34421 child_comm=sh child_pid=34422`. It does not show whether the child is a
    /// thread or a process.
    pub(super) fn fork(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let child = fields.tid("child_pid")?;
        let slot = self.threads.birth(child, at.ts, at.position, out);
        let name = fields.text("child_comm").unwrap_or_default();
        self.threads.name_from_event(slot, name, at.ts, out);
        // Every child of kthreadd is a process.
        if fields.int("pid") == Some(2) {
            self.new_process(slot, child, 2, at.ts, out);
        }
        None
    }

    /// `sched_process_exec: filename=/usr/bin/ls pid=34422 old_pid=34422`: only the process's
    /// leader remains.
    pub(super) fn exec(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let pid = fields.tid("pid")?;
        let slot = self.threads.current(pid, at.position, out);
        self.threads.learn_tgid(slot, pid, out);
        let upid = self.threads.process(slot, out)?;
        let file = fields.text("filename")?;
        let cmdline = out.intern(file);
        out.set_process_cmdline(upid, cmdline);
        None
    }

    /// `sched_process_exit: comm=ls pid=34422 prio=120`.
    pub(super) fn exit(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let name = fields.text("comm").unwrap_or_default();
        let slot = self.named(at, fields.tid("pid")?, name, out);
        self.threads.death(slot, at.ts, out);
        None
    }

    /// `sched_process_free: comm=ls pid=34422 prio=120`: the last event of a thread.
    pub(super) fn free(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        self.threads.free(fields.tid("pid")?, at.ts, out);
        None
    }

    /// `task_rename: pid=34422 oldcomm=sh newcomm=ls oom_score_adj=0`.
    pub(super) fn rename(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let name = fields.shown("newcomm")?;
        self.named(
            at,
            fields.tid("pid").unwrap_or(self.threads.slot(at.slot).tid),
            name.as_bytes(),
            out,
        );
        None
    }
}
