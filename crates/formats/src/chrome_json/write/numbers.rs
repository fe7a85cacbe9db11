//! Assigns the numbers of processes and threads. They keep their own numbers unless two are equal.

use rustc_hash::FxHashSet;
use traceloom_trace::{ProcessId, RowId, ThreadId, Trace};

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
        let pids = unique(&mut pids.iter());
        let tids = unique(&mut tids.iter());
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
