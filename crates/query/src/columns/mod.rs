//! Whole columns in memory, for consumers that do not read row by row: data frames, column stores.

mod bits;
mod chunk;
mod stored;
mod table;

pub use chunk::{Chunk, ColumnType, Values};
pub use table::{TableColumn, TableData, TableUnit};
