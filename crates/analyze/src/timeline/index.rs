//! The timeline itself: its tables, and lookups in them.

use std::sync::OnceLock;

use traceloom_trace::{ProcessId, RowId, SliceId, ThreadId, Trace, TrackId};

use super::durations::DurationCache;
use super::ends::Ends;
use super::extremes::{Extremes, MinMax};
use super::grouped::Grouped;
use super::lanes::{Lane, Lanes};
use super::names::Names;
use super::recursion::Recursion;
use super::rows::Rows;
use super::totals::Totals;
use crate::frames::Frames;
use crate::record_tables::RecordTables;
use crate::same_thread::SameThreads;

/// A trace's rows and the indexes behind them.
#[derive(Debug, Default)]
pub struct Timeline {
    /// The names of slices, instants and methods.
    pub names: Names,
    /// The ends of slices.
    pub ends: Ends,
    /// Slices by track and level.
    pub lanes: Lanes,
    /// The rows.
    pub rows: Rows,
    /// The records by table.
    pub records: RecordTables,
    /// The frames of apps and the compositor.
    pub frames: Frames,
    pub(super) states: Grouped,
    pub(super) same_threads: SameThreads,
    pub(super) runs: Grouped,
    pub(super) values: Grouped,
    pub(super) instants: Grouped,
    pub(super) thread_events: Grouped,
    pub(super) cpu_events: Grouped,
    pub(super) extremes: Vec<Extremes>,
    pub(super) thread_hues: Vec<u8>,
    pub(super) recursion: OnceLock<Recursion>,
    pub(super) totals: OnceLock<Totals>,
    pub(super) durations: OnceLock<DurationCache>,
}

impl Timeline {
    /// Which slices are nested in one of the same name; computed at the first call.
    pub fn recursion(&self, trace: &Trace) -> &Recursion {
        self.recursion
            .get_or_init(|| Recursion::new(trace, &self.lanes, &self.names))
    }

    /// A thread's colour: see [`Names::hue`].
    pub fn hue_of_thread(&self, thread: ThreadId) -> u8 {
        self.thread_hues.get(thread.row()).copied().unwrap_or(0)
    }

    /// The thread_state rows of a thread, in order of time. If its own source has none, the rows of
    /// the same thread in another source.
    pub fn states_of(&self, thread: ThreadId) -> &[u32] {
        self.states
            .rows(self.same_threads.with_states(thread).row())
    }

    /// The thread whose states [`Timeline::states_of`] returns.
    pub fn who_has_states(&self, thread: ThreadId) -> ThreadId {
        self.same_threads.with_states(thread)
    }

    /// The sched_slice rows of a CPU, in order of time.
    pub fn runs_of(&self, cpu: u32) -> &[u32] {
        self.runs.rows(cpu as usize)
    }

    /// One more than the highest number of a CPU with runs or events.
    pub fn cpus(&self) -> u32 {
        self.runs.groups().max(self.cpu_events.groups()) as u32
    }

    /// The counter rows of a track, in order of time.
    pub fn values_of(&self, track: TrackId) -> &[u32] {
        self.values.rows(track.row())
    }

    /// The instants of a track, as rows of the slices in order of time.
    pub fn instants_of(&self, track: TrackId) -> &[u32] {
        self.instants.rows(track.row())
    }

    /// The smallest and largest of some values of a counter.
    pub fn extremes_of(&self, trace: &Trace, track: TrackId, from: usize, to: usize) -> MinMax {
        let rows = self.values_of(track);
        let value = |at: usize| trace.counters.value.get(rows[at] as usize);
        self.extremes[track.row()].of_range(from, to, &value)
    }

    /// The slices of one level of a track.
    pub fn lane<'t>(&'t self, trace: &'t Trace, track: TrackId, level: u32) -> Lane<'t> {
        self.lanes.lane(trace, &self.ends, track, level)
    }

    /// The end of a slice, or the time it is drawn to if it never ended.
    pub fn end_of(&self, trace: &Trace, slice: usize) -> i64 {
        self.ends.end_of(trace, slice)
    }

    /// The row of a slice, and its level there.
    pub fn place_of(&self, trace: &Trace, slice: SliceId) -> (u32, u32) {
        let place = self.rows.place(trace.slices.track_id.get(slice.row()));
        if let Some(joined) = self.rows.joined(place.row) {
            return (place.row, joined.level_of(slice));
        }
        let level = self.lanes.level_of(trace, slice.row());
        (place.row, place.level.saturating_add(level))
    }

    /// The process of a track: its own, or its thread's.
    pub fn process_of(&self, trace: &Trace, track: TrackId) -> ProcessId {
        let row = trace.tracks.row(track.row());
        match row.utid.some() {
            Some(utid) => trace.threads.upid.get(utid.row()),
            None => row.upid,
        }
    }
}
