//! The open calls of a thread, and how each record of a method trace changes them.

use traceloom_trace::{CallStack, MethodAction, MethodEvent};

use super::arena::Arena;
use super::clip::{Clip, Moment};
use super::faults::Faults;
use super::freeze::Span;

/// An open call: its node and its start.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub node: u32,
    pub begin: Moment,
}

/// A thread of the trace while its records are counted.
#[derive(Debug)]
pub(super) struct OpenThread {
    pub stack: CallStack<Frame>,
    pub root: u32,
    pub first: Moment,
    pub last: Moment,
    pub clip: Option<Box<Clip>>,
}

#[inline]
pub(super) fn moment_of(event: &MethodEvent) -> Moment {
    Moment {
        wall_ns: event.wall_ns,
        cpu_ns: event.cpu_ns,
    }
}

impl OpenThread {
    pub fn span(&self) -> Span {
        let ends = match &self.clip {
            Some(clip) => clip.call(self.first, self.last),
            None => Some((self.first, self.last)),
        };
        let (wall_ns, cpu_ns) = ends.map_or((0, 0), |(first, last)| last.since(first));
        Span::Measured(wall_ns, cpu_ns)
    }

    #[inline]
    pub fn see(&mut self, now: Moment) {
        if let Some(clip) = &mut self.clip {
            clip.see(now);
        }
    }

    #[inline]
    pub fn close(&self, arena: &mut Arena, frame: Frame, end: Moment) {
        let (begin, end) = match &self.clip {
            None => (frame.begin, end),
            Some(clip) => match clip.call(frame.begin, end) {
                Some(cut) => cut,
                None => return,
            },
        };
        let (wall_ns, cpu_ns) = end.since(begin);
        arena.add_call(frame.node, wall_ns as u64, cpu_ns as u64);
    }

    /// Counts records of this thread one by one.
    pub fn one_by_one(&mut self, arena: &mut Arena, faults: &mut Faults, records: &[MethodEvent]) {
        let plain = self.clip.is_none();
        // Copies: the compiler keeps them in registers.
        let (mut last, mut node) = (self.last, self.node());
        for event in records {
            let now = moment_of(event);
            let key = event.method().0;
            if now.is_after(last) && plain {
                if event.action() == MethodAction::Enter {
                    node = arena.child(node, key);
                    self.stack.push(key, Frame { node, begin: now });
                    last = now;
                    continue;
                }
                if let Some(frame) = self.stack.pop_innermost(key) {
                    let (wall_ns, cpu_ns) = now.after(frame.begin);
                    arena.add_call(frame.node, wall_ns, cpu_ns);
                    node = self.node();
                    last = now;
                    continue;
                }
            }
            self.last = last;
            self.count_any(arena, faults, event);
            (last, node) = (self.last, self.node());
        }
        self.last = last;
    }

    /// Counts the record at `nth` if it leaves the innermost open call.
    pub fn leave(&mut self, arena: &mut Arena, records: &[MethodEvent], nth: usize) -> bool {
        let Some(event) = records.get(nth) else {
            return false;
        };
        let now = moment_of(event);
        let is_exit = event.action() != MethodAction::Enter;
        let is_plain = event.thread == records[0].thread && now.is_after(self.last);
        if !(is_exit && is_plain) {
            return false;
        }
        let Some(frame) = self.stack.pop_innermost(event.method().0) else {
            return false;
        };
        let (wall_ns, cpu_ns) = now.after(frame.begin);
        arena.add_call(frame.node, wall_ns, cpu_ns);
        self.last = now;
        true
    }

    /// Counts any record.
    #[inline(never)]
    pub fn count_any(&mut self, arena: &mut Arena, faults: &mut Faults, event: &MethodEvent) {
        let now = moment_of(event);
        let key = event.method().0;
        if event.action() == MethodAction::Enter {
            self.see(now);
            let node = arena.child(self.node(), key);
            self.stack.push(key, Frame { node, begin: now });
            self.first = self.first.earliest(now);
        } else {
            let Some(inner) = self.stack.inner_calls(key) else {
                faults.unmatched.add(1, *event);
                return;
            };
            self.see(now);
            if inner > 0 {
                self.close_inner(arena, faults, inner, event);
            }
            if let Some(frame) = self.stack.pop() {
                if now.wall_ns < frame.begin.wall_ns {
                    faults.negative.add(1, *event);
                }
                self.close(arena, frame, now);
            }
        }
        self.last = self.last.latest(now);
    }

    /// The node of the innermost open call.
    #[inline]
    pub fn node(&self) -> u32 {
        self.stack.top().map_or(self.root, |frame| frame.node)
    }

    #[cold]
    pub fn close_inner(
        &mut self,
        arena: &mut Arena,
        faults: &mut Faults,
        inner: usize,
        event: &MethodEvent,
    ) {
        faults.missing.add(inner as u64, *event);
        for _ in 0..inner {
            if let Some(frame) = self.stack.pop() {
                self.close(arena, frame, moment_of(event));
            }
        }
    }
}
