//! Whole columns in memory, for consumers that do not go row by row: data frames, column stores.

mod bits;
mod chunk;
mod stored;
mod table;

pub use chunk::{Chunk, Values};
pub use table::{ColumnType, TableColumn, TableData, TableUnit};
