//! Which slices and counters a text needs no lines for, because it has the events they are derived from.

use std::sync::OnceLock;

use rustc_hash::{FxHashMap, FxHashSet};
use traceloom_trace::{ArgSetId, RowId, SliceId, StringId, ThreadId, Trace, TrackType};

use super::entry::{Does, On};
use super::table::{OWN_BY_CODE, TABLE};

/// Whether slices and counters of this type only come from events that are kept.
fn is_derived(kind: TrackType) -> bool {
    (TrackType::DrmVblank..=TrackType::AndroidFs).contains(&kind) && kind != TrackType::CpuHrtimer
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
    /// The events that show on the own track of a thread, by time and thread. Without a thread: on that of another one.
    events: FxHashMap<(i64, ThreadId), Vec<u32>>,
    /// What rows of events have shown: positions in [`own`].
    used: FxHashSet<(u32, usize)>,
    /// The places of their lines.
    places: FxHashMap<u32, u64>,
    /// Own slices of threads that such an event began, and whether they are moments.
    slices: FxHashMap<SliceId, bool>,
}

impl Derived {
    pub fn new(trace: &Trace) -> Self {
        let own = own().iter();
        let names = own.filter_map(|own| {
            let name = trace.strings.lookup(own.event)?;
            Some((name, own.is_of_other))
        });
        let names: FxHashMap<StringId, bool> = names.collect();
        let mut derived = Self::default();
        if names.is_empty() {
            return derived;
        }
        for (row, event) in trace.ftrace_events.rows().enumerate() {
            if let Some(is_of_other) = names.get(&event.name) {
                let utid = if *is_of_other {
                    ThreadId::NONE
                } else {
                    event.utid
                };
                let rows = derived.events.entry((event.ts, utid)).or_default();
                rows.push(row as u32);
            }
        }
        derived
    }

    /// Whether all that a track of this type has comes from such events.
    pub fn has_track(kind: TrackType) -> bool {
        is_derived(kind)
    }

    /// Whether a slice that is not among a thread's own ones comes from such an event.
    pub fn has_slice(trace: &Trace, slice: SliceId) -> bool {
        let track = trace.slices.track_id.get(slice.row());
        match trace.tracks.kind.get(track.row()) {
            // Only the steps of devices have arguments.
            TrackType::SuspendResume => trace.slices.arg_set_id.get(slice.row()) != ArgSetId::NONE,
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
        for key in [(ts, utid), (ts, ThreadId::NONE)] {
            for row in self.events.get(&key).into_iter().flatten() {
                let event = trace.ftrace_events.name.get(*row as usize);
                let event = trace.strings.get(event);
                let all = own().iter().enumerate();
                let mut fitting = all.filter(|(_, own)| own.event == event && fits(own, &name));
                let found = fitting.find(|(at, _)| self.used.insert((*row, *at)));
                if let Some((_, own)) = found {
                    self.places.entry(*row).or_insert(place);
                    return Some(own.does);
                }
            }
        }
        None
    }

    /// The place of the line of an event, if it shows on the own track of a thread.
    pub fn place(&self, event: usize) -> Option<u64> {
        let event = u32::try_from(event).ok()?;
        self.places.get(&event).copied()
    }

    /// Whether reading the events of a written text makes this slice again.
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
