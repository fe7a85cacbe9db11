//! What a recording tells, event by event.

use std::borrow::Cow;

/// A name: a number that a note (or a map beside the file) explains, or text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Name<'a> {
    /// A number.
    Id(u32),
    /// Text; not always UTF-8.
    Text(&'a [u8]),
}

/// What happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum What<'a> {
    /// A section begins on the thread.
    Begin(Name<'a>),
    /// The innermost section ends.
    End,
    /// A method was entered.
    Enter {
        /// Its number.
        id: u32,
        /// The thread's CPU clock, ns, where it was recorded.
        cpu_ns: Option<u64>,
    },
    /// A method was left.
    Exit {
        /// Its number.
        id: u32,
        /// The thread's CPU clock, ns, where it was recorded.
        cpu_ns: Option<u64>,
    },
    /// A counter of the process has a new value.
    Counter(Name<'a>, i64),
    /// A point in time.
    Instant(Name<'a>),
    /// A section begins that may end on another thread.
    AsyncBegin(Name<'a>, i64),
    /// The section of that name and cookie ends.
    AsyncEnd(Name<'a>, i64),
    /// What a program wrote to `trace_marker`: `B|123|name`.
    Mark(Cow<'a, [u8]>),
}

/// An event of a recording.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event<'a> {
    /// When: `CLOCK_BOOTTIME`, or the clock that the header names, ns.
    pub ts_ns: i64,
    /// The thread: an index of [`Recording::threads`](crate::Recording::threads).
    pub thread: usize,
    /// What happened.
    pub what: What<'a>,
    /// Where its record begins, bytes.
    pub offset: u64,
}

impl What<'_> {
    /// Writes the event as the mark that a program would have written to `trace_marker`; methods
    /// become sections. `name_of` tells the name of an id.
    pub fn write_mark<'n>(
        &self,
        pid: u32,
        name_of: impl FnOnce(u32) -> Cow<'n, [u8]>,
        out: &mut Vec<u8>,
    ) {
        let (letter, name, last) = match self {
            Self::Mark(payload) => return out.extend_from_slice(payload),
            Self::End | Self::Exit { .. } => {
                return out.extend_from_slice(format!("E|{pid}").as_bytes());
            }
            Self::Begin(name) => ('B', *name, None),
            Self::Enter { id, .. } => ('B', Name::Id(*id), None),
            Self::Counter(name, value) => ('C', *name, Some(*value)),
            Self::Instant(name) => ('I', *name, None),
            Self::AsyncBegin(name, cookie) => ('S', *name, Some(*cookie)),
            Self::AsyncEnd(name, cookie) => ('F', *name, Some(*cookie)),
        };
        out.extend_from_slice(format!("{letter}|{pid}|").as_bytes());
        match name {
            Name::Id(id) => out.extend_from_slice(&name_of(id)),
            Name::Text(text) => out.extend_from_slice(text),
        }
        if let Some(last) = last {
            out.extend_from_slice(format!("|{last}").as_bytes());
        }
    }
}
