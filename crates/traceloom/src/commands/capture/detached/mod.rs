//! Recordings that continue after the command has returned: `capture start`, `list` and `stop`.
//!
//! ```text
//! start ── fork ──► recorder (own session)         folder of the recording
//!   │                 │ locks ─────────────────────► lock     held while the recorder lives
//!   │ ◄── "ready" ─── │ what it records ───────────► about
//!   └ returns         │ messages ──────────────────► log
//! stop ── output ─────┼────────────────────────────► output   where to write the result
//!   └─── SIGINT ────► │ saves, restores settings ──► result
//! ```
//! A recorder that was killed leaves no `result`, and its lock is free. In that case the
//! recording's guardian restores the settings.

mod about;
mod folder;
mod list;
mod recorder;
mod start;
mod stop;

pub use about::{about, redirected};
pub use list::{ListArgs, list};
pub use recorder::Detached;
pub use start::{StartArgs, start};
pub use stop::{StopArgs, stop};
