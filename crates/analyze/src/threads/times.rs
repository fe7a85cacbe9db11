//! The result for a thread.

use traceloom_trace::{StringId, ThreadId};

use super::latency::Latency;

/// The activity of one thread in a range of time. Times are ns.
#[derive(Clone, PartialEq, Debug)]
pub struct ThreadTimes {
    /// The thread.
    pub utid: ThreadId,
    /// On a CPU.
    pub running_ns: i64,
    /// Waiting for a CPU, after a wake-up or after another thread took the CPU.
    pub runnable_ns: i64,
    /// The part of `runnable_ns` that follows a run: another thread took the CPU.
    pub preempted_ns: i64,
    /// In interruptible sleep.
    pub sleeping_ns: i64,
    /// In uninterruptible sleep, I/O included.
    pub blocked_ns: i64,
    /// The part of `blocked_ns` that is known to be I/O.
    pub io_ns: i64,
    /// Stopped, traced, or in a state that was not recorded.
    pub other_ns: i64,
    /// How often it got a CPU.
    pub runs: u64,
    /// The latencies of its wake-ups.
    pub latency: Latency,
    /// Its wakers. Those that ended the longest waits come first.
    pub wakers: Vec<Waker>,
    /// The kernel functions in which it waited uninterruptibly, longest time first.
    pub blocked_in: Vec<BlockedIn>,
    /// Its CPUs, with the longest running time first.
    pub cpus: Vec<CpuTime>,
    /// How often it ran on a different CPU than before.
    pub migrations: u64,
}

/// A thread that woke another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Waker {
    /// The thread; the idle thread stands for interrupts of an idle CPU.
    pub utid: ThreadId,
    /// The number of wake-ups.
    pub count: u64,
    /// The time of the waits that they ended, ns.
    pub waited_ns: i64,
}

/// Waits in one function of the kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlockedIn {
    /// The function; empty if it was not recorded.
    pub function: StringId,
    /// Whether they were I/O waits.
    pub is_io: bool,
    /// The number of waits.
    pub count: u64,
    /// Their time, ns.
    pub ns: i64,
}

/// The time of a thread on a CPU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CpuTime {
    /// The CPU.
    pub cpu: u32,
    /// The time, ns.
    pub ns: i64,
}
