//! Writes tables and results as files of other tools: SQLite and Arrow.

mod arrow;
mod error;
mod relation;
mod sqlite;

pub use arrow::{ArrowBatch, ArrowColumn, ArrowKind, ArrowResult, ArrowRows, write_arrow};
pub use error::ExportError;
pub use relation::{exported, names};
pub use sqlite::write_sqlite;
