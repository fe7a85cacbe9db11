#![doc = include_str!("../README.md")]
#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod absent;
mod columns;
mod complete;
pub mod dialect;
mod elsewhere;
mod error;
mod export;
mod functions;
mod json;
mod operators;
mod pattern;
mod run;
mod schema;
mod session;
mod sqlite;
mod stdlib;
mod stop;

pub use columns::{Chunk, ColumnType, TableColumn, TableData, TableUnit, Values};
pub use complete::{NameKind, Names, columns_of};
pub use elsewhere::advice;
pub use error::QueryError;
pub use export::{
    ArrowBatch, ArrowColumn, ArrowKind, ArrowResult, ArrowRows, ExportError,
    exported as exported_tables, names as table_names, write_arrow, write_sqlite,
};
pub use functions::demangled;
pub use run::{Output, Params, ResultSet};
pub use rusqlite::types::{Value, ValueRef};
pub use schema::reference;
pub use session::{Limits, Session};
pub use stop::Stop;
