//! Android frames: what each app and the compositor drew, how long it took, and which frames were janky.
//!
//! ```text
//! vsync      |               |               |               |
//! UI thread     Choreographer#doFrame ──────────┐
//! RenderThread                          DrawFrame ─────┐
//!            ├──────────────── a frame ────────────────┤        missed: 2
//! ```
//!
//! A frame starts with the vsync it responds to, if recorded, and ends when its RenderThread has drawn it. Each
//! vsync that passes in between is missed. Android's frame timeline, if recorded, decides which frames were late.

mod buffers;
mod detail;
mod flutter;
mod names;
mod report;
mod stats;
mod threads;
mod timeline;
mod vsync;

use traceloom_trace::{
    NO_DURATION, ProcessId, RowId, SliceId, ThreadId, Trace, TrackId, TrackType, sort,
};

pub use detail::{Blocked, FrameDetail, FrameDetails, TopSlice};
pub use report::{
    AppReport, BlockedReport, FrameReport, FrameSelection, TopReport, VerdictReport, WorstFrame,
    app_label,
};
pub use stats::FrameStats;
pub use threads::FrameKind;
pub use timeline::Verdict;
pub use vsync::{Vsync, VsyncSource};

use names::Role;
use threads::{Drawn, Renders, candidates, keep_own_buffers, outermost, process_of, thread_frames};
use timeline::FrameTimeline;

/// A frame that ends less than 1/50 of a period after a vsync is still on time, because the two
/// clocks are read at different places.
const SLACK_OF_PERIOD: i64 = 50;

/// A thread that makes frames.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FrameApp {
    /// The kind.
    pub kind: FrameKind,
    /// Its process, or none if unknown.
    pub upid: ProcessId,
    /// The thread.
    pub utid: ThreadId,
    /// Its frames: a range of [`Frames::frames`], in order of time.
    pub frames: std::ops::Range<usize>,
    /// The number of frames whose end was not recorded. They are not in `frames`.
    pub unfinished: usize,
    /// Its frames by [level](Frame::level), in order of time: indexes into [`Frames::frames`].
    pub levels: Vec<Vec<u32>>,
}

/// A frame. Times are on the trace's clock, ns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Frame {
    /// An index into [`Frames::apps`].
    pub app: u32,
    /// The slice on the UI thread.
    pub slice: SliceId,
    /// The slice of the RenderThread that drew it, or none.
    pub render: SliceId,
    /// The vsync it responds to, ns; the start of its slice if no vsync was recorded.
    pub vsync: i64,
    /// When the UI thread started, ns.
    pub ts: i64,
    /// When the UI thread finished, ns.
    pub ui_end: i64,
    /// When it was drawn, ns.
    pub end: i64,
    /// The number of vsyncs it missed.
    pub missed: u32,
    /// The lowest level that is free when it starts: more than 0 if an earlier frame of the app is still being drawn.
    pub level: u32,
    /// The verdict of the frame timeline about it.
    pub verdict: Option<Verdict>,
}

impl Frame {
    /// The time from the start of the UI thread until it was drawn, ns.
    pub fn dur_ns(&self) -> i64 {
        self.end.saturating_sub(self.ts)
    }

    /// Whether it missed a vsync.
    pub fn is_janky(&self) -> bool {
        self.missed > 0
    }
}

/// All frames of a trace.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Frames {
    /// The vsyncs of the display.
    pub vsync: Vsync,
    /// The threads that draw: apps first, in order of their first frames.
    pub apps: Vec<FrameApp>,
    /// The frames, grouped by app.
    pub frames: Vec<Frame>,
    /// The slices of janky frames, on both threads, sorted.
    janky_slices: Vec<SliceId>,
}

impl Frames {
    /// Finds the frames of a trace in one pass over its slices.
    pub fn find(trace: &Trace) -> Self {
        let (mut candidates, ticks) = candidates(trace);
        let renders = Renders::new(trace, &candidates, Role::Render);
        let rasters = Renders::new(trace, &candidates, Role::Raster);
        sort::by_key(&mut candidates, |one| one.utid);
        let mut drawn = Vec::new();
        for of_thread in candidates.chunk_by(|one, next| one.utid == next.utid) {
            drawn.extend(thread_frames(trace, of_thread));
        }
        keep_own_buffers(trace, &mut drawn);
        let timeline = FrameTimeline::find(trace);
        drawn.extend(timeline.others(trace, &drawn));
        sort::by_key(&mut drawn, |thread| {
            (thread.kind, thread.slices.first().copied())
        });
        let mut frames = Self {
            vsync: Vsync::find(trace, &starts(trace, &drawn), &ticks),
            ..Self::default()
        };
        for thread in drawn {
            match thread.kind {
                _ if is_of_timeline(trace, &thread) => {
                    frames.add_judged(trace, thread, &timeline);
                }
                FrameKind::Buffers => frames.add_buffers(trace, thread),
                FrameKind::Flutter => frames.add_flutter(trace, thread, &rasters),
                FrameKind::App | FrameKind::Compositor | FrameKind::Timeline => {
                    frames.add(trace, thread, (&renders, &timeline));
                }
            }
        }
        frames.janky_slices = frames.find_janky(&timeline);
        frames
    }

    /// The slices of janky frames, sorted.
    fn find_janky(&self, timeline: &FrameTimeline) -> Vec<SliceId> {
        let mut slices: Vec<SliceId> = timeline.late().collect();
        for frame in self.frames.iter().filter(|frame| frame.is_janky()) {
            slices.push(frame.slice);
            slices.extend(frame.render.some());
        }
        slices.sort_unstable();
        slices
    }

    /// Whether a slice belongs to a janky frame, on the UI thread or the RenderThread.
    pub fn is_janky(&self, slice: SliceId) -> bool {
        self.janky_slices.binary_search(&slice).is_ok()
    }

    /// The frame that a slice on the UI thread or the RenderThread belongs to.
    pub fn of_slice(&self, slice: SliceId) -> Option<&Frame> {
        let is_its = |frame: &&Frame| frame.slice == slice || frame.render == slice;
        self.frames.iter().find(is_its)
    }

    /// Whether the trace has no frames.
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// The frames of one app.
    pub fn of_app(&self, app: &FrameApp) -> &[Frame] {
        &self.frames[app.frames.clone()]
    }

    /// Adds the frames of a UI thread, or of the compositor.
    fn add(&mut self, trace: &Trace, thread: Drawn, on_other_threads: (&Renders, &FrameTimeline)) {
        let first = self.frames.len();
        let mut unfinished = 0;
        let mut levels = Levels::default();
        for &slice in &thread.slices {
            if trace.slices.dur.get(slice.row()) == NO_DURATION {
                unfinished += 1;
                continue;
            }
            let mut frame = self.frame_of(trace, &thread, slice, on_other_threads);
            frame.level = levels.add(self.frames.len(), frame.ts, frame.end);
            self.frames.push(frame);
        }
        self.finish_app(trace, &thread, first, unfinished, levels);
    }

    /// The frame that a slice drew, without its level. Only frames of apps have a part on the RenderThread and a verdict.
    fn frame_of(
        &self,
        trace: &Trace,
        thread: &Drawn,
        slice: SliceId,
        (renders, timeline): (&Renders, &FrameTimeline),
    ) -> Frame {
        let upid = process_of(trace, thread.utid);
        let is_app = thread.kind == FrameKind::App;
        let (ts, ui_end) = (trace.slices.ts.get(slice.row()), trace.slice_end(slice));
        let render = if is_app {
            renders.for_frame(trace, upid, slice)
        } else {
            SliceId::NONE
        };
        let render_end = render.some().map(|render| trace.slice_end(render));
        let end = render_end.map_or(ui_end, |end| end.max(ui_end));
        let verdict = timeline.of_slice(trace, upid, slice).filter(|_| is_app);
        let expected = verdict.and_then(|one| one.expected);
        let vsync = match expected {
            Some((from, _)) if from <= ts => from,
            _ if is_app => self.vsync.tick_of(ts),
            _ => ts,
        };
        Frame {
            app: self.apps.len() as u32,
            slice,
            render,
            vsync,
            ts,
            ui_end,
            end,
            missed: verdict.map_or_else(|| self.missed(vsync, end), |one| self.judged(&one)),
            level: 0,
            verdict,
        }
    }

    /// Adds the frames that only the frame timeline has.
    fn add_judged(&mut self, trace: &Trace, thread: Drawn, timeline: &FrameTimeline) {
        let first = self.frames.len();
        let mut levels = Levels::default();
        let verdicts = thread.slices.iter();
        for one in verdicts.filter_map(|slice| timeline.of_own(trace, *slice)) {
            let expected = one.expected.map(|(from, _)| from);
            self.frames.push(Frame {
                app: self.apps.len() as u32,
                slice: one.slice,
                render: SliceId::NONE,
                vsync: expected.filter(|from| *from <= one.ts).unwrap_or(one.ts),
                ts: one.ts,
                ui_end: one.end,
                end: one.end,
                missed: self.judged(&one),
                level: levels.add(self.frames.len(), one.ts, one.end),
                verdict: Some(one),
            });
        }
        self.finish_app(trace, &thread, first, 0, levels);
    }

    /// Adds the frames of a UI thread of Flutter. Each of the two threads has a period for its part.
    fn add_flutter(&mut self, trace: &Trace, thread: Drawn, rasters: &Renders) {
        let first = self.frames.len();
        let ended = |slice: &SliceId| trace.slices.dur.get(slice.row()) != NO_DURATION;
        let slices: Vec<SliceId> = thread.slices.iter().copied().filter(ended).collect();
        let own = outermost(trace, rasters.of(process_of(trace, thread.utid)));
        let slack = self.vsync.period_ns / 2;
        let mut levels = Levels::default();
        for (&slice, render) in slices
            .iter()
            .zip(flutter::rasters(trace, &slices, &own, slack))
        {
            let (ts, ui_end) = (trace.slices.ts.get(slice.row()), trace.slice_end(slice));
            let vsync = self.vsync.tick_of(ts);
            let drawn = render.some().map(|raster| {
                let from = trace.slices.ts.get(raster.row());
                (from, trace.slice_end(raster))
            });
            let end = drawn.map_or(ui_end, |(_, to)| to.max(ui_end));
            let late = drawn.map_or(0, |(from, to)| self.missed(from, to));
            self.frames.push(Frame {
                app: self.apps.len() as u32,
                slice,
                render,
                vsync,
                ts,
                ui_end,
                end,
                missed: self.missed(vsync, ui_end).max(late),
                level: levels.add(self.frames.len(), ts, end),
                verdict: None,
            });
        }
        let unfinished = thread.slices.len() - slices.len();
        self.finish_app(trace, &thread, first, unfinished, levels);
    }

    /// Adds the frames of a thread that hands over buffers.
    fn add_buffers(&mut self, trace: &Trace, thread: Drawn) {
        let first = self.frames.len();
        let (buffers, unfinished) = buffers::buffers(trace, &thread.slices);
        let period = self.vsync.period_ns;
        let usual = buffers::usual_periods(&buffers, period);
        let mut levels = Levels::default();
        for one in &buffers {
            self.frames.push(Frame {
                app: self.apps.len() as u32,
                slice: one.slice,
                render: SliceId::NONE,
                vsync: one.from,
                ts: one.from,
                ui_end: one.to,
                end: one.to,
                missed: buffers::missed(one, usual, period),
                level: levels.add(self.frames.len(), one.from, one.to),
                verdict: None,
            });
        }
        self.finish_app(trace, &thread, first, unfinished, levels);
    }

    fn finish_app(
        &mut self,
        trace: &Trace,
        thread: &Drawn,
        first: usize,
        unfinished: usize,
        levels: Levels,
    ) {
        self.apps.push(FrameApp {
            kind: thread.kind,
            upid: process_of(trace, thread.utid),
            utid: thread.utid,
            frames: first..self.frames.len(),
            unfinished,
            levels: levels.places,
        });
    }

    /// The number of vsyncs that a frame missed: none if the verdict is that it was in time.
    fn judged(&self, verdict: &Verdict) -> u32 {
        let until = verdict.expected.map_or(verdict.end, |(_, until)| until);
        if verdict.is_late {
            self.missed(until, verdict.end).saturating_add(1)
        } else {
            0
        }
    }

    /// The number of vsyncs between two times.
    fn missed(&self, vsync: i64, end: i64) -> u32 {
        let period = self.vsync.period_ns.max(1);
        let slack = period / SLACK_OF_PERIOD;
        let length = end.saturating_sub(vsync).saturating_sub(slack).max(1);
        u32::try_from((length - 1) / period).unwrap_or(u32::MAX)
    }
}

/// Assigns levels to overlapping frames: the RenderThread may still draw one when the next one starts.
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

/// The times at which the frames of each thread start.
fn starts(trace: &Trace, drawn: &[Drawn]) -> Vec<Vec<i64>> {
    let start = |slice: &SliceId| trace.slices.ts.get(slice.row());
    let threads = drawn.iter();
    threads
        .map(|thread| thread.slices.iter().map(start).collect())
        .collect()
}

/// Whether a thread's frames are slices of the frame timeline.
fn is_of_timeline(trace: &Trace, thread: &Drawn) -> bool {
    let track = thread.slices.first().map(|slice| track_of(trace, *slice));
    track.is_some_and(|track| {
        trace.tracks.kind.get(track.row()) == TrackType::AndroidActualFrameTimeline
    })
}

/// The track of a slice.
fn track_of(trace: &Trace, slice: SliceId) -> TrackId {
    trace.slices.track_id.get(slice.row())
}
