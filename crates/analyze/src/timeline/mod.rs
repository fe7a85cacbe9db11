//! The timeline: its rows, what a window of them shows, and details of a slice, a moment or a range.
//!
//! A [`Timeline`] is computed once per trace and takes a few words per slice. The cost of a window is bounded
//! by its pixels.

mod downsample;
mod ends;
mod extremes;
mod focus;
mod grouped;
mod joined;
mod lanes;
mod moment;
mod names;
mod order;
mod range;
mod reach;
mod recursion;
mod rows;
mod search;
mod slice;
mod state;
mod tally;
mod totals;
mod usage;
mod window;

use std::sync::OnceLock;

use traceloom_trace::{NO_DURATION, RowId, SliceId, ThreadId, Trace, TrackId};

pub use downsample::{Spans, Window};
pub use ends::{Ends, TrackSpan};
pub use extremes::MinMax;
pub use grouped::{Extent, GroupSpans, Grouped};
pub use joined::Joined;
pub use lanes::{Lane, Lanes};
pub use moment::Wakeup;
pub use names::{NameId, Names, hue_of};
pub use range::{NameStats, RangeScope};
pub use recursion::Recursion;
pub use rows::{NO_ROW, RowKind, Rows, TimelineRow, row_flags};
pub use search::{FindMode, Finder, Hits};
pub use slice::{Blocked, ChildName, SliceDetails, SliceRepair, StateTimes, Step};
pub use state::StateKind;
pub use totals::Totals;
pub use usage::{CounterUse, CpuUse, inside};
pub use window::{CounterPoint, ShownInstant, ShownSlice, ShownState, WindowRow};

use crate::frames::Frames;
use crate::same_thread::SameThreads;
use extremes::Extremes;

/// A trace's rows and the indexes behind them.
#[derive(Debug, Default)]
pub struct Timeline {
    /// The names of slices, instants and methods.
    pub names: Names,
    /// Where slices end.
    pub ends: Ends,
    /// Slices by track and level.
    pub lanes: Lanes,
    /// The rows.
    pub rows: Rows,
    /// Who draws, and what.
    pub frames: Frames,
    states: Grouped,
    same_threads: SameThreads,
    runs: Grouped,
    values: Grouped,
    instants: Grouped,
    extremes: Vec<Extremes>,
    thread_hues: Vec<u8>,
    recursion: OnceLock<Recursion>,
    totals: OnceLock<Totals>,
    durations: OnceLock<range::DurationCache>,
}

impl Timeline {
    /// Indexes a trace in a few passes over its tables.
    pub fn new(trace: &Trace) -> Self {
        let slices = || {
            let ends = Ends::new(trace);
            (Lanes::new(trace, &ends), ends)
        };
        let others = || {
            let mut this = Self::default();
            this.group(trace);
            this.colour_threads(trace);
            this.names = Names::new(trace);
            this.frames = Frames::find(trace);
            this
        };
        let ((lanes, ends), mut this) = crate::parallel::both(slices, others);
        (this.lanes, this.ends) = (lanes, ends);
        this.rows = order::rows(trace, &this);
        this
    }

    fn group(&mut self, trace: &Trace) {
        let (states, runs) = (&trace.thread_states, &trace.sched_slices);
        let threads = trace.threads.len();
        self.states = Grouped::new(states.len(), threads, &|row| states.utid.get(row).row())
            .with_extents(&|row| state_extent(trace, row));
        self.same_threads =
            SameThreads::find(trace, &|utid| !self.states.rows(utid.row()).is_empty());
        let cpus = runs.cpu.iter().max().map_or(0, |cpu| cpu as usize + 1);
        self.runs = Grouped::new(runs.len(), cpus.min(MOST_CPUS), &|row| {
            runs.cpu.get(row) as usize
        })
        .with_extents(&|row| run_extent(trace, row));
        let tracks = trace.tracks.len();
        let counters = &trace.counters;
        self.values = Grouped::new(counters.len(), tracks, &|row| {
            counters.track_id.get(row).row()
        });
        let instants = &trace.instants;
        self.instants = Grouped::new(instants.len(), tracks, &|row| {
            instants.track_id.get(row).row()
        });
        for track in 0..tracks {
            let rows = self.values.rows(track);
            let value = |at: usize| counters.value.get(rows[at] as usize);
            self.extremes.push(Extremes::new(rows.len(), &value));
        }
    }

    /// Threads of one process look alike: each has the colour of its process's name.
    fn colour_threads(&mut self, trace: &Trace) {
        let mut processes = Vec::new();
        for name in trace.processes.name.iter() {
            processes.push(hue_of(trace.strings.get(name)));
        }
        for (upid, row) in trace.threads.upid.iter().zip(0..) {
            let hue = match processes.get(upid.row()) {
                Some(&hue) => hue,
                None => hue_of(&trace.thread_name(ThreadId(row))),
            };
            self.thread_hues.push(hue);
        }
    }

    /// Which slices are nested in one of the same name; computed at the first call.
    pub fn recursion(&self, trace: &Trace) -> &Recursion {
        self.recursion
            .get_or_init(|| Recursion::new(trace, &self.lanes, &self.names))
    }

    /// How often each name occurs in the whole trace; counted at the first call.
    pub fn totals(&self, trace: &Trace) -> &Totals {
        self.totals.get_or_init(|| Totals::new(trace, self))
    }

    /// Caches the sorted durations of each name, which makes ranges over most of the trace fast. Takes 8 bytes
    /// per slice.
    pub fn cache_durations(&self, trace: &Trace) {
        self.durations
            .get_or_init(|| range::DurationCache::new(trace, self));
    }

    /// The cached durations, if they hold for a scope.
    fn cached_durations(&self, scope: &RangeScope<'_>) -> Option<&range::DurationCache> {
        self.durations
            .get()
            .filter(|_| scope.tracks.is_none() && !scope.all_tracks)
    }

    /// The slices of a scope by name, the most time first, and how many names are left out beyond
    /// `limit`. `None` once `cancelled` says so.
    pub fn by_name(
        &self,
        trace: &Trace,
        scope: &RangeScope<'_>,
        limit: usize,
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Option<(Vec<NameStats>, usize)> {
        range::by_name(trace, self, scope, limit, cancelled)
    }

    /// The numbers of slices of one name: all those that a scope has. `None` for none, and once
    /// `cancelled` says so.
    pub fn stats_of(
        &self,
        trace: &Trace,
        scope: &RangeScope<'_>,
        slices: (NameId, &[SliceId]),
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Option<NameStats> {
        range::of_name(trace, self, scope, slices, cancelled)
    }

    /// A thread's colour: see [`Names::hue`].
    pub fn hue_of_thread(&self, thread: ThreadId) -> u8 {
        self.thread_hues.get(thread.row()).copied().unwrap_or(0)
    }

    /// The thread_state rows of a thread, in order of time; those of the same thread in another source,
    /// where its own has none.
    pub fn states_of(&self, thread: ThreadId) -> &[u32] {
        self.states.rows(self.same_threads.of(thread).row())
    }

    /// The thread whose states [`Timeline::states_of`] gives.
    pub fn who_has_states(&self, thread: ThreadId) -> ThreadId {
        self.same_threads.of(thread)
    }

    /// The sched_slice rows of a CPU, in order of time.
    pub fn runs_of(&self, cpu: u32) -> &[u32] {
        self.runs.rows(cpu as usize)
    }

    /// How many CPUs have runs, counted up to the highest number.
    pub fn cpus(&self) -> u32 {
        self.runs.groups() as u32
    }

    /// The counter rows of a track, in order of time.
    pub fn values_of(&self, track: TrackId) -> &[u32] {
        self.values.rows(track.row())
    }

    /// The instant rows of a track, in order of time.
    pub fn instants_of(&self, track: TrackId) -> &[u32] {
        self.instants.rows(track.row())
    }

    /// The smallest and largest of some values of a counter.
    pub fn extremes_of(&self, trace: &Trace, track: TrackId, from: usize, to: usize) -> MinMax {
        let rows = self.values_of(track);
        let value = |at: usize| trace.counters.value.get(rows[at] as usize);
        self.extremes[track.row()].of(from, to, &value)
    }

    /// The slices of one level of a track.
    pub fn lane<'t>(&'t self, trace: &'t Trace, track: TrackId, level: u32) -> Lane<'t> {
        self.lanes.lane(trace, &self.ends, track, level)
    }

    /// When a slice ended, or how far one reaches that never did.
    pub fn end_of(&self, trace: &Trace, slice: usize) -> i64 {
        self.ends.of(trace, slice)
    }
}

/// No machine has more. A larger number is an error in the input, and must not cost memory.
const MOST_CPUS: usize = 1 << 16;

/// Start and end of a thread state, ns. One that never ended lasts to the end of the trace.
pub fn state_extent(trace: &Trace, row: usize) -> (i64, i64) {
    let states = &trace.thread_states;
    extent(trace, states.ts.get(row), states.dur.get(row))
}

/// Start and end of a run on a CPU, ns. One that never ended lasts to the end of the trace.
pub fn run_extent(trace: &Trace, row: usize) -> (i64, i64) {
    let runs = &trace.sched_slices;
    extent(trace, runs.ts.get(row), runs.dur.get(row))
}

fn extent(trace: &Trace, ts: i64, dur: i64) -> (i64, i64) {
    match dur {
        NO_DURATION => (ts, trace.bounds.1.max(ts)),
        dur => (ts, ts.saturating_add(dur)),
    }
}
