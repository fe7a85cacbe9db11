//! The traces in an archive: each is read by itself, then they are put on one time line.
//!
//! ```text
//! phone.pftrace   clock boot    ──────────►  the time line: that of the first Perfetto trace
//! page.html       clock mono    ──shift──►   its snapshots tell how far apart the clocks are
//! ```
//! A Perfetto trace in an archive says that the archive is one recording: then the same numbers mean the same processes.
//! Without one, archives are only collections, and their traces stay as they are. With a [`manifest`], it decides.

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
pub(crate) use sift::{Found, Sift};
pub(crate) use tally::Tally;

#[cfg(test)]
mod tests;
