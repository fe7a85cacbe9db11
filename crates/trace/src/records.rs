//! Records: rows of tables that few traces have and that only queries read, such as logs, packages or heap graphs.
//!
//! Readers name the table and the columns of each row, so a new table needs no change here:
//!
//! ```text
//! record  ts    table          cells
//! 0       1200  android_logs   prio 4, utid → thread 7, msg "ready"
//! 1       –     package_list   package_name "com.example", uid 10123
//! ```
//! A cell is stored like an argument. A row without a cell has NULL in that column.

use crate::args::{ArgTable, ArgValue};
use crate::ids::{ArgSetId, RecordId, RowId, StringId};
use crate::remap::Remap;
use crate::strings::StringPool;
use crate::tables::{NO_TIME, RecordRow, RecordTable};

/// The table of statistics of the recording and of the reader. SQL shows them in `stats`.
pub const FIGURES_TABLE: &str = "stats";

/// The table in which readers of archives list the files of the archive.
pub const FILES_TABLE: &str = "__intrinsic_trace_file";

/// The records of a trace, in the order in which they were added.
#[derive(Clone, Debug, Default)]
pub struct Records {
    rows: RecordTable,
    cells: ArgTable,
}

impl Records {
    /// Adds a record; `ts` in ns, or [`NO_TIME`].
    pub fn push(
        &mut self,
        ts: i64,
        table: StringId,
        cells: impl IntoIterator<Item = (StringId, ArgValue)>,
    ) -> RecordId {
        let cells = self.cells.push_set(cells).0;
        RecordId::from_row(self.rows.push(RecordRow { ts, table, cells }))
    }

    /// The number of records.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// The number of records that were recorded: all except statistics and files. `strings` are the trace's.
    pub fn recorded(&self, strings: &StringPool) -> usize {
        let tables = [FIGURES_TABLE, FILES_TABLE].map(|table| strings.lookup(table));
        let tables = tables.map(|table| table.unwrap_or(StringId::NULL));
        let of = self.rows.table.iter();
        of.filter(|table| !tables.contains(table)).count()
    }

    /// Whether there are no records.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The time and the table of each record, and the position of its cells.
    pub fn rows(&self) -> &RecordTable {
        &self.rows
    }

    /// The cells of all records.
    pub fn all_cells(&self) -> &ArgTable {
        &self.cells
    }

    /// Joins the parts again, for the reader of a report.
    pub fn from_parts(rows: RecordTable, cells: ArgTable) -> Self {
        Self { rows, cells }
    }

    /// The cells of a record: names of columns and values.
    pub fn cells(&self, id: RecordId) -> impl Iterator<Item = (StringId, ArgValue)> + '_ {
        self.cells.set(self.set(id.row()))
    }

    /// The value of a record in a column; `None` if the row does not have it.
    #[inline]
    pub fn cell(&self, row: usize, column: StringId) -> Option<ArgValue> {
        self.cells.value(self.set(row), column)
    }

    fn set(&self, row: usize) -> ArgSetId {
        ArgSetId(self.rows.cells.get(row))
    }

    pub(crate) fn remap(&mut self, to: &mut impl Remap) {
        self.rows.remap(to);
        self.cells.remap(to);
        self.cells.remap_rows(to);
    }

    /// Appends the records of another trace, whose ids already have their new values.
    pub(crate) fn append(&mut self, mut other: Self) {
        let before = self.cells.len() as u32;
        other.rows.cells.update(|cells| match cells {
            u32::MAX => cells,
            cells => cells + before,
        });
        self.rows.append(other.rows, |_| true);
        self.cells.append(other.cells);
    }

    pub(crate) fn times_mut(&mut self) -> &mut crate::column::Column<i64> {
        &mut self.rows.ts
    }

    /// The records without a time and those in the range, and the new row of each old record.
    pub(crate) fn cut(&self, from_ns: i64, until_ns: i64) -> (Self, Vec<RecordId>) {
        let mut kept = Self::default();
        let row = |row: usize| {
            let RecordRow { ts, table, .. } = self.rows.row(row);
            let is_kept = ts == NO_TIME || (from_ns..until_ns).contains(&ts);
            if is_kept {
                kept.push(ts, table, self.cells(RecordId::from_row(row)))
            } else {
                RecordId::NONE
            }
        };
        let new_rows = (0..self.len()).map(row).collect();
        (kept, new_rows)
    }

    /// Memory used, bytes.
    pub fn heap_bytes(&self) -> usize {
        self.rows.heap_bytes() + self.cells.heap_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Trace, TraceBuilder};

    /// A trace with a thread, a record that names it, and a record that names the first one.
    fn sample(ts: i64) -> Trace {
        let mut builder = TraceBuilder::new();
        builder.begin_source("file", "test");
        let thread = builder.thread(ts);
        let first = builder.record(ts, "logs", &[("utid", thread.into())]);
        builder.record(NO_TIME, "answers", &[("log", first.into())]);
        builder.finish()
    }

    fn value(trace: &Trace, row: usize, column: &str) -> Option<ArgValue> {
        trace.records.cell(row, trace.strings.lookup(column)?)
    }

    #[test]
    fn figures_and_files_are_not_recorded() {
        let mut builder = TraceBuilder::new();
        builder.stat("lost", Some(2), 0, 7);
        builder.record(NO_TIME, FILES_TABLE, &[("size", ArgValue::Int(5))]);
        let trace = builder.finish();
        assert_eq!(
            (trace.records.len(), trace.records.recorded(&trace.strings)),
            (2, 0)
        );
        let trace = sample(5);
        assert_eq!(trace.records.recorded(&trace.strings), 2);
    }

    #[test]
    fn rows_follow_when_traces_are_merged() {
        let mut merged = sample(5);
        merged.append(sample(7), 10);
        assert_eq!(merged.records.len(), 4);
        assert_eq!(merged.records.rows().ts.get(2), 17);
        let [utid, log] = [value(&merged, 2, "utid"), value(&merged, 3, "log")];
        assert_eq!(utid, Some(ArgValue::Row(crate::IdKind::Thread, 2)));
        assert_eq!(log, Some(ArgValue::Row(crate::IdKind::Record, 2)));
        assert_eq!(value(&merged, 0, "log"), None);
    }

    #[test]
    fn a_cut_keeps_what_has_no_time() {
        let cut = sample(5).cut(6, 9);
        assert_eq!(cut.records.len(), 1);
        assert_eq!(value(&cut, 0, "log"), Some(ArgValue::Null));
    }
}
