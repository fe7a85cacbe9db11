//! The clocks of a trace, and snapshots that relate them.

use crate::ids::SourceId;

/// A clock with which a trace was recorded, or to which it refers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum ClockKind {
    /// Wall time with an unknown origin.
    Wall,
    /// A thread's CPU time.
    ThreadCpu,
    /// `CLOCK_MONOTONIC`.
    Monotonic,
    /// `CLOCK_BOOTTIME`.
    Boot,
    /// `CLOCK_REALTIME`.
    Realtime,
    /// ftrace's `local` or `global` clock, or one that the file does not name.
    Trace,
}

impl ClockKind {
    /// Every clock.
    pub const ALL: &[Self] = &[
        Self::Wall,
        Self::ThreadCpu,
        Self::Monotonic,
        Self::Boot,
        Self::Realtime,
        Self::Trace,
    ];

    /// The clock's name in tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Wall => "wall",
            Self::ThreadCpu => "thread-cpu",
            Self::Monotonic => "monotonic",
            Self::Boot => "boot",
            Self::Realtime => "realtime",
            Self::Trace => "trace",
        }
    }
}

/// When the trace's clock was at `ts`, `clock` was at `value_ns`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClockRow {
    /// The input it came from.
    pub source: SourceId,
    /// The clock.
    pub clock: ClockKind,
    /// Time on the trace's own clock, ns.
    pub ts: i64,
    /// The value of the clock, ns since its own origin.
    pub value_ns: i64,
    /// The possible error of the value, ns. atrace, for example, prints its marker with the precision of a 32-bit
    /// float.
    pub precision_ns: i64,
    /// The marker's name, if it has one.
    pub name: String,
}
