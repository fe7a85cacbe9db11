//! Putting the rows in order: the app in focus, CPUs, other processes by what they did, what
//! belongs to nobody, the kernel, and idle processes last.

mod group;
mod process;
mod track;

use rustc_hash::FxHashMap;
use traceloom_trace::{NO_NUMBER, ProcessId, RowId, SourceId, ThreadId, Trace, TrackId};

use super::focus::{self, Focus};
use super::rows::{RowKind, Rows, TimelineRow};
use super::{StateKind, Timeline, state_extent};

/// Threads that a folded process shows.
pub(super) const SUMMARY_THREADS: usize = 8;

/// The rows of a trace whose other indexes are made.
pub(super) fn rows(trace: &Trace, timeline: &Timeline) -> Rows {
    let mut maker = Maker::new(trace, timeline);
    let homeless = std::mem::take(&mut maker.homeless);
    let (kernel, homeless): (Vec<_>, Vec<_>) = homeless
        .into_iter()
        .partition(|&utid| maker.is_kernel_thread(utid));
    let (busy, idle) = maker.processes();
    let is_focus = |upid: &ProcessId| maker.focus == Focus::Process(*upid);
    let (first, others): (Vec<_>, Vec<_>) = busy.into_iter().partition(is_focus);
    if maker.focus == Focus::Homeless {
        maker.homeless_threads(&homeless);
    }
    first.iter().for_each(|&upid| maker.process(upid));
    maker.cpus();
    others.iter().for_each(|&upid| maker.process(upid));
    if maker.focus != Focus::Homeless {
        maker.homeless_threads(&homeless);
    }
    maker.global();
    maker.interrupts();
    maker.kernel(&kernel);
    idle.iter().for_each(|&upid| maker.process(upid));
    maker.rows
}

/// What a thread's row will say.
#[derive(Clone, Copy)]
struct ThreadFacts {
    busy_ns: i64,
    extent: (i64, i64),
    has_states: bool,
}

struct Maker<'t> {
    trace: &'t Trace,
    timeline: &'t Timeline,
    rows: Rows,
    focus: Focus,
    facts: Vec<ThreadFacts>,
    /// Tracks that are no lanes, by what they belong to; those of one owner in order.
    of_thread: FxHashMap<ThreadId, Vec<TrackId>>,
    of_process: FxHashMap<ProcessId, Vec<TrackId>>,
    of_cpu: FxHashMap<i64, Vec<TrackId>>,
    of_nobody: Vec<TrackId>,
    /// Lanes of each track that has some.
    lanes: FxHashMap<TrackId, Vec<TrackId>>,
    threads: FxHashMap<ProcessId, Vec<ThreadId>>,
    homeless: Vec<ThreadId>,
}

impl<'t> Maker<'t> {
    fn new(trace: &'t Trace, timeline: &'t Timeline) -> Self {
        let mut maker = Self {
            trace,
            timeline,
            rows: Rows::new(trace, timeline.cpus()),
            focus: focus::find(trace, &timeline.ends),
            facts: Vec::new(),
            of_thread: FxHashMap::default(),
            of_process: FxHashMap::default(),
            of_cpu: FxHashMap::default(),
            of_nobody: Vec::new(),
            lanes: FxHashMap::default(),
            threads: FxHashMap::default(),
            homeless: Vec::new(),
        };
        maker.sort_tracks();
        maker.sort_threads();
        maker
    }

    fn sort_tracks(&mut self) {
        for row in 0..self.trace.tracks.len() {
            let (id, track) = (TrackId::from_row(row), self.trace.tracks.row(row));
            // A lane is made after the track it belongs to.
            let parent = track.parent.some().filter(|parent| parent.row() < row);
            let list = match (parent, track.utid.some(), track.upid.some()) {
                (Some(parent), ..) => self.lanes.entry(self.trunk(parent)).or_default(),
                (_, Some(utid), _) => self.of_thread.entry(utid).or_default(),
                (_, _, Some(upid)) => self.of_process.entry(upid).or_default(),
                _ if track.cpu != NO_NUMBER => self.of_cpu.entry(track.cpu).or_default(),
                _ => &mut self.of_nobody,
            };
            list.push(id);
        }
    }

    /// The track that a lane of lanes belongs to in the end.
    fn trunk(&self, mut track: TrackId) -> TrackId {
        while let Some(parent) = self.trace.tracks.parent.get(track.row()).some()
            && parent < track
        {
            track = parent;
        }
        track
    }

    fn sort_threads(&mut self) {
        for row in 0..self.trace.threads.len() {
            let utid = ThreadId::from_row(row);
            let facts = self.look_at(utid);
            self.facts.push(facts);
            match self.trace.threads.upid.get(row).some() {
                Some(upid) => self.threads.entry(upid).or_default().push(utid),
                None => self.homeless.push(utid),
            }
        }
    }

    fn look_at(&self, utid: ThreadId) -> ThreadFacts {
        let states = self.timeline.states_of(utid);
        let mut row = TimelineRow::new(RowKind::Thread, String::new());
        let mut busy_ns = 0i64;
        for &state in states {
            let (start, end) = state_extent(self.trace, state as usize);
            row.widen((start, end));
            if StateKind::of(self.trace, state as usize) == StateKind::Running {
                busy_ns = busy_ns.saturating_add(end.saturating_sub(start));
            }
        }
        for track in self.of_thread.get(&utid).into_iter().flatten() {
            let span = self.timeline.ends.span(track.row());
            row.widen((span.first_ns, span.last_ns));
            if states.is_empty() {
                busy_ns = busy_ns.saturating_add(span.busy_ns);
            }
            let instants = self.timeline.instants_of(*track);
            let ts = |row: &u32| self.trace.instants.ts.get(*row as usize);
            if let (Some(first), Some(last)) = (instants.first(), instants.last()) {
                row.widen((ts(first), ts(last)));
            }
        }
        ThreadFacts {
            busy_ns,
            extent: row.extent,
            has_states: !states.is_empty(),
        }
    }

    /// `text`, with the input's name where there are several.
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

/// Whether a thread stands for the idle loops of all CPUs.
pub(super) fn is_idle_thread(trace: &Trace, utid: ThreadId) -> bool {
    utid.some()
        .is_none_or(|utid| trace.threads.tid.get(utid.row()) == 0)
}
