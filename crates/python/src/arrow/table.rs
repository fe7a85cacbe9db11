//! A table of a trace as batches of Arrow. Numbers that the trace stores are not copied: the arrays share its memory,
//! and keep it alive.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::ptr::NonNull;
use std::sync::{Arc, OnceLock};

use arrow_array::types::{ArrowPrimitiveType, Float64Type, Int32Type, Int64Type};
use arrow_array::{
    ArrayRef, DictionaryArray, LargeStringArray, PrimitiveArray, RecordBatch, RecordBatchOptions,
    RecordBatchReader,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use traceloom_query::{Chunk, ColumnType, TableColumn, TableData, TableUnit, Values};

use super::parallel::in_parallel;

/// The number of batches that each thread makes at a time. More would need more memory, fewer would start threads more often.
const AHEAD: usize = 8;

/// Columns of a table, and the data of their batches. There is one batch per chunk of the trace.
pub(super) struct TableColumns {
    pub table: Arc<TableData>,
    pub schema: SchemaRef,
    /// The numbers of the columns.
    columns: Vec<usize>,
    /// The number of threads, at least 1.
    threads: usize,
    /// The texts of each column of texts.
    texts: OnceLock<Vec<Option<Texts>>>,
}

/// The distinct texts of a column.
struct Texts {
    values: ArrayRef,
    /// The index in `values` of each text of the trace that the column has.
    places: Vec<i32>,
}

impl TableColumns {
    /// The columns with these numbers.
    pub fn new(table: TableData, columns: Vec<usize>, threads: usize) -> Self {
        Self {
            schema: schema(&table, &columns),
            table: Arc::new(table),
            columns,
            threads,
            texts: OnceLock::new(),
        }
    }

    fn texts(&self) -> &[Option<Texts>] {
        self.texts.get_or_init(|| {
            let declared: Vec<TableColumn> = self.table.columns().collect();
            in_parallel(self.columns.len(), self.threads, &|place| {
                let column = self.columns[place];
                let is_text = declared[column].column_type == ColumnType::Text;
                is_text.then(|| Texts::of(&self.table, column))
            })
        })
    }

    /// The rows of a chunk.
    ///
    /// # Errors
    /// If a column cannot be an array.
    pub fn batch(&self, number: usize) -> Result<RecordBatch, ArrowError> {
        let mut rows = 0;
        let columns = self.columns.iter().zip(self.texts());
        let columns = columns.map(|(column, texts)| {
            let chunk = self.table.chunk(*column, number);
            rows = chunk.len();
            array(&self.table, chunk, texts.as_ref())
        });
        let columns: Vec<ArrayRef> = columns.collect::<Result<_, _>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(self.schema.clone(), columns, &options)
    }
}

/// Makes the batches of a table one after the other.
pub(super) struct TableReader {
    columns: Arc<TableColumns>,
    /// The number of the chunk after those in `ready`.
    next: usize,
    ready: VecDeque<Result<RecordBatch, ArrowError>>,
}

impl TableReader {
    /// All batches of these columns.
    pub fn new(columns: Arc<TableColumns>) -> Self {
        Self {
            columns,
            next: 0,
            ready: VecDeque::new(),
        }
    }

    fn make_ahead(&mut self) {
        let columns = &self.columns;
        // Finds the texts first, on several threads too.
        columns.texts();
        let left = columns.table.chunks() - self.next;
        let (first, count) = (self.next, left.min(AHEAD * columns.threads));
        let make = |place| columns.batch(first + place);
        self.ready
            .extend(in_parallel(count, columns.threads, &make));
        self.next += count;
    }
}

impl Iterator for TableReader {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ready.is_empty() {
            self.make_ahead();
        }
        self.ready.pop_front()
    }
}

impl RecordBatchReader for TableReader {
    fn schema(&self) -> SchemaRef {
        self.columns.schema.clone()
    }
}

/// The types of the columns with these numbers. The units are in the fields' metadata.
fn schema(table: &TableData, columns: &[usize]) -> SchemaRef {
    let declared: Vec<TableColumn> = table.columns().collect();
    let field = |column: &usize| {
        let column = &declared[*column];
        let field = Field::new(column.name, data_type(column.column_type), true);
        let facts = [
            ("unit", unit(column.unit)),
            ("description", column.doc.to_owned()),
        ];
        let facts = facts.into_iter().filter(|(_, fact)| !fact.is_empty());
        field.with_metadata(facts.map(|(key, fact)| (key.to_owned(), fact)).collect())
    };
    Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()))
}

fn data_type(column: ColumnType) -> DataType {
    match column {
        ColumnType::Int32 => DataType::Int32,
        ColumnType::Int64 => DataType::Int64,
        ColumnType::Float64 => DataType::Float64,
        ColumnType::Text => {
            DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::LargeUtf8))
        }
    }
}

fn unit(unit: TableUnit) -> String {
    match unit {
        TableUnit::Time => "ns on the trace's clock".to_owned(),
        TableUnit::Duration => "ns".to_owned(),
        TableUnit::Rows(Some(table)) => format!("id of {table}"),
        TableUnit::Rows(None) => "id".to_owned(),
        TableUnit::ArgSets => "arg_set_id of args".to_owned(),
        TableUnit::Plain => String::new(),
    }
}

fn array(
    table: &Arc<TableData>,
    chunk: Chunk<'_>,
    texts: Option<&Texts>,
) -> Result<ArrayRef, ArrowError> {
    let rows = chunk.len();
    let nulls = chunk.valid.map(|bits| {
        let bits = BooleanBuffer::new(Buffer::from_vec(bits), 0, rows);
        NullBuffer::new(bits)
    });
    Ok(match chunk.values {
        Values::Int32(values) => primitive::<Int32Type>(table, values, nulls)?,
        Values::Int64(values) => primitive::<Int64Type>(table, values, nulls)?,
        Values::Float64(values) => primitive::<Float64Type>(table, values, nulls)?,
        Values::Text(ids) => {
            let texts = texts.ok_or_else(|| ArrowError::SchemaError("no texts".to_owned()))?;
            texts.column(&ids, nulls)?
        }
    })
}

fn primitive<T: ArrowPrimitiveType>(
    table: &Arc<TableData>,
    values: Cow<'_, [T::Native]>,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef, ArrowError> {
    let values = match values {
        Cow::Owned(values) => ScalarBuffer::from(values),
        Cow::Borrowed(values) => ScalarBuffer::new(shared(table, values), 0, values.len()),
    };
    Ok(Arc::new(PrimitiveArray::<T>::try_new(values, nulls)?))
}

/// The memory of values that a table returned, without a copy.
fn shared<T>(table: &Arc<TableData>, values: &[T]) -> Buffer {
    let start = NonNull::from(values).cast::<u8>();
    let owner = Arc::new(Owner(table.clone()));
    // SAFETY: the values belong to the trace. The trace is immutable, and the owner keeps it alive.
    unsafe { Buffer::from_custom_allocation(start, size_of_val(values), owner) }
}

/// Keeps a trace alive.
struct Owner(#[expect(dead_code, reason = "it is only kept")] Arc<TableData>);

// A panic in the middle of reading leaves the trace as it is, because nothing writes to it.
impl std::panic::RefUnwindSafe for Owner {}

impl Texts {
    /// Finds the texts of a column.
    fn of(table: &TableData, column: usize) -> Self {
        let mut places = vec![-1i32; table.texts()];
        for number in 0..table.chunks() {
            let chunk = table.chunk(column, number);
            if let Values::Text(ids) = &chunk.values {
                ids.iter().for_each(|id| places[*id as usize] = 0);
            }
        }
        // Absent values have this number.
        if let Some(absent) = places.first_mut() {
            *absent = -1;
        }
        let mut next = 0;
        let used = places
            .iter_mut()
            .enumerate()
            .filter(|(_, place)| **place == 0);
        let texts = used.map(|(id, place)| {
            *place = next;
            next += 1;
            table.text(id as u32)
        });
        let values: ArrayRef = Arc::new(LargeStringArray::from_iter_values(texts));
        Self { values, places }
    }

    fn column(&self, ids: &[u32], nulls: Option<NullBuffer>) -> Result<ArrayRef, ArrowError> {
        let keys = ids.iter().map(|id| self.places[*id as usize].max(0));
        let keys = PrimitiveArray::<Int32Type>::try_new(keys.collect(), nulls)?;
        Ok(Arc::new(DictionaryArray::try_new(
            keys,
            self.values.clone(),
        )?))
    }
}
