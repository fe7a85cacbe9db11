//! The references between the objects of heap graphs: the table of a trace with the most rows.
//!
//! A record has the references of one object as its cells, so that a reference takes only one cell:
//!
//! ```text
//! record  table                   cells
//! 7       _heap_graph_references  owner_id → object 3, "Node A.next" → object 4, "Node A.next" → object 9, …
//! 8       _heap_graph_field       key "Node A.next", name "A.next", type "Node"
//! ```

use std::collections::HashMap;

use traceloom_trace::{ArgSetId, ArgValue, RowId, StringId, Trace};

use super::column::Kind::{JoinId, Long, String};
use super::column::{Cell, Table, column, id};
use super::data::Data;
use super::records::{RECORD_TABLES, RecordRows};

/// The tables of records that hold them.
const OBJECTS: &str = "_heap_graph_references";
const FIELDS: &str = "_heap_graph_field";

/// The cells of a record before its references.
const BEFORE: usize = 1;

pub(crate) const HEAP_GRAPH_REFERENCE: Table = Table {
    name: "heap_graph_reference",
    doc: "Which object of a Java heap refers to which.",
    rows: |data| data.references.rows,
    columns: &[
        id("id", "The reference."),
        column(
            "reference_set_id",
            Long,
            "The first reference of the same object.",
            |data, row| Cell::Int(data.references.set(row) as i64),
        ),
        column(
            "owner_id",
            JoinId("heap_graph_object"),
            "The object that has the reference.",
            |data, row| data.reference_owner(row),
        ),
        column(
            "owned_id",
            JoinId("heap_graph_object"),
            "The object it refers to; NULL for `null`.",
            |data, row| data.number(data.reference(row).1),
        ),
        column(
            "field_name",
            String,
            "The field, with its class.",
            |data, row| data.reference_field(row, 0),
        ),
        column(
            "field_type_name",
            String,
            "The type of the field.",
            |data, row| data.reference_field(row, 1),
        ),
        column(
            "deobfuscated_field_name",
            String,
            "The field before R8 renamed it.",
            |data, row| data.reference_field(row, 2),
        ),
    ],
};

/// Where the references of each object are.
#[derive(Debug, Default)]
pub(super) struct References {
    /// The first row of each record. An object with many references has several records.
    firsts: Vec<usize>,
    /// The first row of the object of each record.
    sets: Vec<usize>,
    records: Vec<u32>,
    rows: usize,
    /// The name, the type and the old name of a field, by its key.
    fields: HashMap<StringId, [StringId; 3]>,
}

impl References {
    /// Finds them. Cells that refer to a record with references become the number of the first one.
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

    /// The place of the record with a row.
    fn place(&self, row: usize) -> usize {
        let after = self.firsts.partition_point(|first| *first <= row);
        after.saturating_sub(1)
    }

    /// The first row of the same object.
    fn set(&self, row: usize) -> usize {
        self.sets.get(self.place(row)).copied().unwrap_or(0)
    }

    /// The record with a row, and the first row of that record.
    fn at(&self, row: usize) -> (usize, usize) {
        let place = self.place(row);
        let record = self.records.get(place).map_or(0, |record| *record as usize);
        (record, self.firsts.get(place).copied().unwrap_or(0))
    }
}

fn records_of(table: &str, rows: &RecordRows) -> Vec<u32> {
    let place = RECORD_TABLES
        .iter()
        .position(|it| it.names.contains(&table));
    place.map_or(Vec::new(), |place| rows.records(place).to_vec())
}

impl Data {
    /// The key of a reference, and the object it refers to.
    fn reference(&self, row: usize) -> (StringId, ArgValue) {
        let (record, first) = self.references.at(row);
        let records = &self.trace.records;
        let set = ArgSetId(records.rows().cells.get(record));
        records.all_cells().arg(set.row() + BEFORE + row - first)
    }

    fn reference_owner(&self, row: usize) -> Cell {
        let (record, _) = self.references.at(row);
        let set = ArgSetId(self.trace.records.rows().cells.get(record));
        self.number(self.trace.records.all_cells().arg(set.row()).1)
    }

    fn reference_field(&self, row: usize, which: usize) -> Cell {
        let names = self.references.fields.get(&self.reference(row).0);
        names.map_or(Cell::Null, |names| Cell::text(names[which]))
    }
}
