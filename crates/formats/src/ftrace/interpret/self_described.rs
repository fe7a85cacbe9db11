//! Kernel events that describe their own tracks, by Perfetto's convention for tracepoints ("kernel track events"): the
//! names of their fields define the meaning, so that a driver's own events need no code here.
//!
//! | field | meaning |
//! |---|---|
//! | `track_event_type` | `B` begins a slice, `E` ends the innermost one, `I` is an instant |
//! | `slice_name` | the name of the slice or instant |
//! | `counter_value` | instead of these two: the value of a counter |
//! | `track_name` | the name of the track; without it, that of the event |
//! | `scope_tgid`, `scope_cpu` | the process or the CPU that the track belongs to |
//! | `scope_` and anything else | another number that distinguishes tracks |
//!
//! Without a scope, the track belongs to the thread. Source: google/perfetto, `docs/reference/kernel-track-event.md`.
//! The events are also kept.

use std::borrow::Cow;

use traceloom_trace::{ArgSetId, RepairKind, RowId, SliceBegin, TraceBuilder, TrackId};

use super::args::Fields;
use super::described_track::{DescribedTrack, Scope};
use super::interpreter::Interpreter;
use super::position::At;
use crate::ftrace::event::{MOST_CPUS, Value};

/// The content of such an event.
enum Shown<'p> {
    /// The type and the name of a slice.
    Slice(Option<u8>, Cow<'p, [u8]>),
    /// The value of a counter.
    Counter(i64),
}

impl<'p> Shown<'p> {
    /// `None` if the event does not describe a track.
    fn of(fields: Fields<'p>) -> Option<Self> {
        if let Some(kind) = fields.get("track_event_type")
            && let Some(name) = fields.printed("slice_name")
        {
            return Some(Self::Slice(letter(kind), name));
        }
        fields.int("counter_value").map(Self::Counter)
    }
}

/// A letter. In binary events it is a number, and text may print it as a letter.
fn letter(value: Value<'_>) -> Option<u8> {
    match value {
        Value::Int(number) => number.try_into().ok(),
        Value::Hex(number) => number.try_into().ok(),
        Value::Text([letter]) => Some(*letter),
        Value::Text(_) => None,
    }
}

impl Interpreter {
    /// Adds the slice or counter of an event that describes its own track.
    pub(super) fn self_described(
        &mut self,
        at: At,
        event: &[u8],
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) {
        let Some(shown) = Shown::of(fields) else {
            return;
        };
        let Some(track) = self.described_track(at, event, &shown, fields, out) else {
            return refuse(at, "the scope_cpu of an event is out of range", out);
        };
        match shown {
            Shown::Counter(value) => out.whole_counter(track, at.ts, value),
            Shown::Slice(Some(b'B'), name) => {
                let name = out.intern(&name);
                out.begin_slice(track, SliceBegin::named(at.ts, name));
            }
            Shown::Slice(Some(b'E'), _) => {
                if out.end_slice(track, at.ts, None).is_none() {
                    self.history.unmatched(at);
                }
            }
            Shown::Slice(Some(b'I'), name) => {
                let name = out.intern(&name);
                out.instant(track, at.ts, name, ArgSetId::NONE);
            }
            Shown::Slice(..) => {
                refuse(at, "a track_event_type is none of B, E and I", out);
            }
        }
    }

    fn described_track(
        &mut self,
        at: At,
        event: &[u8],
        shown: &Shown<'_>,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<TrackId> {
        let scope = scope(at, fields, out)?;
        let event = out.intern(event);
        let name = match fields.printed("track_name") {
            Some(name) => out.intern(&name),
            None => event,
        };
        let is_counter = matches!(shown, Shown::Counter(_));
        let described = DescribedTrack {
            event,
            name,
            scope,
            is_counter,
        };
        let track = self.described.entry(described);
        Some(*track.or_insert_with(|| described.add(out)))
    }
}

/// The scope of an event: its last `scope_` field, or its thread if it has none. `None` if the number of a CPU is out
/// of range.
fn scope(at: At, fields: Fields<'_>, out: &mut TraceBuilder) -> Option<Scope> {
    let Some((key, number)) = fields.last_int("scope_") else {
        return Some(Scope::Thread(at.utid));
    };
    Some(match key {
        b"scope_tgid" => Scope::Process(out.process(number)),
        b"scope_cpu" => Scope::Cpu(u32::try_from(number).ok().filter(|cpu| *cpu < MOST_CPUS)?),
        _ => Scope::Custom(number),
    })
}

fn refuse(at: At, detail: &str, out: &mut TraceBuilder) {
    out.repair(RepairKind::BadField, 1, at.place(), || detail.to_owned());
}
