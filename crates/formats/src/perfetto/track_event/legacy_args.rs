//! The arguments of events. Legacy events also get arguments for properties without a column: id, thread and phase.

use rustc_hash::FxHashMap;
use traceloom_trace::{
    ArgSetId, ArgValue, IdKind, RowId, SliceId, StringId, ThreadId, TraceBuilder,
};

use super::described::named_thread;
use super::event::{Event, Legacy};
use super::interpret::{At, TrackEvents};
use super::tracks::Owner;

/// The arguments of an event.
type List = Vec<(StringId, ArgValue)>;

impl<'s> TrackEvents<'s> {
    /// Stores the arguments of an event that begins a slice or is an instant.
    pub(super) fn stored_args(
        &mut self,
        at: &At<'s>,
        event: &Event<'s>,
        out: &mut TraceBuilder,
    ) -> ArgSetId {
        let args = self.event_args(at, event, false, out);
        out.args(args)
    }

    /// The arguments of an event. `is_end` means that it ends a slice.
    pub(super) fn event_args(
        &mut self,
        at: &At<'s>,
        event: &Event<'s>,
        is_end: bool,
        out: &mut TraceBuilder,
    ) -> List {
        self.log_line(at, event, out);
        let mut args = self.args.list(&event.others, at.names, out);
        let Some(legacy) = event.legacy else {
            return args;
        };
        let id = legacy.unscoped_id.or(legacy.global_id).or(legacy.local_id);
        if let Some(id) = id.filter(|_| is_asynchronous(legacy.phase)) {
            let key = out.intern(b"legacy_trace_source_id");
            args.insert(0, (key, ArgValue::Int(id as i64)));
        }
        if let Some(utid) = self.passed_thread(at, event, &legacy, out) {
            let key = out.intern(b"legacy_event.passthrough_utid");
            args.push((key, ArgValue::Row(IdKind::Thread, utid.0)));
        }
        if !is_end && matches!(legacy.phase, b'S' | b'T' | b'p' | b'R') {
            let letter = ArgValue::Text(out.intern(&[legacy.phase]));
            args.push((out.intern(b"legacy_event.phase"), letter));
        }
        args
    }

    /// Adds the arguments of an end event to its slice. They replace arguments with the same keys.
    pub(super) fn add_args(
        &mut self,
        slice: SliceId,
        at: &At<'s>,
        event: &Event<'s>,
        out: &mut TraceBuilder,
    ) {
        let old = out.trace().slices.arg_set_id.get(slice.row());
        self.args.continue_lists(old, out);
        let more = self.event_args(at, event, true, out);
        if more.is_empty() {
            return;
        }
        let mut all: Vec<_> = out.trace().args.set(old).collect();
        let places = all.iter().enumerate().map(|(at, (key, _))| (*key, at));
        let places: FxHashMap<_, _> = places.collect();
        for (key, value) in more {
            match places.get(&key).and_then(|at| all.get_mut(*at)) {
                // The thread of the begin event is kept.
                Some((_, ArgValue::Row(..))) => {}
                Some((_, known)) => *known = value,
                None => all.push((key, value)),
            }
        }
        let all = out.args(all);
        out.set_slice_args(slice, all);
    }

    /// The thread of an event that is not on its thread's track.
    fn passed_thread(
        &mut self,
        at: &At<'s>,
        event: &Event<'_>,
        legacy: &Legacy<'_>,
        out: &mut TraceBuilder,
    ) -> Option<ThreadId> {
        let is_mark = matches!(legacy.phase, b'i' | b'I') && matches!(legacy.scope, 1 | 2);
        if !is_mark && !is_asynchronous(legacy.phase) {
            return None;
        }
        let uuid = self.uuid(event, at.names.state);
        if let Some(uuid) = uuid.filter(|uuid| *uuid != 0) {
            return match self.owner(uuid, out) {
                Owner::Thread(utid) => Some(utid),
                _ => None,
            };
        }
        named_thread(legacy, at.pid, &mut self.tracks.tids, out).or(at.utid)
    }
}

fn is_asynchronous(phase: u8) -> bool {
    matches!(phase, b'b' | b'e' | b'n' | b'S' | b'T' | b'p' | b'F')
}
