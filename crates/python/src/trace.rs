//! `Trace`: an open trace, as Python's part of the package uses it.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use traceloom_query::{ArrowRows, Limits, QueryError, Session, Stop, Value, table_names};

use crate::arrow::Rows;
use crate::error::query_error;
use crate::interrupt;
use crate::open::{Input, Options, read_all, without_duplicates};

/// An open trace.
#[pyclass(frozen, module = "pytraceloom._native")]
pub(crate) struct Trace {
    session: Arc<Mutex<Session>>,
    stop: Stop,
    /// Maximum size of a result, bytes.
    memory: u64,
    pub inputs: Vec<Input>,
    pub options: Options,
}

/// A parameter of a query.
#[derive(FromPyObject)]
enum Param {
    Integer(i64),
    Real(f64),
    Text(String),
    Bytes(Vec<u8>),
}

impl From<Param> for Value {
    fn from(param: Param) -> Self {
        match param {
            Param::Integer(value) => Self::Integer(value),
            Param::Real(value) => Self::Real(value),
            Param::Text(value) => Self::Text(value),
            Param::Bytes(value) => Self::Blob(value),
        }
    }
}

/// Opens paths and bytes as one trace.
#[pyfunction]
#[pyo3(signature = (inputs, threads, max_decompressed, timeout, memory_limit, symbols=Vec::new()))]
pub(crate) fn open(
    py: Python<'_>,
    inputs: Vec<Bound<'_, PyAny>>,
    threads: Option<usize>,
    max_decompressed: Option<u64>,
    timeout: Option<f64>,
    memory_limit: u64,
    symbols: Vec<PathBuf>,
) -> PyResult<Trace> {
    let inputs = without_duplicates(inputs.iter().map(input).collect::<PyResult<_>>()?);
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let options = Options {
        threads: threads.unwrap_or_else(cores).max(1),
        max_decompressed: max_decompressed.unwrap_or(8 << 30),
        symbols,
        without_folders: false,
        is_stopped: Arc::new(AtomicBool::new(false)),
    };
    let limits = Limits {
        timeout: timeout.map(seconds).transpose()?,
        memory: Some(memory_limit),
    };
    let stopped = options.is_stopped.clone();
    let stop = || stopped.store(true, Ordering::Relaxed);
    let (these, how) = (inputs.clone(), options.clone());
    let opened = interrupt::run(py, stop, move || {
        let trace = read_all(&these, &how)?;
        Ok::<_, crate::error::OpenError>(Session::open(trace, limits))
    })??;
    let session = opened.map_err(|error| query_error(&error))?;
    Ok(Trace {
        stop: session.stop(),
        session: Arc::new(Mutex::new(session)),
        memory: memory_limit,
        inputs,
        options,
    })
}

fn seconds(seconds: f64) -> PyResult<Duration> {
    let wrong = |_| PyValueError::new_err("timeout is not a number of seconds");
    Duration::try_from_secs_f64(seconds).map_err(wrong)
}

fn input(given: &Bound<'_, PyAny>) -> PyResult<Input> {
    if let Ok(bytes) = given.cast::<PyBytes>() {
        return Ok(Input::Bytes(Arc::new(PyBackedBytes::from(bytes.clone()))));
    }
    let path = given.extract::<PathBuf>();
    path.map(Input::Path)
        .map_err(|_| PyTypeError::new_err("a trace is a path or bytes"))
}

impl Trace {
    /// Runs work on the trace, outside the interpreter's lock.
    ///
    /// # Errors
    /// Those of [`interrupt::run`].
    pub fn on_session<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Session) -> T + Send + 'static,
    ) -> PyResult<T> {
        let (session, stop) = (self.session.clone(), self.stop.clone());
        let cancelled = Arc::new(AtomicBool::new(false));
        let is_cancelled = cancelled.clone();
        let cancel = || {
            // In this order: the thread below either sees the first, or is stopped by the second.
            cancelled.store(true, Ordering::SeqCst);
            self.stop.stop();
        };
        let result = interrupt::run(py, cancel, move || {
            let mut session = locked(&session);
            // A query that was stopped before has ended now.
            stop.allow();
            (!is_cancelled.load(Ordering::SeqCst)).then(|| work(&mut session))
        })?;
        result.ok_or_else(|| PyRuntimeError::new_err("the work was stopped"))
    }
}

fn locked(session: &Mutex<Session>) -> MutexGuard<'_, Session> {
    session.lock().unwrap_or_else(PoisonError::into_inner)
}

#[pymethods]
impl Trace {
    /// Runs SQL. `name` is the name of the SQL in messages.
    fn query(
        &self,
        py: Python<'_>,
        sql: String,
        params: Vec<(String, Option<Param>)>,
        name: String,
    ) -> PyResult<Rows> {
        let params: Vec<(String, Value)> = params
            .into_iter()
            .map(|(name, value)| (name, value.map_or(Value::Null, Value::from)))
            .collect();
        let memory = self.memory;
        let result = self.on_session(py, move |session| {
            let mut rows = ArrowRows::new(memory);
            session.run(&name, &sql, &params, &mut rows)?;
            Ok::<_, QueryError>(rows.into_result())
        })?;
        Rows::of_result(result.map_err(|error| query_error(&error))?)
    }

    /// A table of the schema, with these columns; None if there is no such table.
    #[pyo3(signature = (name, columns=None))]
    fn table(
        &self,
        py: Python<'_>,
        name: String,
        columns: Option<Vec<String>>,
    ) -> PyResult<Option<Rows>> {
        let table = self.on_session(py, move |session| session.table(&name))?;
        let threads = self.options.threads;
        let rows = table.map(|table| Rows::of_table(table, columns.as_deref(), threads));
        rows.transpose()
    }

    /// Adds a module of SQL.
    fn add_module(&self, py: Python<'_>, name: String, file: String, text: String) -> PyResult<()> {
        self.on_session(py, move |session| session.add_module(&name, &file, &text))
    }

    /// The times of the first and the last event, ns.
    #[getter]
    fn bounds(&self, py: Python<'_>) -> PyResult<(i64, i64)> {
        self.on_session(py, |session| session.trace().bounds)
    }

    /// The app and the device that the trace is of, if it tells.
    #[getter]
    fn identity(&self, py: Python<'_>) -> PyResult<(Option<String>, Option<String>)> {
        self.on_session(py, |session| {
            let trace = session.trace();
            (
                traceloom_analyze::app_name(trace),
                traceloom_analyze::device_name(trace),
            )
        })
    }

    /// The names of the inputs.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.inputs.iter().map(Input::name).collect()
    }
}

/// The names of all tables and views.
#[pyfunction]
pub(crate) fn tables() -> Vec<&'static str> {
    table_names()
}
