//! Slices of the pairs of kernel events in [`pairs`](crate::ftrace::pairs), and of the user's rules.
//!
//! ```text
//! open: a b c    end of c  ->  closes c
//! open: a b c    end of a  ->  closes a, and also b and c, whose ends are missing
//! open: a b c    end of x  ->  x began before the recording: counted, and kept as an event
//! ```

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;
use traceloom_trace::{
    CallStack, LaneKey, RepairKind, SliceBegin, SliceId, StringId, TraceBuilder, TrackId,
};

use super::args::Fields;
use super::interpreter::Interpreter;
use super::open_pairs::{Open, Waiting};
use super::position::At;
use crate::ftrace::event::Value;
use crate::ftrace::pairs::{Again, BEGIN_EVENT, END_EVENT, Name, On, Pair, Role, Use};

/// The identity of slices of the user's rules. Their ends close the innermost slice.
pub(super) const RULE: u32 = 0;

impl Interpreter {
    /// Begins and ends the slices of the pairs to which an event belongs. `None` means that it is
    /// kept as an event.
    pub(super) fn pairs(
        &mut self,
        at: At,
        uses: &[Use],
        event: &[u8],
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let mut handled = None;
        for one in uses.iter().filter(|one| applies(one, fields)) {
            let identity = identity(one, fields);
            let done = match one.role {
                _ if one.pair.name == Name::Syscall => {
                    self.syscall(at, (one, identity), event, fields, out)
                }
                Role::Begin => self.pair_begin(at, (one, identity), event, fields, out),
                Role::End => self.pair_end(at, (one, identity), event, fields, out),
            };
            handled = handled.or(done);
        }
        handled
    }

    pub(super) fn pair_begin(
        &mut self,
        at: At,
        (one, identity): (&Use, u64),
        event: &[u8],
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let pair = one.pair;
        let name = match pair.name {
            Name::Is(name) => name.as_bytes().into(),
            Name::Of(keys) => keys.iter().find_map(|key| fields.printed(key))?,
            Name::In(before, keys, after) => {
                let inner = keys.iter().find_map(|key| fields.printed(key))?;
                [before.as_bytes(), &inner, after.as_bytes()]
                    .concat()
                    .into()
            }
            Name::Event => event.into(),
            Name::Syscall => self.syscall_name(event, fields, out).into(),
        };
        let track = self.pair_track(at, pair, out);
        if pair.on == On::Machine {
            let key = lane(track, identity);
            if pair.again == Again::Ends && self.lanes.end(out, key, at.ts).is_some() {
                missing_ends(at, 1, out);
            }
            let begin = self.pair_slice(at, (one, event), &name, fields, out);
            self.lanes.begin(out, key, begin);
            return Some(());
        }
        match pair.again {
            Again::Joins if self.is_open(track, identity as u32, out) => return None,
            Again::Ends => self.end_before(at, track, identity as u32, out),
            Again::Waits => {
                let begin = self.pair_slice(at, (one, event), &name, fields, out);
                let identity = identity as u32;
                self.open.waiting.insert(track, Waiting { identity, begin });
                return None;
            }
            _ => {}
        }
        let begin = self.pair_slice(at, (one, event), &name, fields, out);
        self.push_slice(track, identity as u32, begin, out);
        Some(())
    }

    /// The begin of a slice. It includes the name of the event, unless that event is assumed.
    fn pair_slice(
        &mut self,
        at: At,
        (one, event): (&Use, &[u8]),
        name: &[u8],
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> SliceBegin {
        let category = match one.pair.category {
            "" => StringId::NULL,
            category => out.intern(category.as_bytes()),
        };
        if one.is_assumed {
            return SliceBegin {
                category,
                ..self.slice_begin(at, name, fields, out)
            };
        }
        let name = self.kernel.slice_name(name, out);
        SliceBegin {
            category,
            arg_set_id: fields.keep_with(BEGIN_EVENT, event, out),
            ..SliceBegin::named(at.ts, name)
        }
    }

    pub(super) fn pair_end(
        &mut self,
        at: At,
        (one, identity): (&Use, u64),
        event: &[u8],
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let pair = one.pair;
        let track = self.pair_track(at, pair, out);
        let ended = match (pair.on, pair.again, pair.name) {
            (On::Machine, ..) => self.lane_end(at, lane(track, identity), fields, out),
            (On::Own, _, Name::Is(name)) => self.end_named(at, track, name.as_bytes(), fields, out),
            (_, Again::Waits, _) => self.end_waiting(at, track, identity as u32, fields, out),
            _ => self.pop_slice(at, track, identity as u32, fields, out),
        };
        let Some(slice) = ended else {
            self.history.unmatched(at);
            return None;
        };
        if !one.is_assumed {
            let name = Fields::NONE.keep_with(END_EVENT, event, out);
            out.append_slice_args(slice, name);
        }
        Some(())
    }

    pub(super) fn pair_track(&mut self, at: At, pair: &Pair, out: &mut TraceBuilder) -> TrackId {
        match pair.on {
            On::Own => self.threads.track(at.slot, out),
            On::Thread => self.thread_row(at, pair.track, out),
            On::Cpu => self.cpu_track(at, pair.track, out),
            On::Machine => self.machine_track(pair.track, out),
        }
    }

    /// Opens a slice that [`pop_slice`](Self::pop_slice) closes.
    pub(super) fn push_slice(
        &mut self,
        track: TrackId,
        identity: u32,
        begin: SliceBegin,
        out: &mut TraceBuilder,
    ) {
        let depth = out.open_depth(track);
        let slice = out.begin_slice(track, begin);
        let stack = self.open.stacks.entry(track).or_default();
        stack.push(identity, Open { slice, depth });
    }

    /// Closes the innermost slice with this identity, and those inside it.
    fn pop_slice(
        &mut self,
        at: At,
        track: TrackId,
        identity: u32,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<SliceId> {
        let stack = self.open.stacks.get_mut(&track)?;
        forget_ended(stack, track, out);
        let inner = stack.inner_calls(identity)?;
        let closed = close(stack, inner, at, track, out)?;
        missing_ends(at, inner, out);
        self.add_args(closed, fields, out);
        Some(closed)
    }

    /// Closes the innermost slice of a track.
    pub(super) fn pop_innermost(
        &mut self,
        at: At,
        track: TrackId,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let stack = self.open.stacks.get_mut(&track)?;
        close(stack, 0, at, track, out)?;
        Some(())
    }

    /// Ends the open slice that begins again.
    fn end_before(&mut self, at: At, track: TrackId, identity: u32, out: &mut TraceBuilder) {
        let Some(stack) = self.open.stacks.get_mut(&track) else {
            return;
        };
        forget_ended(stack, track, out);
        if let Some(inner) = stack.inner_calls(identity) {
            close(stack, inner, at, track, out);
            missing_ends(at, inner + 1, out);
        }
    }

    fn is_open(&mut self, track: TrackId, identity: u32, out: &TraceBuilder) -> bool {
        let stack = self.open.stacks.get_mut(&track);
        stack.is_some_and(|stack| {
            forget_ended(stack, track, out);
            stack.inner_calls(identity).is_some()
        })
    }

    /// Creates a slice from a waiting begin and this end.
    fn end_waiting(
        &mut self,
        at: At,
        track: TrackId,
        identity: u32,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<SliceId> {
        let waiting = self.open.waiting.get(&track)?;
        let begin = (waiting.identity == identity).then_some(waiting.begin)?;
        self.open.waiting.remove(&track);
        let slice = out.whole_slice(track, begin, at.ts.saturating_sub(begin.ts));
        self.add_args(slice, fields, out);
        Some(slice)
    }
}

/// Forgets slices that were ended in another way: a program's mark may end a slice on the thread's own track.
fn forget_ended(stack: &mut CallStack<Open>, track: TrackId, out: &TraceBuilder) {
    let open = out.open_slices(track);
    while let Some(top) = stack.top()
        && open.get(top.depth) != Some(&top.slice)
    {
        stack.pop();
    }
}

/// Closes the innermost slice and `inner` more; returns the outermost of them.
fn close(
    stack: &mut CallStack<Open>,
    inner: usize,
    at: At,
    track: TrackId,
    out: &mut TraceBuilder,
) -> Option<SliceId> {
    let mut last = None;
    for _ in 0..=inner {
        last = stack.pop();
    }
    let last = last?;
    while out.open_depth(track) > last.depth {
        out.end_slice(track, at.ts, None);
    }
    Some(last.slice)
}

/// Counts slices whose ends are missing.
pub(super) fn missing_ends(at: At, count: usize, out: &mut TraceBuilder) {
    out.repair(RepairKind::MissingExit, count as u64, at.place(), || {
        "the end of a kernel slice is missing".to_owned()
    });
}

fn lane(track: TrackId, identity: u64) -> LaneKey {
    LaneKey {
        track,
        cookie: identity as i64,
    }
}

/// Whether the event satisfies the condition of its role.
fn applies(one: &Use, fields: Fields<'_>) -> bool {
    one.only_if.is_none_or(|(key, values)| {
        let text = fields.printed(key).unwrap_or_default();
        values.split('|').any(|value| value.as_bytes() == &*text)
    })
}

/// The identity of a slice of a pair, computed from the pair and the fields that begin and end
/// share.
fn identity(one: &Use, fields: Fields<'_>) -> u64 {
    let mut hasher = FxHasher::default();
    one.index.hash(&mut hasher);
    for key in one.pair.keys {
        let value = key.split('|').find_map(|key| fields.get(key));
        match value {
            Some(Value::Int(value)) => (value as u64).hash(&mut hasher),
            Some(Value::Hex(value)) => value.hash(&mut hasher),
            Some(Value::Text(text)) => text.hash(&mut hasher),
            None => 0u8.hash(&mut hasher),
        }
    }
    // Never equal to the identity of rules.
    hasher.finish() << 1 | 1
}
