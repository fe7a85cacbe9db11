//! Slices of kernel events: pairs of events on the track of a thread, CPU or device.

use traceloom_trace::{LaneKey, RowId, SliceBegin, SliceId, TraceBuilder, TrackId, TrackType};

use super::args::Fields;
use super::interpreter::Interpreter;
use super::position::At;

impl Interpreter {
    /// Opens a slice with the event's fields.
    pub(super) fn begin(
        &mut self,
        at: At,
        track: TrackId,
        name: &[u8],
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> SliceId {
        let begin = self.slice_begin(at, name, fields, out);
        out.begin_slice(track, begin)
    }

    /// Closes the innermost slice of `track` if it has this name, and adds the fields of the end.
    /// `None` if it has another name, because its begin is missing.
    pub(super) fn end_named(
        &mut self,
        at: At,
        track: TrackId,
        name: &[u8],
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<SliceId> {
        let name = self.kernel.slice_name(name, out);
        let open = out.open_slice(track)?;
        if out.trace().slices.name.get(open.row()) != name {
            return None;
        }
        self.end_innermost(at, track, fields, out)
    }

    /// Opens a slice on a track of the machine where slices may overlap.
    pub(super) fn lane_begin(
        &mut self,
        at: At,
        key: LaneKey,
        name: &[u8],
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) {
        let begin = self.slice_begin(at, name, fields, out);
        self.lanes.begin(out, key, begin);
    }

    /// Closes such a slice.
    pub(super) fn lane_end(
        &mut self,
        at: At,
        key: LaneKey,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<SliceId> {
        let slice = self.lanes.end(out, key, at.ts)?;
        self.add_args(slice, fields, out);
        Some(slice)
    }

    pub(super) fn cpu_track(&mut self, at: At, name: &str, out: &mut TraceBuilder) -> TrackId {
        let kind = TrackType::CpuSlice.named(name);
        let name = self.kernel.track_name(name.as_bytes(), out);
        out.cpu_track(kind, at.cpu, name)
    }

    pub(super) fn thread_row(&mut self, at: At, name: &str, out: &mut TraceBuilder) -> TrackId {
        let kind = TrackType::ThreadSlice.named(name);
        let name = self.kernel.track_name(name.as_bytes(), out);
        out.thread_named_track(kind, at.utid, name)
    }

    pub(super) fn machine_track(&mut self, name: &str, out: &mut TraceBuilder) -> TrackId {
        let kind = TrackType::GlobalSlice.named(name);
        let name = self.kernel.track_name(name.as_bytes(), out);
        out.global_track(kind, name)
    }

    /// The begin of a slice for this event.
    pub(super) fn slice_begin(
        &mut self,
        at: At,
        name: &[u8],
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> SliceBegin {
        let arg_set_id = self.kernel.keep(fields, out);
        let name = self.kernel.slice_name(name, out);
        SliceBegin {
            arg_set_id,
            ..SliceBegin::named(at.ts, name)
        }
    }

    /// Closes the innermost slice of `track`, and adds the fields of the end.
    fn end_innermost(
        &mut self,
        at: At,
        track: TrackId,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<SliceId> {
        let slice = out.end_slice(track, at.ts, None)?;
        self.add_args(slice, fields, out);
        Some(slice)
    }

    /// Adds the fields of a slice's end to those of its begin, except those with the same name and
    /// value.
    pub(super) fn add_args(&mut self, slice: SliceId, fields: Fields<'_>, out: &mut TraceBuilder) {
        if fields.is_empty() {
            return;
        }
        fields.add_to(slice, self.kernel.last_fields(), out);
    }

    /// Adds a value to a counter of the machine.
    pub(super) fn global_counter(
        &mut self,
        at: At,
        name: &str,
        value: f64,
        out: &mut TraceBuilder,
    ) {
        let kind = TrackType::GlobalCounter.named(name);
        let name = out.intern(name.as_bytes());
        let track = out.global_track(kind, name);
        out.counter(track, at.ts, value);
    }
}

impl Interpreter {
    /// A probe that the recorder put into the kernel: begin (1), end (2) or instant (3). Only
    /// Perfetto has this event.
    pub(super) fn kprobe(
        &mut self,
        at: At,
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        let name = fields.text("name")?;
        let track = self.threads.track(at.slot, out);
        match fields.int("type")? {
            1 => _ = self.begin(at, track, name, Fields::NONE, out),
            2 => {
                let ended = self.end_named(at, track, name, Fields::NONE, out);
                if ended.is_none() {
                    self.history.unmatched(at);
                }
                return ended.map(drop);
            }
            3 => _ = self.moment(at, name, Fields::NONE, out),
            _ => return None,
        }
        Some(())
    }
}

/// Prefixes of the recorder's probes at the start and at the return of a function. The name of the function follows.
const PROBES: [&[u8]; 2] = [b"traceloom_call_", b"traceloom_return_"];

impl Interpreter {
    /// A call of a function with probes at its start and its return. `None` if the event is not such a probe, or the
    /// call began before the recording.
    pub(super) fn probe(
        &mut self,
        at: At,
        event: &[u8],
        fields: Fields<'_>,
        out: &mut TraceBuilder,
    ) -> Option<()> {
        if let Some(name) = event.strip_prefix(PROBES[0]) {
            let track = self.threads.track(at.slot, out);
            self.begin(at, track, name, fields, out);
            return Some(());
        }
        let name = event.strip_prefix(PROBES[1])?;
        let track = self.threads.track(at.slot, out);
        let ended = self.end_named(at, track, name, fields, out);
        if ended.is_none() {
            self.history.unmatched(at);
        }
        ended.map(drop)
    }
}

/// The key of a slice on a track of the machine where slices may overlap.
pub(super) fn lane_key(track: &str, cookie: i64, out: &mut TraceBuilder) -> LaneKey {
    let kind = TrackType::GlobalSlice.named(track);
    let name = out.intern(track.as_bytes());
    let track = out.global_track(kind, name);
    LaneKey { track, cookie }
}
