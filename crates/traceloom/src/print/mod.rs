//! How numbers and names look in the terminal.

mod units;

pub use units::{duration, ms, percent, plain, thousands};
