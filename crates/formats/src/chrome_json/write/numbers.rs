//! Assigns the numbers of processes and threads. They keep their own numbers unless two are equal.

use rustc_hash::FxHashSet;
use traceloom_trace::{Column, ProcessId, RowId, ThreadId, Trace};

/// Numbers by row.
pub(super) struct Numbers {
    pids: Vec<i64>,
    tids: Vec<i64>,
    /// The number of threads and processes whose number differs from the trace.
    pub renewed: u64,
}

impl Numbers {
    pub fn new(trace: &Trace) -> Self {
        let (pids, tids) = (&trace.processes.pid, &trace.threads.tid);
        let largest = pids.iter().chain(tids.iter()).max().unwrap_or(0);
        let mut next = largest.clamp(0, i64::MAX / 2) + 1;
        let mut renewed = 0;
        let mut unique = |numbers: &mut dyn Iterator<Item = i64>| {
            let mut seen = FxHashSet::default();
            let mut give = |number: i64| {
                if number >= 0 && seen.insert(number) {
                    return number;
                }
                // Replacing an unknown number loses nothing.
                renewed += u64::from(number >= 0);
                next += 1;
                next - 1
            };
            numbers.map(&mut give).collect::<Vec<_>>()
        };
        // Reserved rows take no number away from other rows.
        let (first_pid, first_tid) = (trace.real_processes().next(), trace.real_threads().next());
        let (first_pid, first_tid) = (
            first_pid.map_or(pids.len(), RowId::row),
            first_tid.map_or(tids.len(), RowId::row),
        );
        let mut numbers_from = |first: usize, numbers: &Column<i64>| {
            let reserved = numbers.iter().take(first);
            let others = unique(&mut numbers.iter().skip(first));
            reserved.chain(others).collect::<Vec<_>>()
        };
        let pids = numbers_from(first_pid, pids);
        let tids = numbers_from(first_tid, tids);
        Self {
            pids,
            tids,
            renewed,
        }
    }

    /// The pid of a process; 0 for no process.
    pub fn pid(&self, upid: ProcessId) -> i64 {
        upid.some().map_or(0, |upid| self.pids[upid.row()])
    }

    pub fn tid(&self, utid: ThreadId) -> i64 {
        self.tids[utid.row()]
    }
}
