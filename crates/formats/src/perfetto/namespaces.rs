//! Translates pids and tids inside PID namespaces of containers.
//!
//! ```text
//! process tree   pid 1003, inside 1     tid 1005 of it, inside 3
//! descriptor     by pid 1003            thread: pid 1, tid 3      means 1003, 1005
//! ```
//! A program in a container uses other pids and tids than the kernel and the recorder. The writer of a packet is
//! identified by its pid outside the container.

use rustc_hash::FxHashMap;

use super::wire::Fields;

/// The processes in containers, by machine and by pid outside.
#[derive(Debug, Default)]
pub(super) struct Namespaces(FxHashMap<(u32, i32), Namespace>);

/// A process in a container.
#[derive(Debug, Default)]
struct Namespace {
    /// The pid inside the innermost namespace, and the index of that namespace in the list of inner pids and tids.
    inner: i64,
    level: usize,
    /// The outer tids of its threads, by inner tid.
    threads: FxHashMap<i64, i32>,
}

impl Namespaces {
    /// Adds a `ProcessTree`.
    pub fn tree(&mut self, tree: &[u8], machine: u32) {
        let all = |number| Fields::new(tree).filter(move |field| field.number == number);
        for process in all(1) {
            self.process(process.fields(), machine);
        }
        for thread in all(2) {
            self.thread(thread.fields(), machine);
        }
    }

    fn process(&mut self, fields: Fields<'_>, machine: u32) {
        let (mut pid, mut inner) = (0, Vec::new());
        for field in fields {
            match field.number {
                1 => pid = field.int32(),
                6 => inner.extend(field.numbers()),
                _ => {}
            }
        }
        if let Some(last) = inner.last() {
            let namespace = Namespace {
                inner: i64::from(*last as i32),
                level: inner.len() - 1,
                threads: FxHashMap::default(),
            };
            self.0.insert((machine, pid), namespace);
        }
    }

    fn thread(&mut self, fields: Fields<'_>, machine: u32) {
        let (mut tid, mut pid, mut inner) = (0, 0, Vec::new());
        for field in fields {
            match field.number {
                1 => tid = field.int32(),
                3 => pid = field.int32(),
                4 => inner.extend(field.numbers()),
                _ => {}
            }
        }
        if let Some(namespace) = self.0.get_mut(&(machine, pid))
            && let Some(inner) = inner.get(namespace.level)
        {
            let inner = i64::from(*inner as i32);
            namespace.threads.entry(inner).or_insert(tid);
        }
    }

    /// The outer pid or tid for `inner`, which `writer` wrote from inside its container.
    pub fn outer(&self, writer: (u32, i32), inner: i64) -> Option<i32> {
        let namespace = self.0.get(&writer)?;
        let main = (inner == namespace.inner).then_some(writer.1);
        main.or_else(|| namespace.threads.get(&inner).copied())
    }
}
