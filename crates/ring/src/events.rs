//! The events of a recording.

use std::borrow::Cow;

/// A name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Name<'a> {
    /// A number. A note in the file, or a method map beside it, gives the text.
    Id(u32),
    /// Text, not necessarily UTF-8.
    Text(&'a [u8]),
}

/// What happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum What<'a> {
    /// A section of the thread begins.
    Begin(Name<'a>),
    /// The innermost section ends.
    End,
    /// A method was entered.
    Enter {
        /// Number of the method.
        id: u32,
        /// CPU time of the thread if it was recorded, ns.
        cpu_ns: Option<u64>,
    },
    /// A method was left.
    Exit {
        /// Number of the method.
        id: u32,
        /// CPU time of the thread if it was recorded, ns.
        cpu_ns: Option<u64>,
    },
    /// A counter of the process has a new value.
    Counter(Name<'a>, i64),
    /// A point in time.
    Instant(Name<'a>),
    /// An async section begins, which may end on another thread: name and cookie.
    AsyncBegin(Name<'a>, i64),
    /// The async section with this name and cookie ends.
    AsyncEnd(Name<'a>, i64),
    /// Text that a program wrote to `trace_marker`: `B|123|name`.
    Mark(Cow<'a, [u8]>),
}

/// An event of a recording.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event<'a> {
    /// Time, ns: `CLOCK_MONOTONIC` if the header names that clock, else `CLOCK_BOOTTIME`.
    pub ts_ns: i64,
    /// Index of the thread in [`Recording::threads`](crate::Recording::threads).
    pub thread: usize,
    /// What happened.
    pub what: What<'a>,
    /// Offset of the record in the file, bytes.
    pub offset: u64,
    /// Number of the thread's chunks missing right before this event; open sections may have ended in them. Always 0
    /// for events that a signal handler recorded while it interrupted the writing of a record.
    pub missing_chunks: u32,
}
