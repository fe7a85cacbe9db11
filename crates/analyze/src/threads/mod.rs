//! For each thread: how long it ran and waited, its wake-up latencies, its wakers and its CPUs.
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

/// The threads that have scheduling events in a range, in the order of the thread table. Times are
/// cut at the ends of the range. A wake-up is included if its time is in the range.
pub fn thread_times(
    trace: &Trace,
    range: TimeRange,
    wanted: &dyn Fn(ThreadId) -> bool,
) -> Vec<ThreadTimes> {
    walk::threads(trace, range, wanted)
}

#[cfg(test)]
mod tests;
