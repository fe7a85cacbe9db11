//! Shared by the commands about calls: reading them, choosing a clock, grouping rows.

mod clock;
mod group;
mod load;

pub(crate) use clock::{Clock, choose_clock};
pub(crate) use group::By;
pub(crate) use load::{Samples, Selection, read_calls};
