//! One thread, told of by two sources: what an app recorded about itself, and what the scheduler saw of it. It has a
//! row in each.

use traceloom_trace::{RowId, ThreadId, Trace};

/// For threads without states of their own, the thread of another source that has them; in order.
#[derive(Debug, Default)]
pub(crate) struct SameThreads(Vec<(ThreadId, ThreadId)>);

impl SameThreads {
    /// Finds them by the numbers of thread and process, where only one thread with states has those.
    pub fn find(trace: &Trace, has_states: &dyn Fn(ThreadId) -> bool) -> Self {
        if trace.sources.len() < 2 || trace.thread_states.is_empty() {
            return Self::default();
        }
        let (mut told, mut without) = (Vec::new(), Vec::new());
        for utid in (0..trace.threads.len()).map(ThreadId::from_row) {
            if let Some(numbers) = numbers(trace, utid) {
                if has_states(utid) {
                    told.push((numbers, utid))
                } else {
                    without.push((numbers, utid))
                }
            }
        }
        told.sort_unstable();
        let mut same = Vec::new();
        for (numbers, utid) in without {
            let first = told.partition_point(|one| one.0 < numbers);
            // Of two that had the numbers one after the other, it could be either.
            let mut alike = told[first..].iter().take_while(|one| one.0 == numbers);
            if let (Some((_, told)), None) = (alike.next(), alike.next()) {
                same.push((utid, *told));
            }
        }
        Self(same)
    }

    /// The thread that has this one's states: mostly itself.
    pub fn of(&self, utid: ThreadId) -> ThreadId {
        let found = self.0.binary_search_by_key(&utid, |(own, _)| *own);
        found.map_or(utid, |at| self.0[at].1)
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
