//! Tables and results as Arrow data.

mod result;
mod rows;
mod stream;
mod table;

pub(crate) use rows::Rows;
