//! The rows that every trace reserves for the kernel's idle process and its thread.
//!
//! In PerfettoSQL they are the first rows of their tables, even if the trace has no scheduling events. The process is
//! not otherwise part of the trace: no row refers to it, and the idle thread belongs to no process that a trace names.

use std::collections::HashMap;

use crate::args::ArgValue;
use crate::ids::{ArgSetId, ProcessId, RowId, SourceId, ThreadId};
use crate::tables::{ProcessRow, ThreadRow};
use crate::trace::Trace;

/// The argument that marks a thread as an idle thread, where its number does not.
pub const IS_IDLE: &str = "is_idle";

impl Trace {
    /// The processes of the inputs: all except the reserved row.
    pub fn real_processes(&self) -> impl DoubleEndedIterator<Item = ProcessId> + use<> {
        (1..self.processes.len()).map(ProcessId::from_row)
    }

    /// The threads of the inputs: all except the reserved row, unless an input has an idle thread.
    pub fn real_threads(&self) -> impl DoubleEndedIterator<Item = ThreadId> + use<> {
        let first = usize::from(!self.has_idle_thread());
        (first..self.threads.len()).map(ThreadId::from_row)
    }

    /// Whether the first thread is the idle thread of an input, and not only a reserved row.
    pub(crate) fn has_idle_thread(&self) -> bool {
        let sources = &self.threads.source;
        !sources.is_empty() && sources.get(ThreadId::IDLE.row()) != SourceId::NONE
    }

    /// The kernel's idle threads, in order: the first row, and those of further kernel traces. A Linux trace has at
    /// most one, which stands for the idle threads of all CPUs. Traces of other kernels mark theirs with [`IS_IDLE`].
    pub fn idle_threads(&self) -> Vec<ThreadId> {
        let mut further = self.kernel_threads_0(ThreadId::IDLE.row() + 1);
        further.extend(self.marked_as_idle());
        further.sort_unstable();
        further.dedup();
        std::iter::once(ThreadId::IDLE).chain(further).collect()
    }

    /// The threads whose argument [`IS_IDLE`] is true, except the first row.
    fn marked_as_idle(&self) -> Vec<ThreadId> {
        let Some(mark) = self.strings.lookup(IS_IDLE) else {
            return Vec::new();
        };
        // Many threads may share a long set.
        let mut known: HashMap<ArgSetId, bool> = HashMap::new();
        let mut is_marked = |set| {
            *known.entry(set).or_insert_with(|| {
                let mut args = self.args.set(set);
                args.any(|arg| arg == (mark, ArgValue::Bool(true)))
            })
        };
        let sets = self.threads.arg_set_id.iter().enumerate().skip(1);
        let marked = sets.filter(|(_, set)| set.some().is_some_and(&mut is_marked));
        marked.map(|(row, _)| ThreadId::from_row(row)).collect()
    }

    /// The threads from row `first` on whose number is 0 and that have no process. In inputs with methods, 0 is a
    /// number of the virtual machine.
    fn kernel_threads_0(&self, first: usize) -> Vec<ThreadId> {
        let candidates = self.threads.tid.iter().zip(self.threads.upid.iter());
        let candidates = candidates.enumerate().skip(first);
        let candidates = candidates.filter_map(|(row, (tid, upid))| {
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

    /// Adds the reserved rows to tables that were stored without them. The thread is the kernel's first idle thread,
    /// or a new row. All references are updated.
    pub fn reserve_idle_rows(&mut self) {
        let process = self.processes.push(ProcessRow::idle());
        self.put_processes_in(&first(process, self.processes.len()));
        let thread = match self.kernel_threads_0(0).first() {
            Some(thread) => thread.row(),
            None => self.threads.push(ThreadRow::idle()),
        };
        if thread > 0 {
            self.put_threads_in(&first(thread, self.threads.len()));
        }
    }
}

/// The order in which `row` comes first.
fn first(row: usize, rows: usize) -> Vec<u32> {
    let others = (0..rows as u32).filter(|&other| other as usize != row);
    std::iter::once(row as u32).chain(others).collect()
}

#[cfg(test)]
mod tests;
