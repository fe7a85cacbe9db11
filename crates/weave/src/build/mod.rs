//! Weaving whole inputs: find the classes, assign ids to the methods, weave, write.
//!
//! ```text
//! inputs ──► classes ──► choices (by rules) ──► ids ──► woven classes ──► outputs
//!            in order    in parallel          in order  in parallel       in order
//! ```
//!
//! The steps in order make ids and outputs independent of the number of threads.

mod cache;
mod error;
mod output;
mod report;
mod source;
mod steps;
mod target;

pub use error::BuildError;
pub use report::{Failure, Report};
pub use steps::Build;
