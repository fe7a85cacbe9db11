//! Fills the tables from track events.

use rustc_hash::FxHashMap;
use traceloom_trace::{
    MethodId, NO_DURATION, RowId, SliceBegin, SliceId, StringId, ThreadId, TraceBuilder, TrackId,
};

use super::super::descriptors::Declared;
use super::super::sequence::State;
use super::super::source::Span;
use super::super::state_rows::StateRows;
use super::super::survey::Survey;
use super::super::track_descriptor::{Thread, TrackDescriptors};
use super::super::wire::{Field, Fields};
use super::active::ActiveProcesses;
use super::args::Args;
use super::counting::Counting;
use super::described::{name_thread, named_thread};
use super::event::{Event, SliceStack, kind};
use super::flows::Flows;
use super::lifecycle::Lifecycles;
use super::names::{Names, Texts};
use super::nested::NestedLanes;
use super::skipped::Skipped;
use super::tracks::{Asker, Owner, Tracks, Use};
use crate::profile::V8Event;

/// Turns track events into slices, instants, counters and flows.
pub(crate) struct TrackEvents<'s> {
    pub(super) survey: &'s Survey<'s>,
    pub(super) tracks: Tracks<'s>,
    pub(super) args: Args<'s>,
    pub(super) flows: Flows,
    pub(super) lanes: NestedLanes,
    pub(super) lifecycles: Lifecycles,
    pub(super) active: ActiveProcesses,
    /// Whether all described threads and processes were added.
    pub(super) has_tasks: bool,
    pub(super) counters: FxHashMap<u64, Counting>,
    /// The sums of incremental counters, by track and generation of the sequence's state.
    pub(super) sums: FxHashMap<(u64, u32), f64>,
    pub(super) texts: Texts,
    /// By generation: the thread of each sequence whose events have no track.
    threads: FxHashMap<u32, Legacy>,
    /// For each track with a slice of known duration: the ends of its open slices, innermost last. [`i64::MAX`] means
    /// unknown.
    pub(super) ends: FxHashMap<TrackId, Vec<i64>>,
    pub(super) unmatched: (u64, Option<i64>),
    /// The stack of the last event, if it has one.
    pub stack: Option<SliceStack<'s>>,
    /// The slice of the last event, if it has a `GpuCorrelation`.
    pub gpu: Option<(SliceId, Field<'s>)>,
    /// The V8 profile data of the last event, if it has any.
    pub v8: Option<V8Event<'s>>,
    pub(super) unknown_phases: (u64, u8),
    /// The number of thread events whose sequence has no thread.
    pub(super) without_thread: u64,
    pub(super) states: StateRows,
    pub(super) machine: i64,
    /// The number of state events on tracks that have no states.
    pub(super) misplaced_states: u64,
    pub(super) skipped: Skipped,
}

/// The thread of a sequence, with its CPU time, ns, and its instruction count at the last event.
#[derive(Clone, Copy)]
struct Legacy {
    descriptor: Span,
    utid: ThreadId,
    pid: i32,
    thread_ns: i64,
    instructions: i64,
}

/// The context of an event: its timestamp, its name, and the state of its sequence.
pub(super) struct At<'s> {
    pub ts: i64,
    pub names: Names<'s>,
    /// The thread of the sequence, if its descriptor has one.
    pub utid: Option<ThreadId>,
    pub pid: Option<i32>,
    /// The name of the event.
    pub name: StringId,
    /// The CPU time of the event's thread, ns.
    pub thread_ts: Option<i64>,
    /// The instruction count of the event's thread.
    pub instructions: Option<i64>,
}

impl<'s> TrackEvents<'s> {
    pub fn new(
        survey: &'s Survey<'s>,
        tracked: &'s TrackDescriptors,
        declared: &'s Declared<'s>,
    ) -> Self {
        Self {
            survey,
            tracks: Tracks::new(tracked, &survey.source),
            args: Args::new(declared, survey.source.bytes()),
            flows: Flows::default(),
            lanes: NestedLanes::default(),
            lifecycles: Lifecycles::default(),
            active: ActiveProcesses::default(),
            has_tasks: false,
            counters: FxHashMap::default(),
            sums: FxHashMap::default(),
            texts: Texts::default(),
            threads: FxHashMap::default(),
            ends: FxHashMap::default(),
            unmatched: (0, None),
            stack: None,
            gpu: None,
            v8: None,
            unknown_phases: (0, 0),
            without_thread: 0,
            states: StateRows::default(),
            machine: 0,
            misplaced_states: 0,
            skipped: Skipped::default(),
        }
    }

    /// Reads the `TrackEvent` of a packet with this state.
    pub fn event(&mut self, ts: i64, bytes: &'s [u8], state: State, out: &mut TraceBuilder) {
        let event = Event::read(bytes);
        let uuid = self.uuid(&event, state);
        let mut at = self.locate(ts, (&event, uuid), state, out);
        self.active.event(ts, &event.others, out);
        self.figures_of_thread(&at, &event, out);
        self.extra_counters(&mut at, &event, state, out);
        if let Some(legacy) = event.legacy.filter(|legacy| legacy.phase != 0) {
            return self.legacy(&at, &event, legacy, out);
        }
        match event.kind {
            kind::BEGIN => {
                let track = self.slice_track(&event, uuid, &at, Use::Begin, out);
                self.begin_slice(&at, &event, track, out);
            }
            kind::END => {
                let track = self.slice_track(&event, uuid, &at, Use::End, out);
                self.end_slice(&at, &event, track, out);
            }
            kind::INSTANT => {
                let track = self.slice_track(&event, uuid, &at, Use::Instant, out);
                self.instant(&at, &event, track, out);
            }
            kind::COUNTER => {
                self.counter(&at, uuid.unwrap_or(0), event.value, out);
                self.counter_args(&at, &event, out);
            }
            kind::STATE => self.state(&at, &event, uuid, out),
            _ => self.skipped.of_unknown_type += 1,
        }
    }

    /// The track uuid of an event, or else of the defaults of its sequence.
    pub(super) fn uuid(&self, event: &Event<'_>, state: State) -> Option<u64> {
        event.track.or_else(|| {
            let defaults = self.defaults(state)?;
            Some(defaults.clone().find(|field| field.number == 11)?.uint())
        })
    }

    /// The `TrackEventDefaults` of a state.
    pub(super) fn defaults(&self, state: State) -> Option<Fields<'s>> {
        let packet = Fields::new(self.survey.source.get(state.defaults));
        Some(packet.clone().find(|field| field.number == 11)?.fields())
    }

    fn locate(
        &mut self,
        ts: i64,
        (event, uuid): (&Event<'_>, Option<u64>),
        state: State,
        out: &mut TraceBuilder,
    ) -> At<'s> {
        let names = Names {
            survey: self.survey,
            state,
        };
        let mut at = At {
            ts,
            names,
            utid: None,
            pid: None,
            name: names.name(event, &mut self.texts, out),
            thread_ts: event.thread_us.map(|us| us.saturating_mul(1_000)),
            instructions: event.instructions,
        };
        // An event with a track needs the thread of its sequence only for relative counts.
        let has_track = uuid.is_some_and(|uuid| uuid != 0);
        let is_relative = event.thread_delta_us.is_some() || event.instructions_delta.is_some();
        if state.thread == Span::default() || has_track && !is_relative {
            return at;
        }
        let known = self.threads.get(&state.generation).copied();
        let mut thread = match known.filter(|known| known.descriptor == state.thread) {
            Some(known) => known,
            None => {
                let mut descriptor =
                    Thread::read(Fields::new(self.survey.source.get(state.thread)));
                self.tasks(out);
                let described = self.tracks.described(&descriptor, out);
                if described.is_some() {
                    // The thread's track descriptor has its name. The tid may even belong to a later thread.
                    descriptor.name.clear();
                }
                let utid = described
                    .unwrap_or_else(|| self.tracks.tids.thread(&descriptor, descriptor.tid, out));
                name_thread(&descriptor, utid, out);
                self.tracks.names.keep(utid, &descriptor.name, out);
                Legacy {
                    descriptor: state.thread,
                    utid,
                    pid: descriptor.pid,
                    thread_ns: descriptor.reference_thread_us.saturating_mul(1_000),
                    instructions: descriptor.reference_instructions,
                }
            }
        };
        if let Some(delta) = event.thread_delta_us {
            thread.thread_ns = thread.thread_ns.saturating_add(delta.saturating_mul(1_000));
            at.thread_ts = Some(thread.thread_ns);
        }
        if let Some(delta) = event.instructions_delta {
            thread.instructions = thread.instructions.saturating_add(delta);
            at.instructions = Some(thread.instructions);
        }
        (at.utid, at.pid) = (Some(thread.utid), Some(thread.pid));
        self.threads.insert(state.generation, thread);
        at
    }

    /// The track of an event's slice: the track of its uuid, or else that of its thread.
    fn slice_track(
        &mut self,
        event: &Event<'_>,
        uuid: Option<u64>,
        at: &At<'s>,
        usage: Use,
        out: &mut TraceBuilder,
    ) -> TrackId {
        let asker = self.asker(at);
        if let Some(uuid) = uuid.filter(|uuid| *uuid != 0) {
            return self.tracks.track(uuid, usage, asker, out);
        }
        let legacy = event.legacy.as_ref();
        let tids = &mut self.tracks.tids;
        if let Some(utid) = legacy.and_then(|legacy| named_thread(legacy, at.pid, tids, out)) {
            return out.thread_track(utid);
        }
        // An event with an explicit uuid of 0 belongs to the default track.
        match at.utid.filter(|_| event.track.is_none()) {
            Some(utid) => out.thread_track(utid),
            None => self.tracks.track(0, usage, asker, out),
        }
    }

    /// The properties of an event that its track may need.
    pub(super) fn asker(&self, at: &At<'s>) -> Asker {
        let sequences = &self.survey.sequences;
        Asker {
            name: at.name,
            from_first: sequences.is_from_first(at.names.state.sequence),
        }
    }

    pub(super) fn slice_begin(
        &mut self,
        at: &At<'s>,
        event: &Event<'s>,
        out: &mut TraceBuilder,
    ) -> SliceBegin {
        SliceBegin {
            ts: at.ts,
            thread_ts: at.thread_ts.unwrap_or(NO_DURATION),
            name: at.name,
            category: at.names.category(event, &mut self.texts, out),
            arg_set_id: self.stored_args(at, event, out),
            method_id: MethodId::NONE,
        }
    }

    pub(super) fn begin_slice(
        &mut self,
        at: &At<'s>,
        event: &Event<'s>,
        track: TrackId,
        out: &mut TraceBuilder,
    ) -> SliceId {
        self.close_until(track, at.ts, out);
        let begin = self.slice_begin(at, event, out);
        let slice = out.begin_slice(track, begin);
        if let Some(ends) = self.ends.get_mut(&track) {
            ends.push(i64::MAX);
        }
        self.begun(slice, event, out);
        slice
    }

    pub(super) fn end_slice(
        &mut self,
        at: &At<'s>,
        event: &Event<'s>,
        track: TrackId,
        out: &mut TraceBuilder,
    ) {
        self.close_until(track, at.ts, out);
        let category = at.names.category(event, &mut self.texts, out);
        let Some(slice) = self.matching(track, (at.name, category), out) else {
            self.unmatched_at(at.ts);
            return;
        };
        self.close_above(track, slice, at.ts, out);
        out.end_slice(track, at.ts, at.thread_ts);
        if let Some(ends) = self.ends.get_mut(&track) {
            ends.pop();
        }
        self.add_args(slice, at, event, out);
        self.attach(slice, event, out);
    }

    /// Begins a slice whose duration is known. It stays open, so that other slices can be nested in it.
    pub(super) fn whole_slice(
        &mut self,
        at: &At<'s>,
        event: &Event<'s>,
        (track, dur_ns): (TrackId, i64),
        out: &mut TraceBuilder,
    ) -> SliceId {
        self.close_until(track, at.ts, out);
        let begin = self.slice_begin(at, event, out);
        let slice = out.begin_slice(track, begin);
        let open = out.open_depth(track);
        let ends = self.ends.entry(track).or_default();
        ends.resize(open - 1, i64::MAX);
        ends.push(at.ts.saturating_add(dur_ns.max(0)));
        self.begun(slice, event, out);
        slice
    }

    /// Ends the slices with a known duration that end at or before `ts`.
    pub(super) fn close_until(&mut self, track: TrackId, ts: i64, out: &mut TraceBuilder) {
        let Some(ends) = self.ends.get_mut(&track) else {
            return;
        };
        while let Some(end) = ends.pop_if(|end| *end <= ts) {
            out.end_slice(track, end, None);
        }
    }

    pub(super) fn instant(
        &mut self,
        at: &At<'s>,
        event: &Event<'s>,
        track: TrackId,
        out: &mut TraceBuilder,
    ) {
        self.close_until(track, at.ts, out);
        let args = self.stored_args(at, event, out);
        let category = at.names.category(event, &mut self.texts, out);
        let instant = out.nested_instant(track, at.ts, at.name, args);
        out.categorize_slice(instant, category);
        self.begun(instant, event, out);
    }

    /// The owner of a track.
    pub(super) fn owner(&mut self, uuid: u64, out: &mut TraceBuilder) -> Owner {
        self.tracks.owner(uuid, out)
    }
}
