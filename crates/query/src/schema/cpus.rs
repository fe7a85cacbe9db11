//! The CPUs that the trace names, and what is known about them.

use std::collections::BTreeMap;

use traceloom_trace::{ArgValue, StringId, Trace};

use super::cell::Cell;
use super::data::Data;

/// The records about CPUs, by the CPU's number.
pub(super) fn records(trace: &Trace) -> BTreeMap<u32, usize> {
    let (Some(table), Some(key)) = (trace.strings.lookup("cpu"), trace.strings.lookup("cpu"))
    else {
        return BTreeMap::new();
    };
    let tables = trace.records.rows().table.iter().enumerate();
    let rows = tables.filter(|(_, of)| *of == table).map(|(row, _)| row);
    let cpu = |row| match trace.records.cell(row, key) {
        Some(ArgValue::Int(cpu)) => Some((u32::try_from(cpu).ok()?, row)),
        _ => None,
    };
    rows.filter_map(cpu).collect()
}

impl Data {
    /// What a column of `cpu` has; NULL if the trace does not tell.
    pub(super) fn cpu_fact(&self, row: usize, column: &str) -> Cell {
        let record = self.cpus.get(row).and_then(|cpu| self.cpu_records.get(cpu));
        let value = record.and_then(|record| {
            let key: StringId = self.trace.strings.lookup(column)?;
            self.trace.records.cell(*record, key)
        });
        match value {
            Some(ArgValue::Int(value)) => Cell::Int(value),
            Some(ArgValue::Text(text)) => Cell::text(text),
            Some(ArgValue::Row(_, row)) => Cell::Int(row.into()),
            _ => Cell::Null,
        }
    }
}
