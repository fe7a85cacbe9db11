//! Where events come from, and where they occurred.

use traceloom_trace::{Place, ThreadId};

/// The index of a thread's slot in [`Threads`](super::threads::Threads).
pub(super) type SlotId = usize;

/// The position of an event in the input.
#[derive(Clone, Copy, Debug)]
pub(super) enum Position {
    /// The line of a text, from 1.
    Line(u64),
    /// The offset of a binary record, bytes.
    Byte(u64),
}

impl Position {
    /// Converts the position to a place for repairs.
    pub fn place(self) -> Place {
        match self {
            Self::Line(line) => Place::at_line(line),
            Self::Byte(offset) => Place::at_offset(offset),
        }
    }
}

/// The time and place of an event, and its thread.
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
