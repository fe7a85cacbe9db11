//! The traces in an archive: each is read separately, then they are put on one time line.
//!
//! ```text
//! phone.pftrace   clock boot    ──────────►  the time line: that of the first Perfetto trace
//! page.html       clock mono    ──shift──►   its snapshots give the distance between the clocks
//! ```
//! A Perfetto trace in an archive shows that the archive is one recording, so equal numbers mean the same processes.
//! Without one, archives are only collections, and their traces stay unchanged. If there is a [`manifest`], it decides
//! instead.

mod graph;
mod listing;
mod manifest;
mod members;
mod pair;
mod pieces;
mod place;
mod sift;
mod tally;

pub(crate) use members::Members;
pub(crate) use pair::{Entry, pair};
pub(crate) use sift::Sift;
pub(crate) use tally::Tally;

#[cfg(test)]
mod tests;
