//! traceloom for Python. The package in `python/pytraceloom` is what users see; this is the engine below it.

// Code that handles input must not panic, whatever the input is.
#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod analyses;
mod arrow;
mod error;
mod export;
mod flatten;
mod interrupt;
mod open;
mod trace;

use error::exceptions;
use pyo3::prelude::*;

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("TraceError", py.get_type::<exceptions::TraceError>())?;
    module.add("QueryError", py.get_type::<exceptions::QueryError>())?;
    module.add_class::<arrow::Rows>()?;
    module.add_class::<trace::Trace>()?;
    module.add_function(wrap_pyfunction!(trace::open, module)?)?;
    module.add_function(wrap_pyfunction!(trace::tables, module)?)?;
    module.add_function(wrap_pyfunction!(analyses::diff, module)?)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}
