//! How long each thread ran and waited, how long it waited for a CPU after each wake-up, who woke it, and where it ran.
//!
//! ```text
//! Running | Sleeping       | Runnable       | Running      one wake-up
//!         | a wait         | its latency    |
//!         ^ leaves the CPU ^ woken by W     ^ gets a CPU
//! ```

mod latency;
mod times;
mod walk;

use traceloom_trace::{ThreadId, Trace};

use crate::tree::TimeRange;

pub use latency::Latency;
pub use times::{BlockedIn, CpuTime, ThreadTimes, Waker};

/// The threads that have scheduling events in a range, in the order of the thread table. Times are cut at the ends of
/// the range. A wake-up belongs to it if it happens in it.
pub fn thread_times(
    trace: &Trace,
    range: TimeRange,
    wanted: &dyn Fn(ThreadId) -> bool,
) -> Vec<ThreadTimes> {
    walk::threads(trace, range, wanted)
}

#[cfg(test)]
mod tests;
