//! Writes a trace in other formats.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use traceloom_formats::{FORMATS, WriteError, WriteOptions, Writer};
use traceloom_host::{NewFile, PlaceError, RESULT, resolve};
use traceloom_query::{ExportError, exported_tables, write_arrow, write_sqlite};
use traceloom_view::{ReportOptions, write_report};

use crate::error::{OpenError, io_error};
use crate::interrupt;
use crate::open::{Options, read_all};
use crate::trace::Trace;

/// Why nothing was written.
enum Failure {
    Open(OpenError),
    Io(std::io::Error),
    Other(String),
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Self {
        Self::Open(error)
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::Io(error)
    }
}

impl Failure {
    fn raised(self, path: &Path) -> PyErr {
        match self {
            Self::Open(error) => error.into(),
            Self::Io(error) => io_error(&path.display().to_string(), &error),
            Self::Other(message) => PyValueError::new_err(message),
        }
    }
}

#[pymethods]
impl Trace {
    /// Writes all tables as an SQLite file, which must not exist.
    fn write_sqlite(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let name = path.clone();
        let written = self.on_session(py, move |session| write_sqlite(session, &name, u64::MAX))?;
        written.map_err(|error| export_error(error).raised(&path))
    }

    /// The names of the tables and views that an export of everything writes.
    fn exported_tables(&self, py: Python<'_>) -> PyResult<Vec<&'static str>> {
        let names = self.on_session(py, exported_tables)?;
        names.map_err(|error| export_error(error).raised(Path::new("")))
    }

    /// Writes a table as an Arrow file.
    fn write_arrow(&self, py: Python<'_>, table: String, path: PathBuf) -> PyResult<()> {
        let name = path.clone();
        let written = self.on_session(py, move |session| {
            write_file(&name, |out| {
                write_arrow(session, &table, out).map_err(export_error)
            })
        })?;
        written.map_err(|error: Failure| error.raised(&path))
    }

    /// Writes the trace in a format, by its id or an ending. Returns the rows that the format cannot store: the kind of
    /// row, and how many.
    fn convert(&self, py: Python<'_>, path: PathBuf, format: &str) -> PyResult<Vec<(String, u64)>> {
        let writer = writer(format)?;
        let written = self.on_inputs(py, false, &path, move |trace, _, out| {
            let written = writer.write(trace, &WriteOptions::default(), out);
            written.map_err(|error| match error {
                WriteError::Io(error) => Failure::Io(error),
                other => Failure::Other(other.to_string()),
            })
        })?;
        let omitted = written.omitted.iter();
        Ok(omitted
            .map(|(kind, count)| (kind.words(*count).to_owned(), *count))
            .collect())
    }

    /// Writes one HTML file with the trace and its viewer.
    fn report(&self, py: Python<'_>, path: PathBuf, title: String) -> PyResult<()> {
        self.on_inputs(py, true, &path, move |trace, threads, out| {
            let embed_source = false;
            let options = ReportOptions {
                title,
                embed_source,
                threads,
                results: Vec::new(),
            };
            write_report(trace, &options, out).map_err(|error| Failure::Other(error.to_string()))
        })
    }
}

impl Trace {
    /// Reads the inputs again and writes a file. The open trace cannot be written, because its
    /// arguments were renamed for queries.
    fn on_inputs<T: Send + 'static>(
        &self,
        py: Python<'_>,
        without_folders: bool,
        path: &Path,
        work: impl FnOnce(&Arc<traceloom_trace::Trace>, usize, &mut dyn Write) -> Result<T, Failure>
        + Send
        + 'static,
    ) -> PyResult<T> {
        self.allow_reading();
        let options = Options {
            without_folders,
            ..self.options.clone()
        };
        let (inputs, out) = (self.inputs.clone(), path.to_owned());
        let stop = || self.options.is_stopped.store(true, Ordering::Relaxed);
        let written = interrupt::run(py, stop, move || {
            let trace = Arc::new(read_all(&inputs, &options)?);
            write_file(&out, |out| work(&trace, options.threads, out))
        })?;
        written.map_err(|error: Failure| error.raised(path))
    }
}

/// Writes a file that replaces `path` when it is complete. A device or a pipe is written to and never replaced.
fn write_file<T>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let target = resolve(path).map_err(|error| match error {
        PlaceError::Io(error) => Failure::Io(error),
        other => Failure::Other(other.to_string()),
    })?;
    if std::fs::metadata(&target).is_ok_and(|old| !old.is_file()) {
        return write_into(File::options().write(true).open(&target)?, write);
    }
    let mut new = NewFile::create(&target, RESULT)?;
    let result = write_into(new.file(), write)?;
    new.persist()?;
    Ok(result)
}

fn write_into<T>(
    out: impl Write,
    write: impl FnOnce(&mut dyn Write) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let mut out = BufWriter::new(out);
    let result = write(&mut out)?;
    out.flush()?;
    Ok(result)
}

fn export_error(error: ExportError) -> Failure {
    match error {
        ExportError::Write(error) => Failure::Io(error),
        other => Failure::Other(other.to_string()),
    }
}

fn writer(wanted: &str) -> PyResult<&'static dyn Writer> {
    let mut known = Vec::new();
    for format in FORMATS {
        let Some(writer) = format.writer() else {
            continue;
        };
        if wanted == format.id() || writer.extensions().contains(&wanted) {
            return Ok(writer);
        }
        known.push(format.id());
    }
    let known = known.join(", ");
    let message = format!(
        "no format called {wanted} can be written; there are {known}, sqlite, arrow and html"
    );
    Err(PyValueError::new_err(message))
}
