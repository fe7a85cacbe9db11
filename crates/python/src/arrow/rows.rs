//! `Rows`: the rows of a table or a result, as Python sees them.

use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, RecordBatch, RecordBatchIterator, RecordBatchReader};
use arrow_schema::{ArrowError, DataType, SchemaRef};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};
use traceloom_query::{ArrowResult, TableData};
use traceloom_trace::column::CHUNK_ROWS;

use super::result::batches;
use super::stream;
use super::table::{TableColumns, TableReader};

/// Rows with typed columns, which any library that knows Arrow's C interface takes over.
#[pyclass(frozen, module = "pytraceloom._native")]
pub(crate) struct Rows {
    schema: SchemaRef,
    source: Source,
}

enum Source {
    Batches(Vec<RecordBatch>),
    Table(Arc<TableColumns>, Mutex<LastBatch>),
}

/// The batch of a table that was used last, and its number. Python fetches a few rows at a time.
type LastBatch = Option<(usize, RecordBatch)>;

impl Rows {
    /// The result of a query.
    ///
    /// # Errors
    /// If it is too large for Arrow.
    pub fn of_result(result: ArrowResult) -> PyResult<Self> {
        let (schema, batches) = batches(result).map_err(arrow_error)?;
        let source = Source::Batches(batches);
        Ok(Self { schema, source })
    }

    /// Columns of a table; all that `SELECT *` shows if none are named.
    ///
    /// # Errors
    /// If the table does not have a column.
    pub fn of_table(table: TableData, wanted: Option<&[String]>, threads: usize) -> PyResult<Self> {
        let declared: Vec<_> = table.columns().collect();
        let columns = match wanted {
            None => (0..declared.len())
                .filter(|at| !declared[*at].is_hidden)
                .collect(),
            Some(wanted) => {
                let place = |name: &String| {
                    let found = declared.iter().position(|column| column.name == name);
                    found.ok_or_else(|| PyValueError::new_err(format!("there is no column {name}")))
                };
                wanted.iter().map(place).collect::<PyResult<Vec<_>>>()?
            }
        };
        let table = TableColumns::new(table, columns, threads);
        Ok(Self {
            schema: table.schema.clone(),
            source: Source::Table(Arc::new(table), Mutex::new(None)),
        })
    }

    fn reader(&self) -> Box<dyn RecordBatchReader + Send> {
        match &self.source {
            Source::Table(table, _) => Box::new(TableReader::new(table.clone())),
            Source::Batches(batches) => {
                let batches = batches.clone().into_iter().map(Ok);
                Box::new(RecordBatchIterator::new(batches, self.schema.clone()))
            }
        }
    }
}

impl Rows {
    /// The batch that has a row, and the number of its first row.
    fn batch_of(&self, row: usize) -> PyResult<Option<(usize, RecordBatch)>> {
        match &self.source {
            Source::Batches(batches) => {
                let mut first = 0;
                let found = batches.iter().find(|batch| {
                    let is_it = row < first + batch.num_rows();
                    first += if is_it { 0 } else { batch.num_rows() };
                    is_it
                });
                Ok(found.map(|batch| (first, batch.clone())))
            }
            Source::Table(table, _) if row >= table.table.rows() => Ok(None),
            Source::Table(table, last) => {
                let number = row / CHUNK_ROWS;
                let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
                let batch = match last.take() {
                    Some((known, batch)) if known == number => batch,
                    _ => table.batch(number).map_err(arrow_error)?,
                };
                *last = Some((number, batch.clone()));
                Ok(Some((number * CHUNK_ROWS, batch)))
            }
        }
    }
}

#[pymethods]
impl Rows {
    /// The number of rows.
    fn __len__(&self) -> usize {
        match &self.source {
            Source::Table(table, _) => table.table.rows(),
            Source::Batches(batches) => batches.iter().map(RecordBatch::num_rows).sum(),
        }
    }

    /// The names of the columns.
    #[getter]
    fn names(&self) -> Vec<String> {
        let fields = self.schema.fields().iter();
        fields.map(|field| field.name().clone()).collect()
    }

    /// The name, Arrow type, unit and description of each column.
    #[getter]
    fn fields(&self) -> Vec<(String, String, String, String)> {
        let field = |field: &Arc<arrow_schema::Field>| {
            let fact = |key: &str| field.metadata().get(key).cloned().unwrap_or_default();
            let kind = match field.data_type() {
                DataType::Dictionary(..) => "dictionary".to_owned(),
                other => other.to_string().to_lowercase(),
            };
            (
                field.name().clone(),
                kind,
                fact("unit"),
                fact("description"),
            )
        };
        self.schema.fields().iter().map(field).collect()
    }

    /// Rows `start` to `stop` as tuples.
    fn tuples<'py>(
        &self,
        py: Python<'py>,
        start: usize,
        stop: usize,
    ) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        let mut tuples = Vec::new();
        let mut next = start;
        while next < stop
            && let Some((first, batch)) = py.detach(|| self.batch_of(next))?
        {
            let end = (first + batch.num_rows()).min(stop);
            for row in next - first..end - first {
                let values = batch.columns().iter().map(|column| value(py, column, row));
                tuples.push(PyTuple::new(py, values.collect::<PyResult<Vec<_>>>()?)?);
            }
            next = end;
        }
        Ok(tuples)
    }

    /// Arrow's C stream, as a capsule.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The interface allows ignoring the request: the consumer then converts.
        drop(requested_schema);
        let reader = py.detach(|| self.reader());
        stream::stream(py, reader)
    }

    /// Arrow's C schema, as a capsule.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        stream::schema(py, &self.schema)
    }
}

fn value<'py>(py: Python<'py>, column: &dyn Array, row: usize) -> PyResult<Bound<'py, PyAny>> {
    if column.is_null(row) {
        return Ok(py.None().into_bound(py));
    }
    match column.data_type() {
        DataType::Int32 => column
            .as_primitive::<Int32Type>()
            .value(row)
            .into_bound_py_any(py),
        DataType::Int64 => column
            .as_primitive::<Int64Type>()
            .value(row)
            .into_bound_py_any(py),
        DataType::Float64 => column
            .as_primitive::<Float64Type>()
            .value(row)
            .into_bound_py_any(py),
        DataType::Utf8 => column.as_string::<i32>().value(row).into_bound_py_any(py),
        DataType::LargeUtf8 => column.as_string::<i64>().value(row).into_bound_py_any(py),
        DataType::Binary => column.as_binary::<i32>().value(row).into_bound_py_any(py),
        DataType::Dictionary(..) => {
            let column = column.as_dictionary::<Int32Type>();
            let key = column.keys().value(row);
            value(py, column.values(), usize::try_from(key).unwrap_or(0))
        }
        _ => Ok(py.None().into_bound(py)),
    }
}

fn arrow_error(error: ArrowError) -> PyErr {
    PyValueError::new_err(error.to_string())
}
