//! One thread, told of by two sources: what an app recorded about itself, and what the scheduler saw of it. It has a
//! row in each.

use rustc_hash::FxHashMap;
use traceloom_trace::{RowId, ThreadId, Trace};

/// For threads without states of their own, the thread of another source that has them.
#[derive(Debug, Default)]
pub(crate) struct SameThreads(FxHashMap<ThreadId, ThreadId>);

impl SameThreads {
    /// Finds them by the numbers of thread and process, where only one thread with states has those.
    pub fn find(trace: &Trace, has_states: &dyn Fn(ThreadId) -> bool) -> Self {
        if trace.sources.len() < 2 || trace.thread_states.is_empty() {
            return Self::default();
        }
        let numbered = |utid| Some((utid, numbers(trace, utid)?));
        let threads = || (0..trace.threads.len()).map(ThreadId::from_row);
        let mut told: FxHashMap<(i64, i64), ThreadId> = FxHashMap::default();
        for (utid, numbers) in threads()
            .filter(|utid| has_states(*utid))
            .filter_map(numbered)
        {
            // Of two that had the numbers one after the other, it could be either.
            let first = told.entry(numbers).or_insert(utid);
            if *first != utid {
                *first = ThreadId::NONE;
            }
        }
        let without = threads().filter(|utid| !has_states(*utid));
        let found = |(utid, numbers)| Some((utid, told.get(&numbers)?.some()?));
        Self(without.filter_map(numbered).filter_map(found).collect())
    }

    /// The thread that has this one's states: mostly itself.
    pub fn of(&self, utid: ThreadId) -> ThreadId {
        self.0.get(&utid).copied().unwrap_or(utid)
    }
}

/// The numbers of a thread and its process. `None` for the idle thread, and where its process is not known.
fn numbers(trace: &Trace, utid: ThreadId) -> Option<(i64, i64)> {
    let row = utid.row();
    let (tid, process) = (
        trace.threads.tid.get(row),
        trace.threads.upid.get(row).some()?,
    );
    (tid != 0).then(|| (trace.processes.pid.get(process.row()), tid))
}
