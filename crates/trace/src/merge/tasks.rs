//! Finds the processes and threads that another trace shares with this one.

use rustc_hash::FxHashMap;

use crate::ids::{ArgSetId, ProcessId, RowId, SourceId, StringId, ThreadId};
use crate::tables::{NO_NUMBER, NO_TIME, ProcessRow, ThreadRow};
use crate::trace::Trace;

/// The first rows of a trace whose processes and threads may be shared with a further input.
#[derive(Clone, Copy, Debug)]
pub struct Shared {
    processes: usize,
    threads: usize,
}

impl Shared {
    /// The rows that are added from now on.
    pub fn from_here(trace: &Trace) -> Self {
        Self {
            processes: trace.processes.len(),
            threads: trace.threads.len(),
        }
    }
}

/// For each process and thread of the other trace the row that it shares, if any.
pub(super) struct Tasks {
    pub processes: Vec<Option<u32>>,
    pub threads: Vec<Option<u32>>,
}

/// The machine and the number of a process or a thread.
type Number = (i64, i64);

impl Tasks {
    /// Only the reserved rows are shared. If both traces have an idle thread, that of the other trace gets its own
    /// row.
    pub fn separate(new: &Trace, other: &Trace) -> Self {
        let mut tasks = Self {
            processes: vec![None; other.processes.len()],
            threads: vec![None; other.threads.len()],
        };
        tasks.processes[ProcessId::IDLE.row()] = Some(ProcessId::IDLE.0);
        if !(new.has_idle_thread() && other.has_idle_thread()) {
            tasks.threads[ThreadId::IDLE.row()] = Some(ThreadId::IDLE.0);
        }
        tasks
    }

    /// A number that identifies one process or thread in each trace identifies the same one in both, on the same
    /// machine. A reused number is not shared, because only the times could show which one it means.
    pub fn shared(new: &Trace, other: &Trace, from: Shared) -> Self {
        let mut tasks = Self::separate(new, other);
        tasks.threads[ThreadId::IDLE.row()] = Some(ThreadId::IDLE.0);
        let ours = only_ones(from.processes, new.processes.len(), |row| {
            process_number(new, row)
        });
        let theirs = only_ones(1, other.processes.len(), |row| process_number(other, row));
        for (number, row) in theirs {
            tasks.processes[row] = ours.get(&number).map(|row| *row as u32);
        }
        let ours = only_ones(from.threads, new.threads.len(), |row| {
            thread_number(new, row)
        });
        let theirs = only_ones(1, other.threads.len(), |row| thread_number(other, row));
        for (number, row) in theirs {
            let known = ours.get(&number).copied();
            let known = known.filter(|known| tasks.agree((new, *known), (other, row)));
            tasks.threads[row] = known.map(|row| row as u32);
        }
        tasks
    }

    /// Whether two threads are in the same process, as far as known.
    fn agree(&self, (new, ours): (&Trace, usize), (other, theirs): (&Trace, usize)) -> bool {
        let ours = new.threads.upid.get(ours);
        let theirs = other.threads.upid.get(theirs);
        let same = self.processes.get(theirs.row()).copied().flatten();
        ours == ProcessId::NONE || theirs == ProcessId::NONE || same == Some(ours.0)
    }
}

/// The numbers that only one row has, with their rows.
fn only_ones(
    first: usize,
    end: usize,
    number: impl Fn(usize) -> Option<Number>,
) -> FxHashMap<Number, usize> {
    let mut rows: FxHashMap<Number, Option<usize>> = FxHashMap::default();
    for row in first..end {
        if let Some(number) = number(row) {
            let known = rows.entry(number);
            known.and_modify(|row| *row = None).or_insert(Some(row));
        }
    }
    let only = rows.into_iter();
    only.filter_map(|(number, row)| Some((number, row?)))
        .collect()
}

fn process_number(trace: &Trace, row: usize) -> Option<Number> {
    let pid = trace.processes.pid.get(row);
    let machine = machine(trace, trace.processes.source.get(row));
    (pid != NO_NUMBER).then_some((machine, pid))
}

fn thread_number(trace: &Trace, row: usize) -> Option<Number> {
    let machine = machine(trace, trace.threads.source.get(row));
    Some((machine, trace.threads.tid.get(row)))
}

fn machine(trace: &Trace, source: SourceId) -> i64 {
    if source == SourceId::NONE {
        return 0;
    }
    trace.sources.machine.get(source.row())
}

impl Trace {
    /// Fills gaps in the processes and threads that both traces have. The ids in `other` already refer to this trace.
    pub(super) fn complete(&mut self, other: &Trace, tasks: &Tasks) {
        for (row, shared) in tasks.processes.iter().enumerate().skip(1) {
            if let Some(shared) = shared {
                self.complete_process(*shared as usize, &other.processes.row(row));
            }
        }
        for (row, shared) in tasks.threads.iter().enumerate().skip(1) {
            if let Some(shared) = shared {
                self.complete_thread(*shared as usize, &other.threads.row(row));
            }
        }
    }

    /// Completes a process with what another trace has about it.
    fn complete_process(&mut self, row: usize, more: &ProcessRow) {
        let table = &mut self.processes;
        fill(table.name.get_mut(row), more.name, StringId::is_empty);
        fill(table.cmdline.get_mut(row), more.cmdline, StringId::is_empty);
        fill(table.uid.get_mut(row), more.uid, |uid| uid == NO_NUMBER);
        fill(table.ppid.get_mut(row), more.ppid, |pid| pid == NO_NUMBER);
        let start = table.start_ts.get_mut(row);
        fill(start, more.start_ts, |ts| ts == NO_TIME);
        fill(table.end_ts.get_mut(row), more.end_ts, |ts| ts == NO_TIME);
        let args = table.arg_set_id.get_mut(row);
        fill(args, more.arg_set_id, |set| set == ArgSetId::NONE);
    }

    /// Completes a thread.
    fn complete_thread(&mut self, row: usize, more: &ThreadRow) {
        let table = &mut self.threads;
        fill(table.name.get_mut(row), more.name, StringId::is_empty);
        let upid = table.upid.get_mut(row);
        fill(upid, more.upid, |upid| upid == ProcessId::NONE);
        *table.is_main_thread.get_mut(row) |= more.is_main_thread;
        let start = table.start_ts.get_mut(row);
        fill(start, more.start_ts, |ts| ts == NO_TIME);
        fill(table.end_ts.get_mut(row), more.end_ts, |ts| ts == NO_TIME);
        let args = table.arg_set_id.get_mut(row);
        fill(args, more.arg_set_id, |set| set == ArgSetId::NONE);
    }
}

/// Takes over a value where there is none.
fn fill<T: Copy>(value: &mut T, more: T, is_unknown: impl Fn(T) -> bool) {
    if is_unknown(*value) {
        *value = more;
    }
}
