//! Finds the state rows that a switch or a wake-up created.

use traceloom_trace::{RowId, TaskState, ThreadId, Trace};

/// The action of a thread at the start of a state: it leaves a CPU, gets a CPU, or is woken.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Leaves,
    Comes,
    Woken,
}

impl Role {
    pub fn fits(self, trace: &Trace, row: usize) -> bool {
        let runs = trace.thread_states.state.get(row) == TaskState::RUNNING;
        match self {
            Self::Comes => runs,
            Self::Leaves => !runs && trace.thread_states.waker_utid.get(row) == ThreadId::NONE,
            Self::Woken => !runs && trace.thread_states.waker_utid.get(row) != ThreadId::NONE,
        }
    }
}

/// The state rows of each thread, and the position of the search.
pub(super) struct States {
    rows: Vec<(u32, u32)>,
    starts: Vec<[usize; 3]>,
}

impl States {
    pub fn new(trace: &Trace) -> Self {
        let utids = trace.thread_states.utid.iter().enumerate();
        let mut rows: Vec<(u32, u32)> = utids.map(|(row, utid)| (utid.0, row as u32)).collect();
        rows.sort_unstable();
        let start = |utid: usize| rows.partition_point(|row| (row.0 as usize) < utid);
        let starts = (0..trace.threads.len()).map(|utid| [start(utid); 3]);
        Self {
            starts: starts.collect(),
            rows,
        }
    }

    /// Like [`find`](Self::find), without going past the row.
    pub fn peek(&mut self, trace: &Trace, utid: ThreadId, ts: i64, role: Role) -> Option<usize> {
        let found = self.find(trace, utid, ts, role)?;
        self.starts[utid.row()][role as usize] -= 1;
        Some(found)
    }

    /// The thread's first state row that began at `ts`.
    pub fn first(&self, trace: &Trace, utid: ThreadId, ts: i64) -> Option<usize> {
        let &(owner, row) = self.rows.get(self.from(trace, utid, ts))?;
        let is_it = owner == utid.0 && trace.thread_states.ts.get(row as usize) == ts;
        is_it.then_some(row as usize)
    }

    /// Whether the thread ran, or was ready to run, until `ts`.
    pub fn was_ready(&self, trace: &Trace, utid: ThreadId, ts: i64) -> bool {
        let before = self.from(trace, utid, ts).checked_sub(1);
        let before = before.map(|at| self.rows[at]);
        before
            .filter(|row| row.0 == utid.0)
            .is_some_and(|(_, row)| {
                let row = trace.thread_states.row(row as usize);
                let is_ready = row.state == TaskState::RUNNING || row.state.is_runnable();
                is_ready && row.ts.saturating_add(row.dur) == ts
            })
    }

    /// The first row of a thread that begins at `ts` or later.
    fn from(&self, trace: &Trace, utid: ThreadId, ts: i64) -> usize {
        let key = |row: &(u32, u32)| (row.0, trace.thread_states.ts.get(row.1 as usize));
        self.rows.partition_point(|row| key(row) < (utid.0, ts))
    }

    /// The thread's next state row that began at `ts` in this role. Calls come in order of time, so
    /// every row is visited once.
    pub fn find(&mut self, trace: &Trace, utid: ThreadId, ts: i64, role: Role) -> Option<usize> {
        let at = &mut self.starts.get_mut(utid.row())?[role as usize];
        while let Some(&(_, row)) = self.rows.get(*at).filter(|row| row.0 == utid.0) {
            let row = row as usize;
            let begins = trace.thread_states.ts.get(row);
            if begins > ts {
                return None;
            }
            *at += 1;
            if begins == ts && role.fits(trace, row) {
                return Some(row);
            }
        }
        None
    }
}
