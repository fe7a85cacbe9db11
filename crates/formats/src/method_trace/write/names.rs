//! Assigns the numbers of threads and methods in the file, and formats their lines.

use rustc_hash::{FxHashMap, FxHashSet};
use traceloom_trace::{RowId, SliceId, StringId, ThreadId, Trace};

use super::calls::thread_of;
use crate::error::WriteError;
use crate::format_id;

/// Numbers for every thread and method that is written. Methods are numbered consecutively: first
/// those of the method table, then the names of other slices.
pub(super) struct Names {
    /// By row of the thread table; `None` if the thread is not written.
    tids: Vec<Option<i64>>,
    /// By method.
    ids: Vec<u32>,
    table_methods: usize,
    /// (name, category) of slices that are not calls.
    slice_names: Vec<(StringId, StringId)>,
    by_name: FxHashMap<(StringId, StringId), usize>,
}

impl Names {
    /// Keeps the numbers of the trace if they fit, and otherwise assigns new ones.
    pub fn assign(trace: &Trace, largest_tid: i64) -> Result<Self, WriteError> {
        let mut names = Self {
            tids: vec![None; trace.threads.len()],
            ids: Vec::new(),
            table_methods: trace.methods.len(),
            slice_names: Vec::new(),
            by_name: FxHashMap::default(),
        };
        let mut used = vec![false; trace.threads.len()];
        if !trace.methods.is_empty() {
            trace
                .real_threads()
                .for_each(|utid| used[utid.row()] = true);
        }
        for row in trace.slices.spans().map(|row| trace.slices.row(row)) {
            if let Some(thread) = thread_of(trace, row.track_id) {
                used[thread.row()] = true;
                if row.method_id.some().is_none() {
                    names.add_slice_name((row.name, row.category));
                }
            }
        }
        names.number_threads(trace, &used, largest_tid)?;
        names.number_methods(trace)?;
        Ok(names)
    }

    fn add_slice_name(&mut self, name: (StringId, StringId)) {
        if !self.by_name.contains_key(&name) {
            let method = self.table_methods + self.slice_names.len();
            self.by_name.insert(name, method);
            self.slice_names.push(name);
        }
    }

    fn number_threads(
        &mut self,
        trace: &Trace,
        used: &[bool],
        largest: i64,
    ) -> Result<(), WriteError> {
        let rows: Vec<usize> = (0..used.len()).filter(|row| used[*row]).collect();
        let mut seen = FxHashSet::default();
        let fits = rows.iter().all(|row| {
            let tid = trace.threads.tid.get(*row);
            (1..=largest).contains(&tid) && seen.insert(tid)
        });
        if !fits && rows.len() as i64 > largest {
            return Err(too_many(
                "threads",
                rows.len(),
                "65535 at most (version 1: 255)",
            ));
        }
        for (index, row) in rows.into_iter().enumerate() {
            let tid = if fits {
                trace.threads.tid.get(row)
            } else {
                index as i64 + 1
            };
            self.tids[row] = Some(tid);
        }
        Ok(())
    }

    fn number_methods(&mut self, trace: &Trace) -> Result<(), WriteError> {
        let count = self.table_methods + self.slice_names.len();
        let mut seen = FxHashSet::default();
        let fits = self.slice_names.is_empty()
            && trace
                .methods
                .raw_id
                .iter()
                .all(|id| id.is_multiple_of(4) && u32::try_from(id).is_ok() && seen.insert(id));
        if fits {
            self.ids = trace.methods.raw_id.iter().map(|id| id as u32).collect();
            return Ok(());
        }
        let last = u32::try_from(count)
            .ok()
            .and_then(|count| count.checked_mul(4));
        if last.is_none() {
            return Err(too_many("methods", count, "2^30 at most"));
        }
        self.ids = (0..count as u32).map(|index| index * 4).collect();
        Ok(())
    }

    /// The rows of the threads that are written.
    pub fn threads(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.tids.len()).filter(|row| self.tids[*row].is_some())
    }

    /// The number of the thread in this row.
    pub fn tid(&self, row: usize) -> i64 {
        self.tids[row].unwrap_or(0)
    }

    /// The name of the thread in this row, on one line.
    pub fn thread_name(&self, trace: &Trace, row: usize) -> String {
        let thread = ThreadId::from_row(row);
        one_field(trace.strings.get(trace.threads.name.get(thread.row())))
    }

    /// The number of methods.
    pub fn methods(&self) -> usize {
        self.ids.len()
    }

    /// The method that a slice calls.
    pub fn method_of(&self, trace: &Trace, slice: SliceId) -> usize {
        let slices = &trace.slices;
        if let Some(method) = slices.method_id.get(slice.row()).some() {
            return method.row();
        }
        let name = (
            slices.name.get(slice.row()),
            slices.category.get(slice.row()),
        );
        self.by_name.get(&name).copied().unwrap_or(0)
    }

    /// The id of a method in the file.
    pub fn method_id(&self, method: usize) -> u32 {
        self.ids[method]
    }

    /// The line of a method without the line end; `None` if the trace has only the id.
    pub fn method_line(&self, trace: &Trace, method: usize) -> Option<String> {
        let id = self.ids[method];
        let field = |text: StringId| one_field(trace.strings.get(text));
        if method >= self.table_methods {
            let (name, category) = self.slice_names[method - self.table_methods];
            // Old readers need a signature; a line without one would have a different layout.
            return Some(format!(
                "{id:#x}\t{}\t{}\t()\t",
                field(category),
                field(name)
            ));
        }
        let row = trace.methods.row(method);
        let texts = [row.class, row.name, row.signature, row.file];
        if texts.iter().all(|text| text.is_empty()) && row.line < 0 {
            return None;
        }
        let mut line = format!("{id:#x}");
        for text in texts {
            line.push('\t');
            line.push_str(&field(text));
        }
        if row.line != -1 {
            line.push_str(&format!("\t{}", row.line));
        }
        Some(line)
    }
}

fn too_many(option: &'static str, found: usize, expected: &'static str) -> WriteError {
    WriteError::Option {
        format: format_id::METHOD_TRACE,
        option,
        found: found.to_string(),
        expected,
    }
}

/// Replaces characters that would end the field of the text.
fn one_field(text: &str) -> String {
    text.replace(['\t', '\n', '\r'], " ")
}
