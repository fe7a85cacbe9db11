//! The references between objects of heap graphs, which are the longest table of many traces.
//!
//! A record stores the references of one object as its cells, so that each reference takes only one cell:
//!
//! ```text
//! record  table                   cells
//! 7       _heap_graph_references  owner_id → object 3, "Node A.next" → object 4, "Node A.next" → object 9, …
//! 8       _heap_graph_field       key "Node A.next", name "A.next", type "Node"
//! ```

use std::collections::HashMap;

use traceloom_trace::{ArgValue, RowId, StringId, Trace};

use super::declared::DECLARED;
use super::record_rows::RecordRows;

/// The tables of records that store the references and their fields.
const OBJECTS: &str = "_heap_graph_references";
const FIELDS: &str = "_heap_graph_field";

/// The number of cells of a record before its references.
pub(super) const BEFORE: usize = 1;

/// The positions of each object's references.
#[derive(Debug, Default)]
pub(super) struct References {
    /// The first row of each record. An object with many references has several records.
    pub firsts: Vec<usize>,
    /// The first row of the object of each record.
    pub sets: Vec<usize>,
    pub records: Vec<u32>,
    pub rows: usize,
    /// The name, the type and the old name of a field, by its key.
    pub fields: HashMap<StringId, [StringId; 3]>,
}

impl References {
    /// Finds the references. In cells that refer to a record with references, the row number becomes that of the
    /// record's first reference.
    pub fn new(trace: &Trace, rows: &mut RecordRows) -> Self {
        let mut references = Self {
            records: records_of(OBJECTS, rows),
            ..Self::default()
        };
        let mut last = ArgValue::Null;
        for record in &references.records {
            let mut cells = trace.records.cells(RowId::from_row(*record as usize));
            let owner = cells.next().map_or(ArgValue::Null, |(_, owner)| owner);
            let is_same = std::mem::replace(&mut last, owner) == owner;
            let before = references.sets.last().filter(|_| is_same);
            references
                .sets
                .push(before.copied().unwrap_or(references.rows));
            references.firsts.push(references.rows);
            rows.set_rank(*record, references.rows as u32);
            references.rows += cells.count();
        }
        let columns = ["key", "name", "type", "old_name"].map(|name| trace.strings.lookup(name));
        for record in records_of(FIELDS, rows) {
            let [key, texts @ ..] = columns.map(|column| {
                match column.and_then(|column| trace.records.cell(record as usize, column)) {
                    Some(ArgValue::Text(text)) => text,
                    _ => StringId::NULL,
                }
            });
            references.fields.insert(key, texts);
        }
        references
    }

    /// The position of the record that contains a row.
    fn place(&self, row: usize) -> usize {
        let after = self.firsts.partition_point(|first| *first <= row);
        after.saturating_sub(1)
    }

    /// The first row of the same object.
    pub fn set(&self, row: usize) -> usize {
        self.sets.get(self.place(row)).copied().unwrap_or(0)
    }

    /// The record that contains a row, and the first row of that record.
    pub fn at(&self, row: usize) -> (usize, usize) {
        let place = self.place(row);
        let record = self.records.get(place).map_or(0, |record| *record as usize);
        (record, self.firsts.get(place).copied().unwrap_or(0))
    }
}

fn records_of(table: &str, rows: &RecordRows) -> Vec<u32> {
    let place = DECLARED.iter().position(|it| it.names.contains(&table));
    place.map_or(Vec::new(), |place| rows.records(place).to_vec())
}
