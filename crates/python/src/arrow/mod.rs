//! Tables and results as Arrow data.

mod parallel;
mod result;
mod rows;
mod stream;
mod table;

pub(crate) use rows::Rows;
