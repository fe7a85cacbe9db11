//! Finds slices and counters that are not written as text, because a reader derives them from events that are written.

use std::collections::VecDeque;
use std::sync::OnceLock;

use rustc_hash::FxHashMap;
use traceloom_trace::{ArgSetId, RowId, SliceId, StringId, ThreadId, Trace, TrackType};

use super::entry::{Action, On};
use super::table::{OWN_BY_CODE, TABLE};

/// Whether slices and counters of this type only come from events that are kept.
fn is_derived(kind: TrackType) -> bool {
    let describes_itself =
        TrackType::KernelTrackeventThreadSlice..=TrackType::KernelTrackeventCustomCounter;
    let from_table = TrackType::DrmVblank..=TrackType::AndroidFs;
    describes_itself.contains(&kind) || from_table.contains(&kind) && kind != TrackType::CpuHrtimer
}

/// The effect of an event on a thread's own track.
struct Own {
    event: &'static str,
    does: Action,
    name: &'static str,
    /// Whether the track is that of a thread other than the event's.
    is_of_other: bool,
}

/// All such events, from the table and from code.
fn own() -> &'static [Own] {
    static ALL: OnceLock<Vec<Own>> = OnceLock::new();
    ALL.get_or_init(|| {
        let table = TABLE.iter();
        let table = table.filter(|entry| matches!(entry.on, On::Own | On::OwnOf(_)));
        let table = table.map(|entry| Own {
            event: entry.event,
            does: entry.does,
            name: entry.name,
            is_of_other: entry.on != On::Own,
        });
        let code = OWN_BY_CODE.iter().map(|(event, name)| Own {
            event,
            does: Action::Moment,
            name,
            is_of_other: false,
        });
        table.chain(code).collect()
    })
}

/// The derived slices of a trace, and the positions of the lines of the events that show them on a thread's own track.
#[derive(Debug, Default)]
pub(crate) struct Derived {
    /// The rows of events that appear on a thread's own track and have not been matched yet, by time, thread and
    /// position in [`own`]. Without a thread, the track is that of another thread.
    events: FxHashMap<(i64, ThreadId, usize), VecDeque<u32>>,
    /// The positions of their lines, by row.
    places: FxHashMap<u32, u64>,
    /// Slices on a thread's own track that such an event began, and whether they are moments.
    slices: FxHashMap<SliceId, bool>,
}

impl Derived {
    pub fn new(trace: &Trace) -> Self {
        let mut shown: FxHashMap<StringId, Vec<(usize, bool)>> = FxHashMap::default();
        for (at, own) in own().iter().enumerate() {
            if let Some(name) = trace.strings.lookup(own.event) {
                shown.entry(name).or_default().push((at, own.is_of_other));
            }
        }
        let mut derived = Self::default();
        if shown.is_empty() {
            return derived;
        }
        for (row, event) in trace.ftrace_events.rows().enumerate() {
            for (at, is_of_other) in shown.get(&event.name).into_iter().flatten() {
                let utid = if *is_of_other {
                    ThreadId::NONE
                } else {
                    event.utid
                };
                let rows = derived.events.entry((event.ts, utid, *at)).or_default();
                rows.push_back(row as u32);
            }
        }
        derived
    }

    /// Whether everything on a track of this type comes from such events.
    pub fn has_track(kind: TrackType) -> bool {
        is_derived(kind)
    }

    /// Whether such an event produced this slice. Action not apply to slices on a thread's own track.
    pub fn has_slice(trace: &Trace, slice: SliceId) -> bool {
        let track = trace.slices.track_id.get(slice.row());
        match trace.tracks.kind.get(track.row()) {
            // Only the steps of devices have arguments.
            TrackType::SuspendResume => trace.slices.arg_set_id.get(slice.row()) != ArgSetId::NONE,
            // Kills come from marks, and marks are written.
            TrackType::AndroidLmk => true,
            kind => is_derived(kind),
        }
    }

    /// Whether a kept event begins this slice on a thread's own track. Its line then gets the position `place`.
    pub fn begins(&mut self, trace: &Trace, slice: SliceId, place: u64) -> bool {
        if self.events.is_empty() {
            return false;
        }
        let ts = trace.slices.ts.get(slice.row());
        let begins = |does| matches!(does, Action::Begin | Action::Next | Action::Moment);
        let does = self.claim(trace, slice, ts, place, |own, name| {
            begins(own.does) && is_name(own.name, name)
        });
        if let Some(does) = does {
            self.slices.insert(slice, does == Action::Moment);
        }
        does.is_some()
    }

    /// Whether the end of such a slice at `ts` needs no line of its own: the slice is a moment, or an event ends it.
    /// The line of that event then gets the position `place`. `None` for other slices.
    pub fn ends(&mut self, trace: &Trace, slice: SliceId, ts: i64, place: u64) -> Option<bool> {
        let is_moment = *self.slices.get(&slice)?;
        let mut by_event = || {
            self.claim(trace, slice, ts, place, |own, name| {
                own.does == Action::End && name.starts_with(own.name)
            })
        };
        Some(is_moment || by_event().is_some())
    }

    fn claim(
        &mut self,
        trace: &Trace,
        slice: SliceId,
        ts: i64,
        place: u64,
        fits: impl Fn(&Own, &str) -> bool,
    ) -> Option<Action> {
        let track = trace.slices.track_id.get(slice.row());
        let utid = trace.tracks.utid.get(track.row());
        let name = trace.slice_name(slice);
        let all = own().iter().enumerate();
        let fitting: Vec<_> = all.filter(|(_, own)| fits(own, &name)).collect();
        for utid in [utid, ThreadId::NONE] {
            let first = |at: usize| self.events.get(&(ts, utid, at))?.front().copied();
            let rows = fitting
                .iter()
                .filter_map(|(at, own)| Some((first(*at)?, *at, own.does)));
            if let Some((row, at, does)) = rows.min_by_key(|(row, at, _)| (*row, *at)) {
                self.events.entry((ts, utid, at)).or_default().pop_front();
                self.places.entry(row).or_insert(place);
                return Some(does);
            }
        }
        None
    }

    /// The position of an event's line, if the event appears on a thread's own track.
    pub fn place(&self, event: usize) -> Option<u64> {
        let event = u32::try_from(event).ok()?;
        self.places.get(&event).copied()
    }

    /// Whether a reader of the written text derives this slice from events.
    pub fn makes(&self, trace: &Trace, slice: SliceId) -> bool {
        self.slices.contains_key(&slice) || Self::has_slice(trace, slice)
    }
}

/// Whether filling the fields in braces may give this name.
fn is_name(own: &str, name: &str) -> bool {
    match own.split_once('{') {
        Some((before, _)) => name.starts_with(before),
        None => name == own,
    }
}
