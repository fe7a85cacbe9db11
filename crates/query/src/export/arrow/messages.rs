//! The metadata of an Arrow file, as flatbuffers. The numbers of fields, types and versions come from Arrow's `.fbs`
//! files.

use flatbuffers::{FlatBufferBuilder, UnionWIPOffset, WIPOffset};

use super::column::{Column, Kind};

/// MetadataVersion.V5.
const VERSION: i16 = 4;

type Builder = FlatBufferBuilder<'static>;
/// A table of any type.
type Table = WIPOffset<UnionWIPOffset>;

/// The offset of slot `number` in a flatbuffers vtable: two bytes per slot, after the two sizes.
fn slot(number: u16) -> u16 {
    4 + 2 * number
}

/// The position of a batch in the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    pub offset: u64,
    /// Bytes of the metadata, with its header and padding.
    pub metadata: u64,
    pub body: u64,
}

/// The message that names the columns and their types.
pub(super) fn schema_message(fields: &[(String, Kind)]) -> Vec<u8> {
    let mut builder = Builder::new();
    let schema = schema(&mut builder, fields);
    // MessageHeader.Schema
    message(builder, 1, schema, 0)
}

/// The message before the contents of a batch. `lengths` has the bytes of each buffer; each begins at a multiple of 8.
pub(super) fn batch_message(columns: &[Column], lengths: &[usize]) -> Vec<u8> {
    let mut builder = Builder::new();
    let rows = columns.first().map_or(0, Column::rows);
    let nodes = columns
        .iter()
        .map(|column| [column.rows() as i64, column.nulls() as i64]);
    let nodes = structs(&mut builder, nodes.collect());
    let mut offset = 0;
    let buffers = lengths.iter().map(|&length| {
        let start = offset;
        offset += padded(length);
        [start as i64, length as i64]
    });
    let buffers = structs(&mut builder, buffers.collect());
    let table = builder.start_table();
    builder.push_slot_always(slot(0), rows as i64);
    builder.push_slot_always(slot(1), nodes);
    builder.push_slot_always(slot(2), buffers);
    let batch = builder.end_table(table).as_union_value();
    // MessageHeader.RecordBatch
    message(builder, 3, batch, offset as i64)
}

/// The end of the file: the schema again, and the positions of the batches.
pub(super) fn footer(fields: &[(String, Kind)], blocks: &[Block]) -> Vec<u8> {
    let mut builder = Builder::new();
    let schema = schema(&mut builder, fields);
    // The metadata's length takes 4 bytes, followed by 4 unused bytes.
    let block =
        |block: &Block| [block.offset, block.metadata, block.body].map(|value| value as i64);
    let dictionaries = structs::<3>(&mut builder, Vec::new());
    let blocks = structs(&mut builder, blocks.iter().map(block).collect());
    let table = builder.start_table();
    builder.push_slot_always(slot(0), VERSION);
    builder.push_slot_always(slot(1), schema);
    builder.push_slot_always(slot(2), dictionaries);
    builder.push_slot_always(slot(3), blocks);
    let footer = builder.end_table(table);
    builder.finish_minimal(footer);
    builder.finished_data().to_vec()
}

/// The next multiple of 8.
pub(super) fn padded(length: usize) -> usize {
    length.next_multiple_of(8)
}

fn message(mut builder: Builder, kind: u8, header: Table, body: i64) -> Vec<u8> {
    let table = builder.start_table();
    builder.push_slot_always(slot(0), VERSION);
    builder.push_slot_always(slot(1), kind);
    builder.push_slot_always(slot(2), header);
    builder.push_slot_always(slot(3), body);
    let message = builder.end_table(table);
    builder.finish_minimal(message);
    builder.finished_data().to_vec()
}

fn schema(builder: &mut Builder, fields: &[(String, Kind)]) -> Table {
    let fields: Vec<Table> = fields.iter().map(|it| field(builder, it)).collect();
    let fields = builder.create_vector(&fields);
    let table = builder.start_table();
    // Endianness.Little
    builder.push_slot_always(slot(0), 0i16);
    builder.push_slot_always(slot(1), fields);
    builder.end_table(table).as_union_value()
}

fn field(builder: &mut Builder, (name, kind): &(String, Kind)) -> Table {
    let name = builder.create_string(name);
    let (number, kind) = data_type(builder, *kind);
    let children = builder.create_vector::<Table>(&[]);
    let table = builder.start_table();
    builder.push_slot_always(slot(0), name);
    builder.push_slot_always(slot(1), true);
    builder.push_slot_always(slot(2), number);
    builder.push_slot_always(slot(3), kind);
    builder.push_slot_always(slot(5), children);
    builder.end_table(table).as_union_value()
}

/// The type of a column: its number in Arrow's union `Type`, and its flatbuffers table.
fn data_type(builder: &mut Builder, kind: Kind) -> (u8, Table) {
    let table = builder.start_table();
    let number = match kind {
        Kind::Null => 1,
        Kind::Int => {
            builder.push_slot_always(slot(0), 64i32);
            builder.push_slot_always(slot(1), true);
            2
        }
        Kind::Real => {
            // Precision.DOUBLE
            builder.push_slot_always(slot(0), 2i16);
            3
        }
        Kind::Bytes => 4,
        Kind::Text => 5,
    };
    (number, builder.end_table(table).as_union_value())
}

/// A vector of structs. Each struct has `N` fields of 8 bytes.
fn structs<const N: usize>(builder: &mut Builder, rows: Vec<[i64; N]>) -> Table {
    builder.start_vector::<i64>(rows.len() * N);
    // Flatbuffers grow towards lower addresses.
    for value in rows.iter().flatten().rev() {
        builder.push(*value);
    }
    let vector = builder.end_vector::<i64>(rows.len());
    WIPOffset::new(vector.value())
}
