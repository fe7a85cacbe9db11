//! Frames as Android people know them: what each app and the compositor drew, how long it took,
//! and which pictures came late.
//!
//! ```text
//! vsync      |               |               |               |
//! UI thread     Choreographer#doFrame ──────────┐
//! RenderThread                          DrawFrame ─────┐
//!            ├──────────────── a frame ────────────────┤        missed: 2
//! ```
//!
//! A frame starts with the tick it answers, where the trace tells ticks, and ends when its
//! RenderThread has drawn it. Each tick that passes meanwhile is a picture that came late.

use traceloom_trace::SmallSort;
mod detail;
mod names;
mod report;
mod stats;
mod vsync;

use rustc_hash::FxHashMap;
use traceloom_trace::{
    NO_DURATION, ProcessId, RowId, SliceId, ThreadId, Trace, TrackId, TrackKind,
};

pub use detail::{Blocked, FrameDetail, FrameDetails, TopSlice};
pub use report::{
    AppReport, BlockedReport, FrameReport, FrameSelection, TopReport, WorstFrame, app_label,
};
pub use stats::FrameStats;
pub use vsync::{Vsync, VsyncSource};

use names::{COMPOSITOR, Role, roles, vsync_id};

/// Ends that are this much of a period behind a tick still count as in time: clocks are read at
/// different places.
const SLACK_OF_PERIOD: i64 = 50;

/// Who draws.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum FrameKind {
    /// A thread of an app that has a UI.
    App,
    /// The compositor.
    Compositor,
}

/// A thread that makes frames.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FrameApp {
    /// Who it is.
    pub kind: FrameKind,
    /// Its process, if that is known.
    pub upid: ProcessId,
    /// The thread.
    pub utid: ThreadId,
    /// Its frames: a range of [`Frames::frames`], in order of time.
    pub frames: std::ops::Range<usize>,
    /// Frames that the trace does not show the end of; they are not in `frames`.
    pub unfinished: usize,
    /// Its frames by [level](Frame::level), in order of time: places in [`Frames::frames`].
    pub levels: Vec<Vec<u32>>,
}

/// A frame. Times are on the trace's clock, ns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Frame {
    /// A place in [`Frames::apps`].
    pub app: u32,
    /// The slice on the UI thread.
    pub slice: SliceId,
    /// What the RenderThread drew of it, if it did.
    pub render: SliceId,
    /// The tick it answers; its slice's start where no tick is known.
    pub vsync: i64,
    /// When the UI thread began.
    pub ts: i64,
    /// When the UI thread was through.
    pub ui_end: i64,
    /// When it was drawn.
    pub end: i64,
    /// Ticks that passed meanwhile.
    pub missed: u32,
    /// 0 unless an earlier frame of the app is still being drawn when it starts; then one more than
    /// the levels in use.
    pub level: u32,
}

impl Frame {
    /// From the UI thread's start until it was drawn, ns.
    pub fn dur_ns(&self) -> i64 {
        self.end.saturating_sub(self.ts)
    }

    /// Whether it came late.
    pub fn is_janky(&self) -> bool {
        self.missed > 0
    }
}

/// All frames of a trace.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Frames {
    /// The display's beat.
    pub vsync: Vsync,
    /// Who draws: apps first, in order of their first frames.
    pub apps: Vec<FrameApp>,
    /// The frames, those of one app together.
    pub frames: Vec<Frame>,
    /// Slices of frames that came late, on either thread; in order of their numbers.
    late: Vec<SliceId>,
}

/// A slice that may be a frame or a part of one.
#[derive(Clone, Copy)]
struct Candidate {
    slice: SliceId,
    utid: ThreadId,
    role: Role,
}

impl Frames {
    /// The frames of a trace: one look at each slice. A trace of no device with a screen has none.
    pub fn find(trace: &Trace) -> Self {
        let candidates = candidates(trace);
        let renders = Renders::new(trace, &candidates);
        let mut threads: Vec<(ThreadId, Vec<Candidate>)> = Vec::new();
        let mut place: FxHashMap<ThreadId, usize> = FxHashMap::default();
        for candidate in candidates.iter().filter(|one| one.role != Role::Render) {
            let at = *place.entry(candidate.utid).or_insert_with(|| {
                threads.push((candidate.utid, Vec::new()));
                threads.len() - 1
            });
            threads[at].1.push(*candidate);
        }
        let mut drawn: Vec<_> = threads
            .iter()
            .filter_map(|(utid, candidates)| thread_frames(trace, *utid, candidates))
            .collect();
        drawn.small_sort_by_key(|thread| (thread.kind, thread.slices.first().copied()));
        let start = |slice: &SliceId| trace.slices.ts.get(slice.row());
        let starts: Vec<Vec<i64>> = drawn
            .iter()
            .map(|thread| thread.slices.iter().map(start).collect())
            .collect();
        let mut frames = Self {
            vsync: Vsync::find(trace, &starts),
            apps: Vec::new(),
            frames: Vec::new(),
            late: Vec::new(),
        };
        for thread in drawn {
            frames.add(trace, thread, &renders);
        }
        let late = frames.frames.iter().filter(|frame| frame.is_janky());
        let slices = late.flat_map(|frame| [Some(frame.slice), frame.render.some()]);
        frames.late = slices.flatten().collect();
        frames.late.small_sort_unstable();
        frames
    }

    /// Whether a slice is a frame that came late, or what the RenderThread drew of one.
    pub fn is_late(&self, slice: SliceId) -> bool {
        self.late.binary_search(&slice).is_ok()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// The frames of one app.
    pub fn of(&self, app: &FrameApp) -> &[Frame] {
        &self.frames[app.frames.clone()]
    }

    fn add(&mut self, trace: &Trace, thread: Drawn, renders: &Renders) {
        let first = self.frames.len();
        let upid = process_of(trace, thread.utid);
        let is_app = thread.kind == FrameKind::App;
        let mut unfinished = 0;
        let mut levels = Levels::default();
        for &slice in &thread.slices {
            if trace.slices.dur.get(slice.row()) == NO_DURATION {
                unfinished += 1;
                continue;
            }
            let (ts, ui_end) = (trace.slices.ts.get(slice.row()), trace.slice_end(slice));
            let render = match is_app {
                true => renders.of(trace, upid, slice),
                false => SliceId::NONE,
            };
            let end = render
                .some()
                .map_or(ui_end, |r| trace.slice_end(r).max(ui_end));
            let vsync = if is_app { self.vsync.tick_of(ts) } else { ts };
            self.frames.push(Frame {
                app: self.apps.len() as u32,
                slice,
                render,
                vsync,
                ts,
                ui_end,
                end,
                missed: self.missed(vsync, end),
                level: levels.add(self.frames.len(), ts, end),
            });
        }
        self.apps.push(FrameApp {
            kind: thread.kind,
            upid,
            utid: thread.utid,
            frames: first..self.frames.len(),
            unfinished,
            levels: levels.places,
        });
    }

    /// Ticks that passed between two moments.
    fn missed(&self, vsync: i64, end: i64) -> u32 {
        let period = self.vsync.period_ns.max(1);
        let slack = period / SLACK_OF_PERIOD;
        let length = end.saturating_sub(vsync).saturating_sub(slack).max(1);
        u32::try_from((length - 1) / period).unwrap_or(u32::MAX)
    }
}

/// Keeps frames apart that overlap: the RenderThread may still draw one while the next begins.
#[derive(Default)]
struct Levels {
    ends: Vec<i64>,
    places: Vec<Vec<u32>>,
}

impl Levels {
    /// The first level that is free at `ts`; it is taken until `end`.
    fn add(&mut self, place: usize, ts: i64, end: i64) -> u32 {
        let free = self.ends.iter().position(|end| *end <= ts);
        let level = free.unwrap_or(self.ends.len());
        if level == self.ends.len() {
            self.ends.push(end);
            self.places.push(Vec::new());
        }
        self.ends[level] = end;
        self.places[level].push(place as u32);
        level as u32
    }
}

/// A thread and its frames.
struct Drawn {
    kind: FrameKind,
    utid: ThreadId,
    slices: Vec<SliceId>,
}

fn candidates(trace: &Trace) -> Vec<Candidate> {
    let roles = roles(&trace.strings);
    if roles.iter().all(|role| *role == Role::Other) {
        return Vec::new();
    }
    let slices = trace.slices.name.iter().enumerate();
    let named = slices.filter_map(|(row, name)| match roles.get(name.0 as usize)? {
        Role::Other => None,
        role => Some((SliceId::from_row(row), *role)),
    });
    let on_threads = named.filter_map(|(slice, role)| {
        let track = trace.slices.track_id.get(slice.row());
        let is_own = trace.tracks.kind.get(track.row()) == TrackKind::Thread;
        let utid = trace.track_thread(track).filter(|_| is_own)?;
        Some(Candidate { slice, utid, role })
    });
    on_threads.collect()
}

/// The slices that are a thread's frames: those of its best role that are within no other of it.
fn thread_frames(trace: &Trace, utid: ThreadId, candidates: &[Candidate]) -> Option<Drawn> {
    let has = |role: Role| candidates.iter().any(|one| one.role == role);
    let (kind, role) = match is_compositor(trace, utid) {
        true => {
            let role = COMPOSITOR.into_iter().find(|role| has(*role))?;
            (FrameKind::Compositor, role)
        }
        false => {
            let role = [Role::Frame, Role::Traversal]
                .into_iter()
                .find(|r| has(*r))?;
            (FrameKind::App, role)
        }
    };
    let mut slices = Vec::new();
    let mut last_end = i64::MIN;
    for one in candidates.iter().filter(|one| one.role == role) {
        let ts = trace.slices.ts.get(one.slice.row());
        let is_inside = ts < last_end;
        if !is_inside {
            last_end = trace.slice_end(one.slice);
            slices.push(one.slice);
        }
    }
    Some(Drawn { kind, utid, slices })
}

fn is_compositor(trace: &Trace, utid: ThreadId) -> bool {
    let process = process_of(trace, utid).some();
    let process = process.map(|upid| trace.strings.get(trace.processes.name.get(upid.row())));
    let names = [process.unwrap_or_default(), &trace.thread_name(utid)];
    names.iter().any(|name| name.ends_with("surfaceflinger"))
}

fn process_of(trace: &Trace, utid: ThreadId) -> ProcessId {
    trace.threads.upid.get(utid.row())
}

/// What RenderThreads drew, by process.
struct Renders {
    by_process: FxHashMap<ProcessId, Vec<SliceId>>,
}

impl Renders {
    fn new(trace: &Trace, candidates: &[Candidate]) -> Self {
        let mut by_process: FxHashMap<ProcessId, Vec<SliceId>> = FxHashMap::default();
        for one in candidates.iter().filter(|one| one.role == Role::Render) {
            let upid = process_of(trace, one.utid);
            by_process.entry(upid).or_default().push(one.slice);
        }
        Self { by_process }
    }

    /// What was drawn of a frame: the slice with the same vsync's number, else the one that began
    /// while the UI thread was at the frame (it waits there for the RenderThread to take it over).
    fn of(&self, trace: &Trace, upid: ProcessId, frame: SliceId) -> SliceId {
        let Some(renders) = self.by_process.get(&upid) else {
            return SliceId::NONE;
        };
        let ts = trace.slices.ts.get(frame.row());
        let end = trace.slice_end(frame);
        let start = |slice: &SliceId| trace.slices.ts.get(slice.row());
        let from = renders.partition_point(|slice| start(slice) < ts);
        let id = |slice: SliceId| vsync_id(trace.strings.get(trace.slices.name.get(slice.row())));
        let during = || {
            let later = renders[from..].iter().copied();
            later.take_while(|slice| start(slice) <= end)
        };
        let wanted = id(frame);
        let same = wanted.and_then(|_| during().find(|&slice| id(slice) == wanted));
        let any = || during().find(|&slice| wanted.is_none() || id(slice).is_none());
        same.or_else(any).unwrap_or(SliceId::NONE)
    }
}

/// The track a slice stands on.
fn track_of(trace: &Trace, slice: SliceId) -> TrackId {
    trace.slices.track_id.get(slice.row())
}
