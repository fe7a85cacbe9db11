//! The exceptions that Python gets.

use std::io;

use pyo3::exceptions::{PyOSError, PyRuntimeError};
use pyo3::prelude::*;
use traceloom_formats::ReadError;
use traceloom_query::QueryError;

/// The exceptions. Their names here are those that Python shows.
pub(crate) mod exceptions {
    use pyo3::create_exception;
    use pyo3::exceptions::PyValueError;

    create_exception!(
        pytraceloom,
        TraceError,
        PyValueError,
        "A file is not a trace, or too damaged to be read. `path` names the file, `place` the position in it, or None."
    );
    create_exception!(
        pytraceloom,
        QueryError,
        PyValueError,
        "A query is wrong, fails or breaks a limit. `line` and `column` are its place in the SQL, or None."
    );
}

/// Why a trace was not opened.
pub(crate) enum OpenError {
    Io(String, io::Error),
    Read(String, Box<ReadError>),
    Stopped,
}

impl From<OpenError> for PyErr {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Io(path, error) => io_error(&path, &error),
            OpenError::Read(path, error) => read_error(&path, &error),
            OpenError::Stopped => PyRuntimeError::new_err("reading was stopped"),
        }
    }
}

/// `OSError` with its number, which Python turns into `FileNotFoundError` and the like.
pub(crate) fn io_error(path: &str, error: &io::Error) -> PyErr {
    match error.raw_os_error() {
        Some(number) => {
            let text = error.to_string();
            let text = text.split(" (os error").next().unwrap_or_default();
            PyOSError::new_err((number, text.to_owned(), path.to_owned()))
        }
        None => PyOSError::new_err(format!("{path}: {error}")),
    }
}

fn read_error(path: &str, error: &ReadError) -> PyErr {
    let advice = match error.innermost() {
        ReadError::Foreign { advice, .. } => format!("; {advice}"),
        _ => String::new(),
    };
    let raised = exceptions::TraceError::new_err(format!("{path}: {error}{advice}"));
    with(
        raised,
        &[("path", Some(path.to_owned())), ("place", place(error))],
    )
}

/// The position in the file, if the error has one.
fn place(error: &ReadError) -> Option<String> {
    match error.innermost() {
        ReadError::Field { place, .. } => Some(place.to_string()),
        ReadError::Truncated { offset, .. } | ReadError::Reencoded { offset, .. } => {
            Some(format!("byte {offset}"))
        }
        ReadError::Compression { offset, .. } => Some(format!("byte {offset} of its contents")),
        ReadError::UnknownFormat { .. } | ReadError::Empty => Some("byte 0".to_owned()),
        _ => None,
    }
}

pub(crate) fn query_error(error: &QueryError) -> PyErr {
    let message = match error {
        QueryError::MissingParameter { name } => format!("the parameter {name} has no value"),
        other => other.to_string(),
    };
    let location = match error {
        QueryError::Sql { location, .. } => Some((location.line(), location.column())),
        _ => None,
    };
    let raised = exceptions::QueryError::new_err(message);
    with(
        raised,
        &[
            ("line", location.map(|(line, _)| line)),
            ("column", location.map(|(_, column)| column)),
        ],
    )
}

/// An exception with attributes.
fn with<T>(raised: PyErr, attributes: &[(&str, Option<T>)]) -> PyErr
where
    T: Clone + for<'py> IntoPyObject<'py>,
{
    Python::attach(|py| {
        for (name, value) in attributes {
            if let Err(error) = raised.value(py).setattr(*name, value.clone()) {
                return error;
            }
        }
        raised
    })
}
