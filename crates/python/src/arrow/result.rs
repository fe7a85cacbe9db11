//! The result of a query as batches of Arrow, in the memory in which the query left it.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions, make_array};
use arrow_buffer::Buffer;
use arrow_data::ArrayData;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use traceloom_query::{ArrowColumn, ArrowKind, ArrowResult};

/// The types of the columns, and the rows.
pub(super) fn batches(result: ArrowResult) -> Result<(SchemaRef, Vec<RecordBatch>), ArrowError> {
    let fields = result.names.iter().zip(&result.kinds);
    let fields: Vec<Field> = fields
        .map(|(name, kind)| Field::new(name, data_type(*kind), true))
        .collect();
    let schema = Arc::new(Schema::new(fields));
    let kinds = result.kinds;
    let batches = result.batches.into_iter().map(|batch| {
        let columns = batch.columns.into_iter().zip(&kinds);
        let columns = columns.map(|(column, kind)| array(column, *kind, batch.rows));
        let columns: Vec<ArrayRef> = columns.collect::<Result<_, _>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(batch.rows));
        RecordBatch::try_new_with_options(schema.clone(), columns, &options)
    });
    let batches = batches.collect::<Result<_, _>>()?;
    Ok((schema, batches))
}

fn data_type(kind: ArrowKind) -> DataType {
    match kind {
        ArrowKind::Null => DataType::Null,
        ArrowKind::Int => DataType::Int64,
        ArrowKind::Real => DataType::Float64,
        ArrowKind::Text => DataType::Utf8,
        ArrowKind::Bytes => DataType::Binary,
    }
}

fn array(column: ArrowColumn, kind: ArrowKind, rows: usize) -> Result<ArrayRef, ArrowError> {
    let data = ArrayData::builder(data_type(kind)).len(rows);
    let data = match kind {
        ArrowKind::Null => data,
        ArrowKind::Int | ArrowKind::Real => data.add_buffer(Buffer::from_vec(column.bytes)),
        ArrowKind::Text | ArrowKind::Bytes => {
            let mut offsets = Vec::with_capacity(rows + 1);
            offsets.push(0i32);
            offsets.extend(column.ends);
            let data = data.add_buffer(Buffer::from_vec(offsets));
            data.add_buffer(Buffer::from_vec(column.bytes))
        }
    };
    let valid = column.valid.filter(|_| kind != ArrowKind::Null);
    let data = data.null_bit_buffer(valid.map(Buffer::from_vec));
    // The numbers are in a `Vec<u8>`. Its address is usually a multiple of 8, but this is not guaranteed.
    Ok(make_array(data.align_buffers(true).build()?))
}
