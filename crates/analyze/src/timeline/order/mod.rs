//! The order of the rows: the app in focus, CPUs, other processes by activity, tracks without an owner, the kernel, and
//! idle processes last.

mod group;
mod process;
mod track;

use traceloom_trace::{Column, NO_NUMBER, ProcessId, RowId, SourceId, ThreadId, Trace, TrackId};

use super::focus::{self, Focus};
use super::rows::{NO_EXTENT, Rows, widened};
use super::{Grouped, StateKind, Timeline, state_extent};
use crate::record_tables::ThreadSamples;

/// The number of threads that a collapsed process shows.
pub(super) const SUMMARY_THREADS: usize = 8;

/// Builds the rows. All other indexes of `timeline` must be built.
pub(super) fn rows(trace: &Trace, timeline: &Timeline) -> Rows {
    let mut maker = Maker::new(trace, timeline);
    let (busy, idle) = maker.processes();
    let focus = maker.focus;
    let is_focus = |upid: &&ProcessId| focus == Focus::Process(**upid);
    if focus == Focus::Homeless {
        maker.homeless_threads();
    }
    maker.some_processes(&mut busy.iter().filter(is_focus));
    maker.log();
    maker.cpus();
    maker.some_processes(&mut busy.iter().filter(|upid| !is_focus(upid)));
    if focus != Focus::Homeless {
        maker.homeless_threads();
    }
    maker.global();
    maker.interrupts();
    maker.kernel();
    maker.some_processes(&mut idle.iter());
    maker.rows
}

/// Facts about a thread, for its row.
#[derive(Clone, Copy)]
struct ThreadFacts {
    busy_ns: i64,
    extent: (i64, i64),
    has_states: bool,
    events: usize,
}

/// What a track belongs to.
#[derive(Clone, Copy)]
enum Owner {
    Thread(ThreadId),
    Process(ProcessId),
    /// The track that a lane belongs to.
    Track(TrackId),
    Cpu,
    Nobody,
}

struct Maker<'t> {
    trace: &'t Trace,
    timeline: &'t Timeline,
    rows: Rows,
    focus: Focus,
    facts: Vec<ThreadFacts>,
    samples: Vec<ThreadSamples>,
    /// Tracks by the number of their [`Owner`], in order.
    tracks: Grouped,
    /// Threads by process.
    threads: Grouped,
    /// Threads without a known process, except kernel threads.
    homeless: Vec<ThreadId>,
    /// Kernel threads without a known process.
    kernel: Vec<ThreadId>,
}

impl<'t> Maker<'t> {
    fn new(trace: &'t Trace, timeline: &'t Timeline) -> Self {
        let (threads, processes) = (trace.threads.len(), trace.processes.len());
        let owners = number_of(trace, Owner::Nobody) + 1;
        let mut maker = Self {
            trace,
            timeline,
            rows: Rows::new(trace, timeline.cpus()),
            focus: focus::find(trace, &timeline.ends),
            facts: Vec::with_capacity(threads),
            samples: timeline.records.samples_by_thread(trace),
            tracks: Grouped::new(trace.tracks.len(), owners, &|row| {
                number_of(trace, owner_of(trace, row))
            }),
            threads: Grouped::new(threads, processes, &|row| trace.threads.upid.get(row).row()),
            homeless: Vec::new(),
            kernel: Vec::new(),
        };
        maker.look_at_threads();
        maker
    }

    /// The tracks of an owner, in order.
    fn tracks_of(&self, owner: Owner) -> impl Iterator<Item = TrackId> + use<'_> {
        let tracks = self.tracks.rows(number_of(self.trace, owner));
        tracks.iter().map(|&row| TrackId(row))
    }

    fn look_at_threads(&mut self) {
        for row in 0..self.trace.threads.len() {
            let facts = self.look_at(ThreadId::from_row(row));
            self.facts.push(facts);
        }
        for utid in self.trace.real_threads() {
            if self.trace.threads.upid.get(utid.row()) == ProcessId::NONE {
                if self.is_kernel_thread(utid) {
                    self.kernel.push(utid)
                } else {
                    self.homeless.push(utid)
                }
            }
        }
    }

    fn look_at(&self, utid: ThreadId) -> ThreadFacts {
        let states = self.timeline.states_of(utid);
        let mut extent = NO_EXTENT;
        let mut busy_ns = 0i64;
        for &state in states {
            let (start, end) = state_extent(self.trace, state as usize);
            extent = widened(extent, (start, end));
            if StateKind::from_row(self.trace, state as usize) == StateKind::Running {
                busy_ns = busy_ns.saturating_add(end.saturating_sub(start));
            }
        }
        for track in self.tracks_of(Owner::Thread(utid)) {
            let span = self.timeline.ends.span(track.row());
            extent = widened(extent, (span.first_ns, span.last_ns));
            if states.is_empty() {
                busy_ns = busy_ns.saturating_add(span.busy_ns);
            }
            extent = widened(extent, self.extent_of_instants(track));
        }
        let events = self.timeline.events_of(utid);
        let events_extent = first_and_last(events, &self.trace.ftrace_events.ts);
        let samples = self.samples[utid.row()];
        if samples.count > 0 {
            extent = widened(extent, samples.extent);
        }
        ThreadFacts {
            busy_ns,
            extent: widened(extent, events_extent),
            has_states: !states.is_empty(),
            events: events.len() + samples.count,
        }
    }

    /// The times of the first and the last instant of a track.
    fn extent_of_instants(&self, track: TrackId) -> (i64, i64) {
        first_and_last(self.timeline.instants_of(track), &self.trace.slices.ts)
    }

    /// `text`, with the name of its input if there are several inputs.
    fn note(&self, text: String, source: SourceId) -> String {
        let several = self.trace.sources.len() > 1;
        let name = source.some().filter(|_| several).map_or("", |source| {
            self.trace
                .strings
                .get(self.trace.sources.name.get(source.row()))
        });
        match (text.as_str(), name) {
            (_, "") => text,
            ("", name) => name.to_owned(),
            (text, name) => format!("{text} · {name}"),
        }
    }
}

/// The times of the first and the last of some rows, which must be in order of time.
fn first_and_last(rows: &[u32], ts: &Column<i64>) -> (i64, i64) {
    match (rows.first(), rows.last()) {
        (Some(&first), Some(&last)) => (ts.get(first as usize), ts.get(last as usize)),
        _ => NO_EXTENT,
    }
}

fn owner_of(trace: &Trace, row: usize) -> Owner {
    let tracks = &trace.tracks;
    // A lane has a larger number than the track it belongs to.
    let parent = tracks.parent.get(row).some();
    let parent = parent.filter(|parent| parent.row() < row);
    match (
        parent,
        tracks.utid.get(row).some(),
        tracks.upid.get(row).some(),
    ) {
        (Some(parent), ..) => Owner::Track(trunk(trace, parent)),
        (_, Some(utid), _) => Owner::Thread(utid),
        (_, _, Some(upid)) => Owner::Process(upid),
        _ if tracks.cpu.get(row) != NO_NUMBER => Owner::Cpu,
        _ => Owner::Nobody,
    }
}

/// The outermost track that a lane belongs to.
fn trunk(trace: &Trace, mut track: TrackId) -> TrackId {
    while let Some(parent) = trace.tracks.parent.get(track.row()).some()
        && parent < track
    {
        track = parent;
    }
    track
}

/// The number of an owner: threads first, then processes, tracks, all CPUs together, and no owner.
fn number_of(trace: &Trace, owner: Owner) -> usize {
    let (threads, processes) = (trace.threads.len(), trace.processes.len());
    let others = threads + processes + trace.tracks.len();
    match owner {
        Owner::Thread(utid) => utid.row(),
        Owner::Process(upid) => threads + upid.row(),
        Owner::Track(track) => threads + processes + track.row(),
        Owner::Cpu => others,
        Owner::Nobody => others + 1,
    }
}

/// Whether a thread is the idle thread, which all CPUs share.
pub(super) fn is_idle_thread(trace: &Trace, utid: ThreadId) -> bool {
    utid.some()
        .is_none_or(|utid| trace.threads.tid.get(utid.row()) == 0)
}
