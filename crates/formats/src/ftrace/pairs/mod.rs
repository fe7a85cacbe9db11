//! Pairs of kernel events that begin and end something: one table for all of them.
//!
//! A line of the [`table`] has the two events, the track of the slice, the name of the slice, and
//! the fields by which both events are matched. `docs/formats.md` shows the same table.

mod lookup;
mod pair;
#[cfg(test)]
mod samples;
mod shown;
mod table;
#[cfg(test)]
mod tests;

pub(crate) use lookup::{Use, uses};
pub(crate) use pair::{Again, Name, On, Pair, Role};
pub(crate) use shown::{BEGIN_EVENT, END_EVENT, Events, condition, events_of, waiting_begins};
