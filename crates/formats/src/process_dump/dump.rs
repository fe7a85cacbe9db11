//! Reads the lines of a dump in order: several tables, and lists of paths between them.

use rustc_hash::FxHashSet;
use traceloom_trace::TraceBuilder;

use super::table::{Columns, Row};
use super::{procfs, tasks};

/// The maximum length of a thread's name in the kernel, bytes.
const LONGEST_COMM: usize = 15;

/// Reads a dump line by line.
#[derive(Debug, Default)]
pub(crate) struct Dump {
    columns: Option<Columns>,
    /// The last process in a toolbox table. Its threads may follow.
    leader: Option<Leader>,
    /// The processes so far, in order.
    pids: Vec<i64>,
    /// How many of them are already in [`earlier`](Self::earlier).
    counted: usize,
    /// The processes of all tables before this one.
    earlier: FxHashSet<i64>,
}

/// A process in a toolbox table.
#[derive(Debug)]
struct Leader {
    pid: i64,
    user: Vec<u8>,
    size: Vec<u8>,
}

impl Dump {
    /// Reads a line; `false` if it does not belong to a dump.
    pub fn line(&mut self, line: &[u8], out: &mut TraceBuilder) -> bool {
        if let Some(found) = Columns::read(line) {
            self.columns = Some(found);
            self.leader = None;
            self.earlier.extend(&self.pids[self.counted..]);
            self.counted = self.pids.len();
            return true;
        }
        if procfs::is_list(line) {
            procfs::read(line, out);
            return true;
        }
        let Some(columns) = &self.columns else {
            return false;
        };
        let is_toolbox = columns.is_toolbox();
        match columns.row(line) {
            Some(row) if is_toolbox => self.toolbox(row, out),
            Some(row) => self.add(row, out),
            None => return false,
        }
        true
    }

    /// Ends the dump. A main thread without a name gets the name of its process.
    pub fn finish(&mut self, out: &mut TraceBuilder) {
        for pid in std::mem::take(&mut self.pids) {
            tasks::name_main_thread(pid, out);
        }
    }

    fn add(&mut self, row: Row<'_>, out: &mut TraceBuilder) {
        if row.tid.is_none_or(|tid| tid == row.pid) {
            self.pids.push(row.pid);
        }
        tasks::add(row, out);
    }

    /// Reads a row of toolbox. In `ps -t`, threads are not marked; the PPID of a thread is the number of its process. A
    /// thread has the same user and address space as its process, and a short name.
    fn toolbox(&mut self, mut row: Row<'_>, out: &mut TraceBuilder) {
        let is_thread = self.leader.as_ref().is_some_and(|leader| {
            row.ppid == Some(leader.pid) && row.user == leader.user && row.size == leader.size
        }) && row.size != b"0"
            && row.process.len() <= LONGEST_COMM
            && !row.process.starts_with(b"/")
            && !self.earlier.contains(&row.pid);
        if is_thread {
            row.tid = Some(row.pid);
            row.pid = row.ppid.take().unwrap_or(row.pid);
            row.thread = std::mem::take(&mut row.process);
        } else {
            self.leader = Some(Leader {
                pid: row.pid,
                user: row.user.to_vec(),
                size: row.size.to_vec(),
            });
        }
        self.add(row, out);
    }
}
