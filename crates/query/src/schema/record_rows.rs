//! The records of a trace, grouped by table.

use std::collections::HashMap;

use traceloom_trace::{StringId, Trace};

use super::declared::{DECLARED, Declared};

/// The records of a trace, grouped by table.
#[derive(Debug)]
pub(crate) struct RecordRows {
    tables: Vec<Rows>,
    /// The row of each record within its table.
    ranks: Vec<u32>,
}

/// The records of a table.
#[derive(Debug, Default)]
struct Rows {
    records: Vec<u32>,
    /// The name of each column in the trace; `None` if no record has it.
    keys: Vec<Option<StringId>>,
}

impl RecordRows {
    /// Finds the records of each table.
    pub fn new(trace: &Trace) -> Self {
        if trace.records.is_empty() {
            return Self {
                tables: Vec::new(),
                ranks: Vec::new(),
            };
        }
        let mut places = HashMap::new();
        for (place, declared) in DECLARED.iter().enumerate() {
            let ids = declared.names.iter().map(|name| trace.strings.lookup(name));
            places.extend(ids.flatten().map(|id| (id, place)));
        }
        let mut tables: Vec<Rows> = DECLARED
            .iter()
            .map(|declared| Rows::new(declared, trace))
            .collect();
        let ranks = trace.records.rows().table.iter().enumerate();
        let rank = |(record, table)| {
            let Some(place) = places.get(&table) else {
                return 0;
            };
            let records = &mut tables[*place].records;
            records.push(record as u32);
            records.len() as u32 - 1
        };
        let ranks = ranks.map(rank).collect();
        Self { tables, ranks }
    }

    /// The number of rows of the table at this position.
    pub fn count(&self, table: usize) -> usize {
        self.tables.get(table).map_or(0, |rows| rows.records.len())
    }

    /// The records of the table at this position.
    pub(super) fn records(&self, table: usize) -> &[u32] {
        self.tables.get(table).map_or(&[], |rows| &rows.records)
    }

    /// The record at a row of a table, and the name of a column in the trace. The row must exist.
    pub(super) fn cell(
        &self,
        (table, column): (usize, usize),
        row: usize,
    ) -> (usize, Option<StringId>) {
        let rows = &self.tables[table];
        (rows.records[row] as usize, rows.keys[column])
    }

    /// The row of a record within its table.
    pub(super) fn rank(&self, record: u32) -> Option<u32> {
        self.ranks.get(record as usize).copied()
    }

    /// Changes the row number that is shown in cells that refer to a record.
    pub(super) fn set_rank(&mut self, record: u32, rank: u32) {
        if let Some(known) = self.ranks.get_mut(record as usize) {
            *known = rank;
        }
    }
}

impl Rows {
    fn new(declared: &Declared, trace: &Trace) -> Self {
        let columns = declared.columns.iter();
        Self {
            records: Vec::new(),
            keys: columns
                .map(|(name, _)| trace.strings.lookup(name))
                .collect(),
        }
    }
}
