//! The threads that strace follows, and the thread that each line belongs to.

use std::collections::BTreeSet;

use traceloom_trace::{NO_NUMBER, RowId, ThreadId, TraceBuilder};

use super::line::Event;
use super::message::{Message, News};

/// The threads that strace follows. On a terminal, lines have no number while there is only one thread.
#[derive(Debug, Default)]
pub(super) struct Tracees {
    /// The first thread, if it had lines before its number was known.
    first: Option<ThreadId>,
    /// Its number, once it is known.
    number: Option<i64>,
    /// The numbers of the threads that strace follows.
    alive: BTreeSet<i64>,
    /// The number in front of the last line.
    last: Option<i64>,
}

impl Tracees {
    /// The thread of a line with a number; `None` if this is its first line.
    pub fn numbered(
        &mut self,
        tid: i64,
        event: &Event<'_>,
        out: &mut TraceBuilder,
    ) -> Option<ThreadId> {
        let is_known = self.last == Some(tid) || !self.alive.insert(tid);
        self.last = Some(tid);
        let found = self.find(tid, out);
        if found.is_some() || is_known {
            return found;
        }
        // Messages and calls announce all threads but the first.
        let first = self.without_number()?;
        can_continue(first, event, out).then(|| self.set_number(first, tid, out))?;
        Some(first)
    }

    /// The thread of a line without a number: the only one that strace follows.
    pub fn only(&mut self, event: &Event<'_>, out: &mut TraceBuilder) -> ThreadId {
        self.last = None;
        if let Some(first) = self.without_number() {
            self.alive.clear();
            return first;
        }
        if self.alive.len() > 1 {
            let only = self.guess(event, out);
            self.alive.retain(|tid| Some(*tid) == only);
        }
        match self.alive.first() {
            Some(tid) => self.find(*tid, out).unwrap_or_else(|| out.thread(*tid)),
            None => *self.first.insert(out.new_thread(NO_NUMBER)),
        }
    }

    /// Guesses which thread is the last one left. With `-qq`, the log does not show how the others ended.
    fn guess(&self, event: &Event<'_>, out: &mut TraceBuilder) -> Option<i64> {
        let mut seen = self.alive.iter().copied();
        let fits = seen.find(|tid| {
            let thread = self.find(*tid, out);
            thread.is_some_and(|thread| can_continue(thread, event, out))
        });
        fits.or(self.alive.first().copied())
    }

    /// The first thread, while its number is unknown.
    pub fn without_number(&self) -> Option<ThreadId> {
        self.first.filter(|_| self.number.is_none())
    }

    /// Sets the number of the first thread, which is now known.
    pub fn set_number(&mut self, first: ThreadId, tid: i64, out: &mut TraceBuilder) {
        if out.find_thread(tid).is_none() {
            out.renumber_thread(first, tid);
            self.number = Some(tid);
            self.alive.insert(tid);
        }
    }

    /// The thread that currently has a number.
    pub fn find(&self, tid: i64, out: &TraceBuilder) -> Option<ThreadId> {
        let first = self.first.filter(|_| self.number == Some(tid));
        first.or_else(|| out.find_thread(tid))
    }

    /// Handles a message of strace.
    pub fn apply(&mut self, message: &Message<'_>) {
        match message.news {
            News::Attached => drop(self.alive.insert(message.tid)),
            News::Detached => self.forget(message.tid),
            News::Paused => {}
        }
    }

    /// Handles the end of a thread with the number `tid`.
    pub fn end(&mut self, thread: ThreadId, tid: i64) {
        self.forget(tid);
        if self.first == Some(thread) {
            self.first = None;
            self.number = None;
        }
    }

    /// Removes a thread that strace no longer follows.
    pub fn forget(&mut self, tid: i64) {
        self.alive.remove(&tid);
        self.last = self.last.filter(|last| *last != tid);
    }
}

/// Whether an event can be the next one of a thread. If a call is open, only its end can follow; otherwise, anything
/// else can.
fn can_continue(thread: ThreadId, event: &Event<'_>, out: &mut TraceBuilder) -> bool {
    let track = out.thread_track(thread);
    let open = out.open_slices(track).last().copied();
    let trace = out.trace();
    let open = open.map(|slice| trace.strings.get(trace.slices.name.get(slice.row())));
    match event {
        Event::End(call) => open == Some(call.name),
        Event::EndAndBegin { name, .. } => open == Some(*name),
        _ => open.is_none(),
    }
}
