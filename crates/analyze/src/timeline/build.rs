//! Building a timeline from a trace.

use traceloom_trace::{RowId, ThreadId, Trace};

use super::ends::Ends;
use super::extremes::Extremes;
use super::grouped::Grouped;
use super::index::Timeline;
use super::lanes::Lanes;
use super::names::{Names, hue_of};
use super::order;
use crate::frames::Frames;
use crate::parallel;
use crate::record_tables::RecordTables;
use crate::same_thread::SameThreads;
use crate::state::{run_extent, state_extent};

/// The most CPUs. A larger number is an error in the input and must not cost memory.
const MOST_CPUS: usize = 1 << 16;

/// The group of rows that are left out.
const NO_GROUP: usize = usize::MAX;

impl Timeline {
    /// Builds the timeline of a trace in a few passes over its tables.
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
            this.records = RecordTables::new(trace);
            this
        };
        let ((lanes, ends), mut this) = parallel::both(slices, others);
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
        let events = &trace.ftrace_events;
        self.thread_events = Grouped::new(events.len(), threads, &|row| events.utid.get(row).row());
        let on_cpu = |cpu: &u32| (*cpu as usize) < MOST_CPUS;
        let cpus = events.cpu.iter().filter(on_cpu).max();
        let cpus = cpus.map_or(0, |cpu| cpu as usize + 1);
        self.cpu_events = Grouped::new(events.len(), cpus, &|row| events.cpu.get(row) as usize);
        let tracks = trace.tracks.len();
        let counters = &trace.counters;
        self.values = Grouped::new(counters.len(), tracks, &|row| {
            counters.track_id.get(row).row()
        });
        let slices = &trace.slices;
        let rows = if slices.has_instants() {
            slices.len()
        } else {
            0
        };
        self.instants = Grouped::new(rows, tracks, &|row| {
            if slices.is_instant(row) {
                slices.track_id.get(row).row()
            } else {
                NO_GROUP
            }
        });
        for track in 0..tracks {
            let rows = self.values.rows(track);
            let value = |at: usize| counters.value.get(rows[at] as usize);
            self.extremes.push(Extremes::new(rows.len(), &value));
        }
    }

    /// Gives each thread the colour of its process's name, so that threads of one process look alike.
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
}
