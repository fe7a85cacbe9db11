//! The table of references between objects of heap graphs.

use traceloom_trace::{ArgSetId, ArgValue, RowId, StringId};

use super::column::Kind::{JoinId, Long, String};
use super::column::{Cell, Table, column, id};
use super::data::Data;
use super::references::BEFORE;

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
