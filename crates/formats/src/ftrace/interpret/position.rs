//! Where events come from, and where they happened.

use traceloom_trace::{Place, ThreadId};

/// The number of a thread's slot among [`Threads`](super::threads::Threads).
pub(super) type SlotId = usize;

/// The position of an event in the input.
#[derive(Clone, Copy, Debug)]
pub(super) enum Position {
    /// The line of a text, from 1.
    Line(u64),
    /// The byte at which a binary record begins.
    Byte(u64),
}

impl Position {
    /// The position as a place for repairs.
    pub fn place(self) -> Place {
        match self {
            Self::Line(line) => Place::at_line(line),
            Self::Byte(offset) => Place::at_offset(offset),
        }
    }
}

/// Where and when an event happened, and in which thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct At {
    pub ts: i64,
    pub cpu: u32,
    pub position: Position,
    pub slot: SlotId,
    pub utid: ThreadId,
}

impl At {
    pub fn place(self) -> Place {
        self.position.place().with_ts(self.ts)
    }
}
