//! Files of Apache Arrow: the IPC file format, which pandas, Polars, DuckDB and others read.
//!
//! The layout is described in Arrow's `docs/source/format/Columnar.rst` and `format/{Schema,Message,File}.fbs`. Columns
//! are `int64`, `double`, `utf8`, `binary` or `null`. The `arrow-ipc` crate would add a minute and a half of CPU time
//! to every clean build for these five types, so the messages are written here, with Google's `flatbuffers`.

mod batch;
mod column;
mod file;
mod messages;
mod parts;
mod result;
mod table;

pub use parts::{ArrowBatch, ArrowColumn, ArrowKind, ArrowResult};
pub use result::ArrowRows;
pub use table::write_arrow;
