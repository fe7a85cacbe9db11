//! Switches and wake-ups, reconstructed from slices on CPUs and from states of threads.
//!
//! The next thread of a switch is that of the slice it begins; the previous one is that of the slice before it on the
//! CPU, or one of the table of run ends. Switches and wake-ups with the same time keep the order of the state rows they
//! created.

use rustc_hash::{FxHashMap, FxHashSet};
use traceloom_trace::{
    ArgSetId, ArgValue, NO_DURATION, NO_PRIORITY, RowId, RunEndRow, SchedSliceRow, TaskState,
    ThreadId, Trace, WakeKind, WakeupRow, sort,
};

use super::plan::{BLOCKED_REASON, Class, Kind, Line, Plan, Switch};
use super::states::{Role, States};

/// The priority of the idle threads.
const IDLE_PRIORITY: i32 = 120;

/// Adds all lines of the scheduler.
pub(super) fn add(plan: &mut Plan<'_>) {
    let mut sched = Sched {
        trace: plan.trace,
        states: States::new(plan.trace),
        claimed: vec![false; plan.trace.thread_states.len()],
        run_ends: run_ends(plan.trace),
        unknown: Vec::new(),
        last: (i64::MIN, 0),
        idle: ThreadId::IDLE,
    };
    sched.switches(plan);
    sched.find_unknown(plan);
    sched.wakeups(plan);
    sched.unexplained(plan);
}

/// The previous threads of switches, if they were not known to run, by time and CPU. Threads of the same time are in
/// reverse order.
type RunEnds = FxHashMap<(i64, u32), Vec<RunEndRow>>;

fn run_ends(trace: &Trace) -> RunEnds {
    let mut ends = RunEnds::default();
    for row in (0..trace.run_ends.len()).rev() {
        let end = trace.run_ends.row(row);
        ends.entry((end.ts, end.cpu)).or_default().push(end);
    }
    ends
}

struct Sched<'t> {
    trace: &'t Trace,
    states: States,
    /// State rows that a switch or a wake-up created.
    claimed: Vec<bool>,
    run_ends: RunEnds,
    /// Switches whose previous thread the slices do not show: time, and number in the plan.
    unknown: Vec<(i64, usize)>,
    last: (i64, usize),
    idle: ThreadId,
}

impl Sched<'_> {
    fn switches(&mut self, plan: &mut Plan<'_>) {
        let mut on_cpu: FxHashMap<u32, SchedSliceRow> = FxHashMap::default();
        for slice in self.trace.sched_slices.rows() {
            let before = on_cpu.insert(slice.cpu, slice);
            self.switch_to(plan, slice, before);
        }
        let mut last: Vec<SchedSliceRow> = on_cpu.into_values().collect();
        sort::by_key(&mut last, |slice| slice.cpu);
        for slice in last.into_iter().filter(|slice| slice.dur != NO_DURATION) {
            self.switch_to_idle(plan, slice);
        }
    }

    fn switch_to(
        &mut self,
        plan: &mut Plan<'_>,
        slice: SchedSliceRow,
        before: Option<SchedSliceRow>,
    ) {
        let mut switch = Switch {
            inferred: slice.inferred,
            cpu: slice.cpu,
            prev: self.idle,
            prev_priority: IDLE_PRIORITY,
            prev_state: TaskState::RUNNABLE,
            next: slice.utid,
            next_priority: slice.priority,
        };
        let mut known = false;
        match before {
            Some(before) if slice.inferred && is_gap(before, slice) => {
                self.switch_to_idle(plan, before);
            }
            _ if slice.inferred => {}
            _ if self.take_run_end(&mut switch, slice.ts, before) => known = true,
            Some(before) if is_gap(before, slice) => {
                self.switch_to_idle(plan, before);
                known = true;
            }
            Some(before) if before.end_state != TaskState::UNKNOWN => {
                switch.prev = before.utid;
                switch.prev_priority = end_priority(before);
                switch.prev_state = before.end_state;
                known = true;
            }
            // A different thread left the CPU, or the idle thread.
            Some(_) | None => {}
        }
        if !known && !slice.inferred {
            self.unknown.push((slice.ts, plan.switches.len()));
        }
        self.push(plan, slice.ts, switch, known);
    }

    /// Completes the switch at `ts` if its previous thread was not known to run.
    fn take_run_end(
        &mut self,
        switch: &mut Switch,
        ts: i64,
        before: Option<SchedSliceRow>,
    ) -> bool {
        if before.is_some_and(|before| before.end_state != TaskState::UNKNOWN) {
            return false;
        }
        let ends = self.run_ends.get_mut(&(ts, switch.cpu));
        let Some(end) = ends.and_then(Vec::pop) else {
            return false;
        };
        switch.prev = end.utid;
        switch.prev_priority = end.priority;
        switch.prev_state = end.end_state;
        true
    }

    /// No run followed on the CPU: events are missing here, or the recording ends.
    fn switch_to_idle(&mut self, plan: &mut Plan<'_>, slice: SchedSliceRow) {
        let state = match slice.end_state {
            TaskState::UNKNOWN => TaskState::RUNNABLE,
            state => state,
        };
        let switch = Switch {
            inferred: false,
            cpu: slice.cpu,
            prev: slice.utid,
            prev_priority: end_priority(slice),
            prev_state: state,
            next: self.idle,
            next_priority: IDLE_PRIORITY,
        };
        if switch.prev != switch.next {
            self.push(plan, end(slice), switch, true);
        }
    }

    fn push(&mut self, plan: &mut Plan<'_>, ts: i64, switch: Switch, known: bool) {
        let states = &mut self.states;
        let has_left = known && !switch.prev_state.is_final() && switch.prev != switch.next;
        let left = has_left
            .then(|| states.find(self.trace, switch.prev, ts, Role::Leaves))
            .flatten();
        let came = states.find(self.trace, switch.next, ts, Role::Comes);
        let states = [left, came].into_iter().flatten();
        states.clone().for_each(|row| self.claimed[row] = true);
        let before = if self.last.0 == ts { self.last.1 } else { 0 };
        let row = states.min().unwrap_or(before);
        self.last = (ts, row);
        plan.lines.push(Line {
            ts,
            order: order_near(row, SWITCH),
            kind: Kind::Switch,
            row: plan.switches.len() as u32,
        });
        plan.switches.push(switch);
    }

    /// If a thread's state begins without any other cause, the thread left in a switch that is not
    /// in the slices: the first of a CPU, or one after missing events.
    fn find_unknown(&mut self, plan: &mut Plan<'_>) {
        let states = &self.trace.thread_states;
        let mut free: FxHashMap<i64, Vec<usize>> = FxHashMap::default();
        for row in (0..states.len()).rev() {
            if !self.claimed[row] && Role::Leaves.fits(self.trace, row) {
                free.entry(states.ts.get(row)).or_default().push(row);
            }
        }
        for &(ts, switch) in &self.unknown {
            let Some(row) = free.get_mut(&ts).and_then(Vec::pop) else {
                continue;
            };
            self.claimed[row] = true;
            let switch = &mut plan.switches[switch];
            switch.prev = states.utid.get(row);
            switch.prev_state = states.state.get(row);
        }
    }

    /// Adds the wake-ups in their order. One with an effect is placed at its state row.
    fn wakeups(&mut self, plan: &mut Plan<'_>) {
        let mut last = (i64::MIN, 0);
        for (row, wakeup) in self.trace.wakeups.rows().enumerate() {
            let earliest = if last.0 == wakeup.ts { last.1 } else { 0 };
            let order = self.place(wakeup).max(earliest);
            last = (wakeup.ts, order);
            plan.lines.push(Line {
                ts: wakeup.ts,
                order,
                kind: Kind::Woken,
                row: row as u32,
            });
        }
    }

    /// The earliest place of a wake-up among the lines of its time. If its thread begins to sleep
    /// at this time and the wake-up did not end that sleep, it came before.
    fn place(&mut self, wakeup: WakeupRow) -> u64 {
        let (trace, states) = (self.trace, &mut self.states);
        let WakeupRow { ts, utid, .. } = wakeup;
        let is_by = |row: &usize| {
            let waker = trace.thread_states.waker_utid.get(*row);
            wakeup.kind != WakeKind::Waking || waker == wakeup.waker_utid
        };
        if let Some(row) = states.peek(trace, utid, ts, Role::Woken).filter(is_by) {
            self.claimed[row] = true;
            states.find(trace, utid, ts, Role::Woken);
            return order_near(row, BEHIND);
        }
        match states.first(trace, utid, ts) {
            Some(row) if trace.thread_states.state.get(row).is_blocked() => order_near(row, BEFORE),
            Some(row) if !states.was_ready(trace, utid, ts) => order_near(row, BEHIND),
            _ => order_near(0, BEFORE),
        }
    }

    /// Adds the events with the reasons why threads were blocked, and returns whether there are
    /// any. An event at the time at which the thread blocks comes after the switch.
    fn reasons(&self, plan: &mut Plan<'_>) -> bool {
        let Some(name) = self.trace.strings.lookup(BLOCKED_REASON) else {
            return false;
        };
        let threads = threads_by_tid(self.trace);
        let events = self.trace.ftrace_events.rows().enumerate();
        let before = plan.lines.len();
        for (row, event) in events.filter(|(_, event)| event.name == name) {
            let tid = pid_of(self.trace, event.arg_set_id).unwrap_or(-1);
            let mut of_tid = threads.get(&tid).into_iter().flatten();
            let blocked = of_tid.find_map(|utid| {
                let row = self.states.first(self.trace, *utid, event.ts)?;
                let is_known = self.trace.thread_states.io_wait.get(row) >= 0;
                is_known.then_some(row)
            });
            plan.lines.push(Line {
                ts: event.ts,
                order: match blocked {
                    Some(state) => order_near(state, BEHIND),
                    None => Class::Event.order(row as u64),
                },
                kind: Kind::Event,
                row: row as u32,
            });
        }
        plan.lines.len() > before
    }

    /// Adds states that are in no line yet: those of traces without wake-ups.
    fn unexplained(&mut self, plan: &mut Plan<'_>) {
        let has_reasons = self.reasons(plan);
        let created = created(self.trace);
        for (row, state) in self.trace.thread_states.rows().enumerate() {
            let mut line = |kind, ts, place| {
                plan.lines.push(Line {
                    ts,
                    order: order_near(row, place),
                    kind,
                    row: row as u32,
                });
            };
            let tid = self.trace.threads.tid.get(state.utid.row());
            let born = self.trace.threads.start_ts.get(state.utid.row()) == state.ts;
            if state.io_wait >= 0 && !has_reasons {
                let end = state.ts.saturating_add(state.dur.max(0));
                line(Kind::Blocked, end, BEHIND);
            }
            if self.claimed[row] {
            } else if state.state != TaskState::RUNNABLE {
                plan.unwritten_states += 1;
            } else if created.contains(&(state.ts, tid)) {
                // A stored event begins the state.
            } else if born {
                line(Kind::Birth, state.ts, BEHIND);
            } else {
                line(Kind::Waking, state.ts, BEHIND);
                line(Kind::Wakeup, state.ts, BEHIND);
            }
        }
    }
}

/// The times and tids of threads that stored events create.
fn created(trace: &Trace) -> FxHashSet<(i64, i64)> {
    let Some(name) = trace.strings.lookup("task_newtask") else {
        return FxHashSet::default();
    };
    let events = trace
        .ftrace_events
        .rows()
        .filter(|event| event.name == name);
    let created = events.filter_map(|event| Some((event.ts, pid_of(trace, event.arg_set_id)?)));
    created.collect()
}

fn threads_by_tid(trace: &Trace) -> FxHashMap<i64, Vec<ThreadId>> {
    let mut threads: FxHashMap<i64, Vec<ThreadId>> = FxHashMap::default();
    for utid in trace.real_threads() {
        let tid = trace.threads.tid.get(utid.row());
        threads.entry(tid).or_default().push(utid);
    }
    threads
}

/// The thread number among the fields of an event.
fn pid_of(trace: &Trace, args: ArgSetId) -> Option<i64> {
    trace.args.set(args).find_map(|field| match field {
        (key, ArgValue::Int(pid)) if trace.strings.get(key) == "pid" => Some(pid),
        _ => None,
    })
}

/// Places next to a state row: at the switch that begins it, before it, and after it.
const BEFORE: u64 = 0;
const SWITCH: u64 = 1;
const BEHIND: u64 = 2;

/// The order of a line next to a state row.
fn order_near(row: usize, place: u64) -> u64 {
    Class::Sched.order((row as u64) << 2 | place)
}

/// The priority at the end of a run, as far as it is known.
fn end_priority(slice: SchedSliceRow) -> i32 {
    match slice.end_priority {
        NO_PRIORITY if slice.priority != IDLE_PRIORITY => slice.priority,
        priority => priority,
    }
}

/// Whether no run is known between these two of a CPU.
fn is_gap(before: SchedSliceRow, next: SchedSliceRow) -> bool {
    before.dur != NO_DURATION && end(before) < next.ts
}

fn end(slice: SchedSliceRow) -> i64 {
    slice.ts.saturating_add(slice.dur.max(0))
}
