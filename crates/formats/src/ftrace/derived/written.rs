//! Which slices and counters are not written to a text, because a reader derives them from events that are written.

use std::collections::VecDeque;
use std::sync::OnceLock;

use rustc_hash::FxHashMap;
use traceloom_trace::{ArgSetId, RowId, SliceId, StringId, ThreadId, Trace, TrackType};

use super::entry::{Does, On};
use super::table::{OWN_BY_CODE, TABLE};

/// Whether slices and counters of this type only come from events that are kept.
fn is_derived(kind: TrackType) -> bool {
    let describes_itself =
        TrackType::KernelTrackeventThreadSlice..=TrackType::KernelTrackeventCustomCounter;
    let from_table = TrackType::DrmVblank..=TrackType::AndroidFs;
    describes_itself.contains(&kind) || from_table.contains(&kind) && kind != TrackType::CpuHrtimer
}

/// What an event does among the own slices of a thread.
struct Own {
    event: &'static str,
    does: Does,
    name: &'static str,
    /// Whether the thread is another one than that of the event.
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
            does: Does::Moment,
            name,
            is_of_other: false,
        });
        table.chain(code).collect()
    })
}

/// What is derived in a trace, and the places of the lines of the events that show it among the own slices of threads.
#[derive(Debug, Default)]
pub(crate) struct Derived {
    /// The rows of events that show on the own track of a thread and have not been matched yet, by time, thread and
    /// position in [`own`]. Without a thread: on the track of another one.
    events: FxHashMap<(i64, ThreadId, usize), VecDeque<u32>>,
    /// The places of their lines.
    places: FxHashMap<u32, u64>,
    /// Own slices of threads that such an event began, and whether they are moments.
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

    /// Whether all that a track of this type has comes from such events.
    pub fn has_track(kind: TrackType) -> bool {
        is_derived(kind)
    }

    /// Whether such an event produced this slice. Not for slices on a thread's own track.
    pub fn has_slice(trace: &Trace, slice: SliceId) -> bool {
        let track = trace.slices.track_id.get(slice.row());
        match trace.tracks.kind.get(track.row()) {
            // Only the steps of devices have arguments.
            TrackType::SuspendResume => trace.slices.arg_set_id.get(slice.row()) != ArgSetId::NONE,
            // Marks tell kills, and marks are written.
            TrackType::AndroidLmk => true,
            kind => is_derived(kind),
        }
    }

    /// Whether an event that is kept begins this slice, which is one of a thread's own. Its line then has this place.
    pub fn begins(&mut self, trace: &Trace, slice: SliceId, place: u64) -> bool {
        if self.events.is_empty() {
            return false;
        }
        let ts = trace.slices.ts.get(slice.row());
        let begins = |does| matches!(does, Does::Begin | Does::Next | Does::Moment);
        let does = self.claim(trace, slice, ts, place, |own, name| {
            begins(own.does) && is_name(own.name, name)
        });
        if let Some(does) = does {
            self.slices.insert(slice, does == Does::Moment);
        }
        does.is_some()
    }

    /// Whether such a slice needs no line for its end at `ts`, because it is a moment, or an event ends it, whose line
    /// then has this place. `None` for other slices.
    pub fn ends(&mut self, trace: &Trace, slice: SliceId, ts: i64, place: u64) -> Option<bool> {
        let is_moment = *self.slices.get(&slice)?;
        let mut by_event = || {
            self.claim(trace, slice, ts, place, |own, name| {
                own.does == Does::End && name.starts_with(own.name)
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
    ) -> Option<Does> {
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

    /// The place of the line of an event, if it shows on the own track of a thread.
    pub fn place(&self, event: usize) -> Option<u64> {
        let event = u32::try_from(event).ok()?;
        self.places.get(&event).copied()
    }

    /// Whether a reader of the written text derives this slice from its events.
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
