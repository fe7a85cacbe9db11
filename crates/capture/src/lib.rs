#![doc = include_str!("../README.md")]
#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod adb;
mod agent;
pub mod agents;
mod atrace_text;
mod clock_markers;
mod controller;
pub mod device;
mod error;
pub mod live;
mod lost_lines;
pub mod perfetto;
pub mod raw;
mod status;
#[cfg(test)]
mod test_sink;
mod threads;

pub use agent::{Agent, Limits, PartKind, Sink};
pub use controller::{Controller, Note, Step};
pub use error::{CaptureError, Result};
pub use status::Status;
