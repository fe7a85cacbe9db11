//! What there is to say about a thread.

use traceloom_trace::{StringId, ThreadId};

use super::latency::Latency;

/// What one thread did in a range of time. The times are ns.
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
    /// From each wake-up until it got a CPU.
    pub latency: Latency,
    /// Who woke it: the one that ended the longest waits first.
    pub wakers: Vec<Waker>,
    /// Where in the kernel it waited uninterruptibly, the longest time first.
    pub blocked_in: Vec<BlockedIn>,
    /// Its CPUs, the one on which it ran longest first.
    pub cpus: Vec<CpuTime>,
    /// How often it ran on another CPU than the time before.
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
