//! Threads recorded by two sources, such as an app's own trace and the scheduler. Such a thread has
//! a row for each source.

use traceloom_trace::{RowId, ThreadId, Trace, sort};

/// For each thread without states, the row of the same thread that has them; sorted.
#[derive(Debug, Default)]
pub(crate) struct SameThreads(Vec<(ThreadId, ThreadId)>);

impl SameThreads {
    /// Finds such threads by tid and pid, if only one thread with states has the same numbers.
    pub fn find(trace: &Trace, has_states: &dyn Fn(ThreadId) -> bool) -> Self {
        if trace.sources.len() < 2 || trace.thread_states.is_empty() {
            return Self::default();
        }
        let (mut numbered, mut without) = (Vec::new(), Vec::new());
        for utid in (0..trace.threads.len()).map(ThreadId::from_row) {
            if let Some(numbers) = numbers(trace, utid) {
                if has_states(utid) {
                    numbered.push((numbers, utid))
                } else {
                    without.push((numbers, utid))
                }
            }
        }
        sort::by_key(&mut numbered, |one| *one);
        let mut same = Vec::new();
        for (numbers, utid) in without {
            let first = numbered.partition_point(|one| one.0 < numbers);
            // If the numbers were reused, the match is ambiguous.
            let mut alike = numbered[first..].iter().take_while(|one| one.0 == numbers);
            if let (Some((_, numbered)), None) = (alike.next(), alike.next()) {
                same.push((utid, *numbered));
            }
        }
        Self(same)
    }

    /// The thread that has the states of this thread, usually the thread itself.
    pub fn with_states(&self, utid: ThreadId) -> ThreadId {
        let found = self.0.binary_search_by_key(&utid, |(own, _)| *own);
        found.map_or(utid, |at| self.0[at].1)
    }
}

/// The pid and tid of a thread. `None` for the idle thread, and if the process is unknown.
fn numbers(trace: &Trace, utid: ThreadId) -> Option<(i64, i64)> {
    let row = utid.row();
    let (tid, process) = (
        trace.threads.tid.get(row),
        trace.threads.upid.get(row).some()?,
    );
    (tid != 0).then(|| (trace.processes.pid.get(process.row()), tid))
}
