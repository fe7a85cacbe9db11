//! The names of threads in the kernel's events, by time.

use traceloom_trace::{RowId, StringId, ThreadId, Trace};

/// The names of each thread, and the position of the next unused one. Queried in order of time.
pub(super) struct Names<'t> {
    trace: &'t Trace,
    /// Rows of the names, by thread.
    rows: Vec<(u32, u32)>,
    /// The first row of each thread that was not used, and the last name.
    threads: Vec<(usize, Option<StringId>)>,
}

impl<'t> Names<'t> {
    pub fn new(trace: &'t Trace) -> Self {
        let utids = trace.thread_names.utid.iter().enumerate();
        let mut rows: Vec<(u32, u32)> = utids.map(|(row, utid)| (utid.0, row as u32)).collect();
        rows.sort_unstable();
        let start = |utid: usize| rows.partition_point(|row| (row.0 as usize) < utid);
        let threads = (0..trace.threads.len()).map(|utid| (start(utid), None));
        Self {
            threads: threads.collect(),
            trace,
            rows,
        }
    }

    /// The name in the next event that names the thread. If several names begin at `ts`, each event uses the next one,
    /// so that all of them are used.
    pub fn next_name(&mut self, utid: ThreadId, ts: i64) -> Option<StringId> {
        let (at, name) = self.threads.get_mut(utid.row())?;
        while let Some((_, row)) = self.rows.get(*at).filter(|row| row.0 == utid.0) {
            let row = self.trace.thread_names.row(*row as usize);
            if row.ts > ts {
                break;
            }
            (*at, *name) = (*at + 1, Some(row.name));
            if row.ts == ts {
                break;
            }
        }
        *name
    }
}
