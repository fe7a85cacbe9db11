//! Records about CPUs.

use std::collections::BTreeMap;

use traceloom_trace::{ArgValue, Trace};

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
