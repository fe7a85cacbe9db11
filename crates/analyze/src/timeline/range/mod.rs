//! The slices in a range of time, by name.

mod by_name;
mod cached;
mod count;
mod one_name;
mod percentiles;
mod sums;

pub use count::RangeScope;
