//! Walks the states of each thread in order of time.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use traceloom_trace::{RowId, StringId, TaskState, ThreadId, ThreadStateRow, Trace, sort};

use super::latency::Latency;
use super::times::{BlockedIn, CpuTime, ThreadTimes, Waker};
use crate::state::StateKind;
use crate::timeline::{Grouped, state_extent};
use crate::tree::TimeRange;

pub(super) fn threads(
    trace: &Trace,
    range: TimeRange,
    wanted: &dyn Fn(ThreadId) -> bool,
) -> Vec<ThreadTimes> {
    let states = &trace.thread_states;
    let thread = |row: usize| states.utid.get(row).row();
    let by_thread = Grouped::new(states.len(), trace.threads.len(), &thread);
    let mut found = Vec::new();
    for utid in (0..by_thread.groups()).map(ThreadId::from_row) {
        let rows = by_thread.rows(utid.row());
        if !rows.is_empty() && wanted(utid) {
            let mut walk = Walk::new(utid, range);
            walk.all(trace, rows);
            found.extend(walk.finish());
        }
    }
    found
}

/// The sums so far of one thread.
struct Walk {
    range: TimeRange,
    times: ThreadTimes,
    /// The end of the part that is counted. If states overlap, the earlier one counts.
    counted_to: i64,
    any: bool,
    latencies: Vec<(i64, i64)>,
    wakers: BTreeMap<u32, (u64, i64)>,
    blocked_in: BTreeMap<(StringId, bool), (u64, i64)>,
    cpus: BTreeMap<u32, i64>,
    last_cpu: Option<u32>,
}

/// A state of the thread.
#[derive(Clone, Copy)]
struct Stretch {
    row: ThreadStateRow,
    kind: StateKind,
    start: i64,
    end: i64,
}

impl Stretch {
    fn new(trace: &Trace, row: u32) -> Self {
        let (start, end) = state_extent(trace, row as usize);
        Self {
            row: trace.thread_states.row(row as usize),
            kind: StateKind::from_row(trace, row as usize),
            start,
            end,
        }
    }

    fn is_runnable(&self) -> bool {
        matches!(self.kind, StateKind::Runnable | StateKind::Preempted)
    }

    fn runs(&self) -> bool {
        self.kind == StateKind::Running
    }
}

impl Walk {
    fn new(utid: ThreadId, range: TimeRange) -> Self {
        Self {
            range,
            times: empty(utid),
            counted_to: range.from_ns,
            any: false,
            latencies: Vec::new(),
            wakers: BTreeMap::new(),
            blocked_in: BTreeMap::new(),
            cpus: BTreeMap::new(),
            last_cpu: None,
        }
    }

    fn all(&mut self, trace: &Trace, rows: &[u32]) {
        let mut before: Option<Stretch> = None;
        for (at, &row) in rows.iter().enumerate() {
            let now = Stretch::new(trace, row);
            if now.start >= self.range.to_ns {
                break;
            }
            let next = rows.get(at + 1).map(|&row| Stretch::new(trace, row));
            let after_run = before.is_some_and(|before| before.runs() && before.end == now.start);
            self.time(&now, after_run);
            self.wakeup(&now, before.as_ref(), next.as_ref(), after_run);
            before = Some(now);
        }
    }

    /// Adds the part of a state that lies in the range.
    fn time(&mut self, now: &Stretch, after_run: bool) {
        let from = now.start.max(self.counted_to);
        let ns = now.end.min(self.range.to_ns).saturating_sub(from).max(0);
        self.counted_to = self.counted_to.max(now.end);
        self.any |= ns > 0 || now.start >= self.range.from_ns;
        let times = &mut self.times;
        let add = |sum: &mut i64| *sum = sum.saturating_add(ns);
        match now.kind {
            StateKind::Running => {
                add(&mut times.running_ns);
                self.run(now, ns);
            }
            StateKind::Runnable | StateKind::Preempted => {
                add(&mut times.runnable_ns);
                if after_run {
                    add(&mut times.preempted_ns);
                }
            }
            StateKind::Sleeping => add(&mut times.sleeping_ns),
            StateKind::Uninterruptible => add(&mut times.blocked_ns),
            StateKind::UninterruptibleIo => {
                add(&mut times.blocked_ns);
                add(&mut times.io_ns);
            }
            StateKind::Unknown | StateKind::Stopped | StateKind::Dead => add(&mut times.other_ns),
        }
        if ns > 0 && is_blocked(now) {
            let key = (now.row.blocked_function, now.row.io_wait == 1);
            let (count, sum) = self.blocked_in.entry(key).or_default();
            (*count, *sum) = (*count + 1, sum.saturating_add(ns));
        }
    }

    fn run(&mut self, now: &Stretch, ns: i64) {
        let cpu = now.row.cpu;
        let moved = self.last_cpu.is_some_and(|last| last != cpu);
        self.last_cpu = Some(cpu);
        if now.start >= self.range.from_ns {
            self.times.runs += 1;
            self.times.migrations += u64::from(moved);
        }
        if ns > 0 {
            let sum = self.cpus.entry(cpu).or_default();
            *sum = sum.saturating_add(ns);
        }
    }

    /// Counts a wake-up: a state in which the thread waits for a CPU, but has not just left one.
    fn wakeup(
        &mut self,
        now: &Stretch,
        before: Option<&Stretch>,
        next: Option<&Stretch>,
        after_run: bool,
    ) {
        if !now.is_runnable() || after_run || now.start < self.range.from_ns {
            return;
        }
        if let Some(waker) = now.row.waker_utid.some() {
            let waited = before.filter(|before| before.row.state.is_blocked());
            let waited = waited.map_or(0, |before| before.end.saturating_sub(before.start));
            let (count, sum) = self.wakers.entry(waker.0).or_default();
            (*count, *sum) = (*count + 1, sum.saturating_add(waited));
        }
        if next.is_some_and(|next| next.runs() && next.start == now.end) {
            self.latencies
                .push((now.start, now.end.saturating_sub(now.start)));
        }
    }

    /// The result; `None` if the thread has no state in the range.
    fn finish(self) -> Option<ThreadTimes> {
        let mut times = self.times;
        times.latency = Latency::new(&self.latencies);
        let wakers = self.wakers.into_iter();
        times.wakers = wakers
            .map(|(utid, (count, waited_ns))| Waker {
                utid: ThreadId(utid),
                count,
                waited_ns,
            })
            .collect();
        sort::by_key(&mut times.wakers, |one| {
            (Reverse((one.waited_ns, one.count)), one.utid)
        });
        let blocked_in = self.blocked_in.into_iter();
        times.blocked_in = blocked_in
            .map(|((function, is_io), (count, ns))| BlockedIn {
                function,
                is_io,
                count,
                ns,
            })
            .collect();
        sort::by_key(&mut times.blocked_in, |one| Reverse(one.ns));
        let cpus = self.cpus.into_iter();
        times.cpus = cpus.map(|(cpu, ns)| CpuTime { cpu, ns }).collect();
        sort::by_key(&mut times.cpus, |one| Reverse(one.ns));
        self.any.then_some(times)
    }
}

/// Whether a state is a wait in the kernel: uninterruptible sleep, or any whose function was recorded.
fn is_blocked(now: &Stretch) -> bool {
    now.row.state.is_blocked()
        && !now.row.state.is_final()
        && (now.row.state.0 & TaskState::UNINTERRUPTIBLE.0 != 0
            || !now.row.blocked_function.is_empty())
}

fn empty(utid: ThreadId) -> ThreadTimes {
    ThreadTimes {
        utid,
        running_ns: 0,
        runnable_ns: 0,
        preempted_ns: 0,
        sleeping_ns: 0,
        blocked_ns: 0,
        io_ns: 0,
        other_ns: 0,
        runs: 0,
        latency: Latency::default(),
        wakers: Vec::new(),
        blocked_in: Vec::new(),
        cpus: Vec::new(),
        migrations: 0,
    }
}
