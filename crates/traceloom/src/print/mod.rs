//! Formats numbers, names and tables for the terminal and for CSV.

mod csv;
mod data_output;
mod message;
mod pad;
mod proportion;
mod stream;
mod table;
mod units;

pub use csv::{csv_for_spreadsheets, csv_line};
pub use data_output::DataOutput;
pub(crate) use message::message;
pub use pad::left;
#[cfg(feature = "query")]
pub use pad::right;
pub use proportion::{most_bytes, too_long, within};
#[cfg(feature = "query")]
pub use proportion::{tables_too_long, within_or};
pub use stream::{stream, stream_into};
pub use table::{Cut, Name, Table, terminal_width};
pub use units::{brief, count, duration, mean_ms, ms, plain, signed_ms, size, thousands};
