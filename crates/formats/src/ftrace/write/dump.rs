//! Processes and threads that no line shows, written as the `ps` tables that systrace puts next to the events: names
//! of processes that differ from those of their main threads, their users and parents, and threads without events.

use std::io::{self, Write};

use rustc_hash::FxHashMap;
use traceloom_trace::{NO_NUMBER, NO_TIME, ProcessRow, RowId, ThreadRow, Trace, sort};

use crate::omissions::busy_threads;

/// The titles of systrace's table of processes. Readers expect all of them.
const PROCESSES: &str = "USER           PID  PPID     VSZ    RSS WCHAN            PC S NAME                        COMM";
/// The titles of its table of threads.
const THREADS: &str = "USER           PID   TID CMD";

/// The rows of both tables.
pub(crate) struct Dump<'t> {
    trace: &'t Trace,
    processes: Vec<ProcessRow>,
    /// Threads, each with the pid of its process.
    threads: Vec<(i64, ThreadRow)>,
}

impl<'t> Dump<'t> {
    pub fn new(trace: &'t Trace) -> Self {
        let busy = busy_threads(trace);
        let mut dump = Self {
            trace,
            processes: Vec::new(),
            threads: Vec::new(),
        };
        dump.add_processes(&busy);
        dump.add_threads(&busy);
        // Rows of tables are in the order of first mention, which depends on the text.
        sort::by_key(&mut dump.processes, |process| process.pid);
        sort::by_key(&mut dump.threads, |(pid, thread)| (*pid, thread.tid));
        dump
    }

    /// Adds processes that the lines of events do not describe completely.
    fn add_processes(&mut self, busy: &[bool]) {
        let trace = self.trace;
        let mut mains = FxHashMap::default();
        for (row, thread) in trace.threads.rows().enumerate() {
            if let Some(upid) = thread.upid.some().filter(|_| thread.is_main_thread) {
                mains.insert(upid.row(), (thread.name, busy[row]));
            }
        }
        let last = last_rows(trace.processes.pid.iter());
        for (row, process) in trace.processes.rows().enumerate() {
            let main = mains.get(&row).filter(|(_, is_busy)| *is_busy);
            // The reader would give such a main thread the name of the process.
            let is_misread = main.is_some_and(|(name, _)| name.is_empty());
            let is_named = main.is_none_or(|(name, _)| *name != process.name);
            let has_parent = process.ppid != NO_NUMBER && process.start_ts == NO_TIME;
            let is_needed = is_named || process.uid != NO_NUMBER || has_parent;
            let is_last = process.end_ts == NO_TIME && last.get(&process.pid) == Some(&row);
            let fits = process.pid > 0 && fits(trace.strings.get(process.name));
            if is_needed && is_last && fits && !is_misread {
                self.processes.push(process);
            }
        }
    }

    /// Adds threads without lines.
    fn add_threads(&mut self, busy: &[bool]) {
        let trace = self.trace;
        let last = last_rows(trace.threads.tid.iter());
        for (row, thread) in trace
            .threads
            .rows()
            .enumerate()
            .filter(|(row, _)| !busy[*row])
        {
            let Some(upid) = thread.upid.some() else {
                continue;
            };
            let process = trace.processes.row(upid.row());
            let ended = [process.end_ts, thread.end_ts]
                .iter()
                .any(|ts| *ts != NO_TIME);
            let is_last = !ended && last.get(&thread.tid) == Some(&row);
            let fits = thread.tid > 0 && process.pid > 0 && fits(trace.strings.get(thread.name));
            if is_last && fits {
                self.threads.push((process.pid, thread));
            }
        }
    }

    pub fn is_empty(&self) -> bool {
        self.processes.is_empty() && self.threads.is_empty()
    }

    /// The number of processes that are written completely.
    pub fn whole_processes(&self) -> u64 {
        let processes = self.processes.iter();
        processes
            .filter(|process| process.cmdline.is_empty())
            .count() as u64
    }

    /// The number of threads without events.
    pub fn threads(&self) -> u64 {
        self.threads.len() as u64
    }

    /// Writes the tables. `?` means unknown. Columns that the model does not have are `0`.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let text = |id| self.trace.strings.get(id);
        if !self.processes.is_empty() {
            writeln!(out, "{PROCESSES}")?;
        }
        for process in &self.processes {
            let [user, parent] = [process.uid, process.ppid].map(known);
            let (pid, name) = (process.pid, text(process.name));
            writeln!(
                out,
                "{user:<12} {pid:>5} {parent:>5} {0:>7} {0:>6} {0:<16} {0:>2} S {name:<26}  -",
                0
            )?;
        }
        if !self.threads.is_empty() {
            writeln!(out, "{THREADS}")?;
        }
        for (pid, thread) in &self.threads {
            let (tid, name) = (thread.tid, text(thread.name));
            writeln!(out, "{:<12} {pid:>5} {tid:>5} {name}", "?")?;
        }
        Ok(())
    }
}

/// The last row of each number. A table has one line a number, so it shows only the last lifetime.
fn last_rows(numbers: impl Iterator<Item = i64>) -> FxHashMap<i64, usize> {
    numbers
        .enumerate()
        .map(|(row, number)| (number, row))
        .collect()
}

/// Whether a table can hold this name: it has no brackets, which mark kernel threads, and none of
/// the gaps that separate columns.
fn fits(name: &str) -> bool {
    let is_plain = !name.contains("  ") && !name.contains(char::is_control);
    !name.is_empty() && is_plain && name.trim() == name && !name.starts_with('[')
}

fn known(number: i64) -> String {
    match number {
        NO_NUMBER => "?".to_owned(),
        number => number.to_string(),
    }
}
