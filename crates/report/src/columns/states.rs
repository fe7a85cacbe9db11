//! Encodes thread states. Most of them follow from context switches.
//!
//! ```text
//! CPU 0    |---- a ----|---- b ----|        each switch implies two states:
//! states               a sleeps (its run's end state), b runs
//!               b wakes up: a third state, which no switch implies
//! ```
//! The order of implied and other states is stored, and the other states are stored explicitly.
//! Idle threads, which run but have no states, are listed.

use traceloom_trace::{
    Column, RowId, SchedSliceTable, TaskState, ThreadId, ThreadStateTable, Trace,
};

use super::bytes::Input;
use super::error::Result;
use super::group::{by_key, gather, scatter};
use super::read::Table;
use super::schema::Parts;
use super::transform::{Transform, next_durations, next_residuals};
use super::value::{ORIGIN, Value, numbers};
use super::write::{DERIVED, TableWriter};

/// A state implied by a context switch.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Implied {
    ts: i64,
    utid: ThreadId,
    cpu: u32,
    state: TaskState,
}

/// All implied states, in order.
struct Switches<'a> {
    ran: &'a SchedSliceTable,
    /// Threads without states.
    idle: &'a [bool],
    /// The most recent run on each CPU.
    newest: Vec<u32>,
    row: usize,
    comes: Option<Implied>,
}

/// The limit for valid CPU numbers.
const CPUS: u32 = 1 << 16;
const NO_RUN: u32 = u32::MAX;

impl<'a> Switches<'a> {
    fn new(ran: &'a SchedSliceTable, idle: &'a [bool]) -> Self {
        Self {
            ran,
            idle,
            newest: Vec::new(),
            row: 0,
            comes: None,
        }
    }

    fn has_states(&self, said: &Implied) -> bool {
        self.idle.get(said.utid.row()) == Some(&false)
    }

    /// Processes the next switch; returns the state of the thread that leaves.
    fn switch(&mut self) -> Option<Implied> {
        let (row, ran) = (self.row, self.ran);
        let (ts, cpu) = (ran.ts.get(row), ran.cpu.get(row));
        self.row += 1;
        let utid = ran.utid.get(row);
        let state = TaskState::RUNNING;
        self.comes = Some(Implied {
            ts,
            utid,
            cpu,
            state,
        });
        if cpu >= CPUS {
            return None;
        }
        if cpu as usize >= self.newest.len() {
            self.newest.resize(cpu as usize + 1, NO_RUN);
        }
        let before = std::mem::replace(&mut self.newest[cpu as usize], row as u32);
        let before = Some(before as usize).filter(|_| before != NO_RUN)?;
        Some(Implied {
            ts,
            utid: ran.utid.get(before),
            cpu: u32::MAX,
            state: ran.end_state.get(before),
        })
    }
}

impl Iterator for Switches<'_> {
    type Item = Implied;

    fn next(&mut self) -> Option<Implied> {
        loop {
            let said = match self.comes.take() {
                Some(said) => Some(said),
                None if self.row < self.ran.len() => self.switch(),
                None => return None,
            };
            if let Some(said) = said.filter(|said| self.has_states(said)) {
                return Some(said);
            }
        }
    }
}

/// Writes the states, if enough of them are implied by switches.
pub(crate) fn write(trace: &Trace, out: &mut Vec<u8>) -> bool {
    let (ran, states) = (&trace.sched_slices, &trace.thread_states);
    let mut idle = vec![true; trace.threads.len()];
    states.utid.iter().for_each(|utid| idle[utid.row()] = false);
    let (origins, stored) = origins(Switches::new(ran, &idle), states);
    if stored.len() * 4 > states.len() * 3 {
        return false;
    }
    let mut runs = vec![false; idle.len()];
    let real = ran.utid.iter().filter_map(RowId::some);
    real.for_each(|utid| runs[utid.row()] = true);
    let listed = (0..idle.len()).filter(|&utid| idle[utid] && runs[utid]);
    let listed: Column<ThreadId> = listed.map(ThreadId::from_row).collect();
    TableWriter::new("idle_threads", listed.len())
        .column("utid", &listed)
        .finish(out);
    TableWriter::new("told_states", stored.len())
        .column("ts", &stored.ts)
        .key("utid", &stored.utid)
        .keyed("cpu", &stored.cpu, "utid")
        .keyed("state", &stored.state, "utid")
        .keyed("waker_utid", &stored.waker_utid, "utid")
        .finish(out);
    let keys = numbers(&states.utid);
    let order = by_key(&keys);
    let [ts, dur, keys] =
        [numbers(&states.ts), numbers(&states.dur), keys].map(|values| gather(&values, &order));
    let durs = next_residuals(&dur, &ts, &keys);
    let mut table = TableWriter::new("thread_states", states.len());
    table
        .numbers("origin", ORIGIN.code, &origins)
        .raw("dur", i64::KIND.code, DERIVED, Transform::Next, durs)
        .derived("io_wait", &states.io_wait, &order)
        .derived("blocked_function", &states.blocked_function, &order)
        .finish(out);
    true
}

/// For each state: 0 if it is stored explicitly, otherwise 1 plus the number of implied states that
/// are skipped before it. Also returns the rows that are stored explicitly.
fn origins(switches: Switches<'_>, states: &ThreadStateTable) -> (Vec<i64>, ThreadStateTable) {
    let said: Vec<Implied> = switches.collect();
    let (mut used, mut at) = (0, 0);
    let mut stored = ThreadStateTable::default();
    let mut origin = |row: usize| {
        let row = states.row(row);
        while said.get(at).is_some_and(|said| said.ts < row.ts) {
            at += 1;
        }
        let wanted = Implied {
            ts: row.ts,
            utid: row.utid,
            cpu: row.cpu,
            state: row.state,
        };
        let now = said[at..].iter().take_while(|said| said.ts == row.ts);
        let found = now.take(LOOK).position(|said| *said == wanted);
        match found.filter(|_| row.waker_utid == RowId::NONE) {
            None => {
                stored.push(row);
                0
            }
            Some(skipped) => {
                let place = at + skipped;
                let origin = 1 + (place - used) as i64;
                (used, at) = (place + 1, place + 1);
                origin
            }
        }
    };
    let origins = (0..states.len()).map(&mut origin).collect();
    (origins, stored)
}

/// The maximum number of implied states at one time that are searched.
const LOOK: usize = 64;

/// Restores the states.
pub(crate) fn put_together(parts: &Parts, table: &mut Table<'_>) -> Result<()> {
    let follow = follow(parts, table)?;
    let order = by_key(&follow.utid);
    let (ts, keys) = (gather(&follow.ts, &order), gather(&follow.utid, &order));
    let payload = table.payload("dur", &i64::KIND, Transform::Next)?;
    let durs = payload.and_then(|payload| next_durations(&mut Input(payload), &ts, &keys));
    let durs = durs.ok_or_else(|| table.truncated("dur"))?;
    table.work_out("dur", scatter(&durs, &order));
    table.set_order(DERIVED, order);
    table.work_out("ts", follow.ts);
    table.work_out("utid", follow.utid);
    table.work_out_small("cpu", follow.cpu);
    table.work_out_small("state", follow.state);
    table.work_out_small("waker_utid", follow.waker_utid);
    Ok(())
}

/// The number of an id, a CPU or a state: all fit, see [`Value::KIND`].
fn small(value: impl Value) -> i32 {
    value.number() as i32
}

/// The rows in order, from switches and from explicitly stored rows.
struct Followed {
    ts: Vec<i64>,
    utid: Vec<i64>,
    cpu: Vec<i32>,
    state: Vec<i32>,
    waker_utid: Vec<i32>,
}

impl Followed {
    fn of(rows: usize) -> Self {
        Self {
            ts: column(rows),
            utid: column(rows),
            cpu: column(rows),
            state: column(rows),
            waker_utid: column(rows),
        }
    }
}

fn column<T>(rows: usize) -> Vec<T> {
    // Bounded: `Table` refuses more rows than its block can hold.
    Vec::with_capacity(rows)
}

fn follow(parts: &Parts, table: &mut Table<'_>) -> Result<Followed> {
    let stored = &parts.stored;
    let mut idle = vec![false; parts.trace.threads.len()];
    for utid in parts.idle.utid.iter() {
        // An invalid thread is reported later.
        if let Some(idle) = idle.get_mut(utid.row()) {
            *idle = true;
        }
    }
    let mut switches = Switches::new(&parts.trace.sched_slices, &idle);
    let mut rows = 0..stored.len();
    let mut states = Followed::of(table.rows);
    for origin in table.values("origin", &ORIGIN, 0)? {
        let (said, waker) = match usize::try_from(origin) {
            Ok(0) => {
                let row = rows.next().ok_or_else(|| table.truncated("told_states"))?;
                let said = Implied {
                    ts: stored.ts.get(row),
                    utid: stored.utid.get(row),
                    cpu: stored.cpu.get(row),
                    state: stored.state.get(row),
                };
                (said, stored.waker_utid.get(row))
            }
            Ok(place) => {
                let said = switches.nth(place - 1);
                let said = said.ok_or_else(|| table.truncated("origin"))?;
                (said, ThreadId::NONE)
            }
            Err(_) => return Err(table.wrong("origin", origin, ("a place", "0 or more"))),
        };
        states.ts.push(said.ts);
        states.utid.push(said.utid.number());
        states.cpu.push(small(said.cpu));
        states.state.push(small(said.state));
        states.waker_utid.push(small(waker));
    }
    Ok(states)
}
