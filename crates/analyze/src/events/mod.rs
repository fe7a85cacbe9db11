//! The event table: kernel events that have no table of their own, with their fields.

mod fields;
mod filter;
mod names;

pub use fields::field_keys;
pub use filter::EventFilter;
pub use names::{EventName, event_names};

#[cfg(test)]
mod tests;
