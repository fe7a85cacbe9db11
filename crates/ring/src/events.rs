//! What a recording tells, event by event.

use std::borrow::Cow;

use crate::names::{unnamed_id, unnamed_method};
use crate::record::pieces;

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
    /// Chunks of the thread that are missing right before it: what was open there may have ended in them. Always 0 for
    /// what a signal handler wrote while it interrupted the thread's own writing.
    pub missing_chunks: u32,
}

impl What<'_> {
    /// Writes the event as the mark that a program would have written to `trace_marker`; methods
    /// become sections. `name_of` tells the name of an id.
    pub fn write_mark<'n>(
        &self,
        pid: u32,
        name_of: impl FnOnce(u32) -> Option<&'n [u8]>,
        out: &mut Vec<u8>,
    ) {
        if let Self::Mark(payload) = self {
            return out.extend_from_slice(payload);
        }
        let Some((kind, argument, value, text)) = pieces(self) else {
            return;
        };
        out.extend(kind.mark_letter());
        out.extend_from_slice(format!("|{pid}").as_bytes());
        if matches!(self, Self::End | Self::Exit { .. }) {
            return;
        }
        out.push(b'|');
        let is_method = matches!(self, Self::Enter { .. });
        let told = if kind.has_text() {
            Some(text)
        } else {
            name_of(argument)
        };
        match told {
            Some(name) => out.extend_from_slice(name),
            None if is_method => out.extend(unnamed_method(argument).into_bytes()),
            None => out.extend(unnamed_id(argument).into_bytes()),
        }
        // A method's value is its CPU time, for which marks have no place.
        if kind.has_value() && !is_method {
            out.extend_from_slice(format!("|{}", value as i64).as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_say_what_events_do() {
        let mark = |what: What<'_>| {
            let mut mark = Vec::new();
            what.write_mark(9, |id| (id == 1).then_some(b"one"), &mut mark);
            String::from_utf8(mark).unwrap()
        };
        let cpu_ns = Some(5);
        assert_eq!(mark(What::Begin(Name::Id(1))), "B|9|one");
        assert_eq!(mark(What::Begin(Name::Text(b"draw"))), "B|9|draw");
        assert_eq!(mark(What::Enter { id: 7, cpu_ns }), "B|9|7");
        assert_eq!(mark(What::Exit { id: 7, cpu_ns }), "E|9");
        assert_eq!(mark(What::End), "E|9");
        assert_eq!(mark(What::Counter(Name::Id(7), -3)), "C|9|#7|-3");
        assert_eq!(mark(What::Instant(Name::Text(b"tap"))), "I|9|tap");
        assert_eq!(mark(What::AsyncBegin(Name::Id(1), 4)), "S|9|one|4");
        assert_eq!(mark(What::AsyncEnd(Name::Text(b"x"), 4)), "F|9|x|4");
        assert_eq!(mark(What::Mark(b"G|1|a"[..].into())), "G|1|a");
    }
}
