//! Recordings with the device's own `perfetto`.
//!
//! ```text
//! shell A: echo pid > mark; exec perfetto -c - -o FILE     config ──► standard input
//! shell B: read x                                          "done", or this program died: stop, keep, remove
//! now and then: tail -c +OFFSET FILE                       what the service has appended
//! at the end:   kill -TERM pid; the rest of FILE; rm FILE mark
//! ```

mod agent;
mod config;
mod events;
mod follow;
mod given;
mod leftover;
mod message;
mod place;
mod support;

pub use agent::PerfettoAgent;
pub use config::PerfettoOptions;
pub use given::PerfettoConfig;
pub use leftover::{Leftover, leftovers};
pub use support::{PerfettoSupport, perfetto_support};
