//! The kernel's idle threads, and the rows that PerfettoSQL reserves for them.

use crate::ids::{ProcessId, RowId, SourceId, StringId, ThreadId};
use crate::tables::{NO_NUMBER, NO_TIME, ProcessRow, ThreadRow};
use crate::trace::Trace;

impl Trace {
    /// The kernel's idle threads: those with the number 0 and without a process. In inputs with methods, 0 is a number
    /// of the virtual machine. Each kernel trace has at most one, which stands for the idle threads of all CPUs.
    pub fn idle_threads(&self) -> Vec<ThreadId> {
        let candidates = self.threads.tid.iter().zip(self.threads.upid.iter());
        let candidates = candidates.enumerate().filter_map(|(row, (tid, upid))| {
            (tid == 0 && upid == ProcessId::NONE).then_some(ThreadId::from_row(row))
        });
        let candidates: Vec<ThreadId> = candidates.collect();
        if candidates.is_empty() {
            return candidates;
        }
        let with_methods = self.sources_with_methods();
        let is_kernel = |thread: &ThreadId| {
            let source = self.threads.source.get(thread.row());
            with_methods.get(source.row()) != Some(&true)
        };
        candidates.into_iter().filter(is_kernel).collect()
    }

    /// For each source, whether it has methods.
    fn sources_with_methods(&self) -> Vec<bool> {
        let mut found = vec![false; self.sources.len()];
        for source in self.methods.source.iter() {
            if let Some(found) = found.get_mut(source.row()) {
                *found = true;
            }
        }
        found
    }

    /// Makes the idle process and its thread the first rows of their tables, as PerfettoSQL has them in every trace.
    /// The process is a new row. The thread is the first of [`idle_threads`](Self::idle_threads), or a new row without
    /// a name. All references follow. To be called once, on a trace that is only read from then on.
    pub fn put_idle_first(&mut self) {
        let process = self.processes.push(idle_process());
        self.put_processes_in(&first(process, self.processes.len()));
        let thread = match self.idle_threads().first() {
            Some(thread) => thread.row(),
            None => self.threads.push(idle_thread()),
        };
        *self.threads.upid.get_mut(thread) = ProcessId::from_row(0);
        *self.threads.is_main_thread.get_mut(thread) = true;
        if thread > 0 {
            self.put_threads_in(&first(thread, self.threads.len()));
        }
    }
}

/// The order in which one row comes first.
fn first(row: usize, rows: usize) -> Vec<u32> {
    let others = (0..rows as u32).filter(|&other| other as usize != row);
    std::iter::once(row as u32).chain(others).collect()
}

fn idle_process() -> ProcessRow {
    ProcessRow {
        pid: 0,
        name: StringId::NULL,
        cmdline: StringId::NULL,
        uid: NO_NUMBER,
        ppid: NO_NUMBER,
        start_ts: NO_TIME,
        end_ts: NO_TIME,
        source: SourceId::NONE,
    }
}

fn idle_thread() -> ThreadRow {
    ThreadRow {
        tid: 0,
        name: StringId::NULL,
        upid: ProcessId::NONE,
        is_main_thread: true,
        start_ts: NO_TIME,
        end_ts: NO_TIME,
        source: SourceId::NONE,
    }
}

#[cfg(test)]
mod tests;
