//! Switches and wake-ups, reconstructed from slices on CPUs and from states of threads.
//!
//! The next thread of a switch is that of the slice it begins; the previous one is that of the
//! slice before it on the CPU. Switches and wake-ups with the same time keep the order of the state
//! rows they created.

use rustc_hash::FxHashMap;
use traceloom_trace::{NO_DURATION, RowId, SchedSliceRow, TaskState, ThreadId, Trace};

use super::plan::{Class, Kind, Line, Plan, Switch};

const NO_PRIORITY: i32 = 120;

/// Adds all lines of the scheduler.
pub(super) fn add(plan: &mut Plan<'_>) {
    let mut sched = Sched {
        trace: plan.trace,
        states: States::new(plan.trace),
        claimed: vec![false; plan.trace.thread_states.len()],
        unknown: Vec::new(),
        last: (i64::MIN, 0),
        idle: idle_thread(plan.trace),
    };
    sched.switches(plan);
    sched.find_unknown(plan);
    sched.wake_ups(plan);
}

fn idle_thread(trace: &Trace) -> ThreadId {
    let row = trace.threads.tid.iter().position(|tid| tid == 0);
    row.map_or(ThreadId::NONE, ThreadId::from_row)
}

struct Sched<'t> {
    trace: &'t Trace,
    states: States,
    /// State rows that a switch created.
    claimed: Vec<bool>,
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
            // What the kernel left out follows from the other lines again.
            if slice.inferred && before.is_some() {
                self.claim(slice);
            } else {
                self.switch_to(plan, slice, before);
            }
        }
        let mut last: Vec<SchedSliceRow> = on_cpu.into_values().collect();
        last.sort_unstable_by_key(|slice| slice.cpu);
        for slice in last.into_iter().filter(|slice| slice.dur != NO_DURATION) {
            self.switch_to_idle(plan, slice);
        }
    }

    /// Takes the state of a run that no line begins.
    fn claim(&mut self, slice: SchedSliceRow) {
        let (trace, states) = (self.trace, &mut self.states);
        if let Some(row) = states.find(trace, slice.utid, slice.ts, Role::Comes) {
            self.claimed[row] = true;
        }
    }

    fn switch_to(
        &mut self,
        plan: &mut Plan<'_>,
        slice: SchedSliceRow,
        before: Option<SchedSliceRow>,
    ) {
        let mut switch = Switch {
            cpu: slice.cpu,
            prev: self.idle,
            prev_priority: NO_PRIORITY,
            prev_state: TaskState::RUNNABLE,
            next: slice.utid,
            next_priority: slice.priority,
        };
        let mut known = false;
        match before {
            Some(before) if before.dur != NO_DURATION && end(before) < slice.ts => {
                self.switch_to_idle(plan, before);
                known = true;
            }
            Some(before) if before.end_state != TaskState::UNKNOWN => {
                switch.prev = before.utid;
                switch.prev_priority = before.priority;
                switch.prev_state = before.end_state;
                known = true;
            }
            // Another thread than this one left, or the idle thread.
            Some(_) | None => {}
        }
        if !known {
            self.unknown.push((slice.ts, plan.switches.len()));
        }
        self.push(plan, slice.ts, switch, known);
    }

    /// Nothing followed on the CPU: events are missing here, or the recording ends.
    fn switch_to_idle(&mut self, plan: &mut Plan<'_>, slice: SchedSliceRow) {
        let state = match slice.end_state {
            TaskState::UNKNOWN => TaskState::RUNNABLE,
            state => state,
        };
        let switch = Switch {
            cpu: slice.cpu,
            prev: slice.utid,
            prev_priority: slice.priority,
            prev_state: state,
            next: self.idle,
            next_priority: NO_PRIORITY,
        };
        if switch.prev != switch.next {
            self.push(plan, end(slice), switch, true);
        }
    }

    fn push(&mut self, plan: &mut Plan<'_>, ts: i64, switch: Switch, known: bool) {
        let states = &mut self.states;
        let left = known
            .then(|| states.find(self.trace, switch.prev, ts, Role::Leaves))
            .flatten();
        let came = states.find(self.trace, switch.next, ts, Role::Comes);
        [left, came]
            .iter()
            .flatten()
            .for_each(|&row| self.claimed[row] = true);
        let row = match (left, came) {
            (Some(left), Some(came)) => left.min(came),
            (Some(row), None) | (None, Some(row)) => row,
            (None, None) if self.last.0 == ts => self.last.1,
            (None, None) => 0,
        };
        self.last = (ts, row);
        plan.lines.push(Line {
            ts,
            order: Class::Sched.order(row << 2 | 1),
            kind: Kind::Switch,
            row: plan.switches.len() as u32,
        });
        plan.switches.push(switch);
    }

    /// A thread whose state begins without any other cause left in a switch that the slices do not
    /// show: the first of a CPU, or one after missing events.
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

    fn wake_ups(&mut self, plan: &mut Plan<'_>) {
        for (row, state) in self.trace.thread_states.rows().enumerate() {
            let line = |kind, ts, order| Line {
                ts,
                order: Class::Sched.order(order),
                kind,
                row: row as u32,
            };
            let born = self.trace.threads.start_ts.get(state.utid.row()) == state.ts;
            if self.claimed[row] {
            } else if state.state != TaskState::RUNNABLE {
                plan.unwritten_states += 1;
            } else if born {
                plan.lines.push(line(Kind::Birth, state.ts, row << 2 | 2));
            } else {
                plan.lines.push(line(Kind::Waking, state.ts, row << 2 | 2));
                plan.lines.push(line(Kind::Wakeup, state.ts, row << 2 | 3));
            }
            if state.io_wait >= 0 {
                let end = state.ts.saturating_add(state.dur.max(0));
                plan.lines.push(line(Kind::Blocked, end, row << 2 | 3));
            }
        }
    }
}

fn end(slice: SchedSliceRow) -> i64 {
    slice.ts.saturating_add(slice.dur.max(0))
}

/// The role of a thread in a switch.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Leaves,
    Comes,
}

impl Role {
    fn fits(self, trace: &Trace, row: usize) -> bool {
        let runs = trace.thread_states.state.get(row) == TaskState::RUNNING;
        match self {
            Self::Comes => runs,
            Self::Leaves => !runs && trace.thread_states.waker_utid.get(row) == ThreadId::NONE,
        }
    }
}

/// The state rows of each thread, and the position of the search.
struct States {
    rows: Vec<(u32, u32)>,
    starts: Vec<[usize; 2]>,
}

impl States {
    fn new(trace: &Trace) -> Self {
        let utids = trace.thread_states.utid.iter().enumerate();
        let mut rows: Vec<(u32, u32)> = utids.map(|(row, utid)| (utid.0, row as u32)).collect();
        rows.sort_unstable();
        let start = |utid: usize| rows.partition_point(|row| (row.0 as usize) < utid);
        let starts = (0..trace.threads.len()).map(|utid| [start(utid); 2]);
        Self {
            starts: starts.collect(),
            rows,
        }
    }

    /// The thread's next state row that began at `ts` in this role. Calls come in order of time, so
    /// every row is visited once.
    fn find(&mut self, trace: &Trace, utid: ThreadId, ts: i64, role: Role) -> Option<usize> {
        let at = &mut self.starts.get_mut(utid.row())?[role as usize];
        while let Some(&(owner, row)) = self.rows.get(*at).filter(|row| row.0 == utid.0) {
            let row = row as usize;
            let begins = trace.thread_states.ts.get(row);
            if begins > ts {
                return None;
            }
            debug_assert_eq!(owner, utid.0);
            *at += 1;
            if begins == ts && role.fits(trace, row) {
                return Some(row);
            }
        }
        None
    }
}
