//! The contents of one row in a window.

use std::ops::Range;

use traceloom_trace::{NO_DURATION, ThreadId, Trace, TrackId, sort};

use crate::frames::Frame;

use super::downsample::{Moments, Spans, Window, downsample_states};
use super::events::ShownEvent;
use super::lanes::Lane;
use super::order::{SUMMARY_THREADS, is_idle_thread};
use super::rows::{RowKind, row_flags};
use super::{StateKind, Timeline, run_extent, state_extent};

/// A slice to draw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ShownSlice {
    /// The slice.
    pub id: u32,
    /// Its start, ns.
    pub ts: i64,
    /// Where to draw its end, ns.
    pub end: i64,
    /// Its level in the row.
    pub level: u32,
    /// Whether it never ended.
    pub never_ended: bool,
    /// Whether it represents several slices shorter than a pixel.
    pub several: bool,
}

/// A state of a thread, or a run on a CPU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ShownState {
    /// Its start, ns.
    pub ts: i64,
    /// Its end, ns.
    pub end: i64,
    /// The state of the thread.
    pub state: StateKind,
    /// For a state, its CPU, or [`u32::MAX`] if it has none; for a run, its thread.
    pub who: u32,
}

/// The values of a counter in one pixel.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CounterPoint {
    /// The time of the first value, ns.
    pub ts: i64,
    /// The smallest value.
    pub min: f64,
    /// The largest value.
    pub max: f64,
    /// The last value, which holds until the next point.
    pub last: f64,
}

/// An instant: the first one in its pixel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ShownInstant {
    /// The row of the instant table.
    pub id: u32,
    /// Its time, ns.
    pub ts: i64,
}

/// The contents of one row in a window. Each list is in order of time, slices within their level.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct WindowRow {
    /// Slices, level by level.
    pub slices: Vec<ShownSlice>,
    /// Thread states, or runs on a CPU.
    pub states: Vec<ShownState>,
    /// Values of a counter. The first one holds at the start of the window.
    pub points: Vec<CounterPoint>,
    /// Instants.
    pub instants: Vec<ShownInstant>,
    /// Events of the event table.
    pub events: Vec<ShownEvent>,
}

/// Frames of an app on one level, which do not overlap.
struct FrameLane<'t> {
    frames: &'t [Frame],
    places: &'t [u32],
}

impl FrameLane<'_> {
    fn frame(&self, at: usize) -> &Frame {
        &self.frames[self.places[at] as usize]
    }
}

impl Spans for FrameLane<'_> {
    fn count(&self) -> usize {
        self.places.len()
    }

    fn start(&self, at: usize) -> i64 {
        self.frame(at).ts
    }

    fn end(&self, at: usize) -> i64 {
        self.frame(at).end
    }
}

/// Draws a lane as one level of a row.
fn show_lane(
    trace: &Trace,
    lane: &Lane<'_>,
    level: u32,
    window: &Window,
    out: &mut Vec<ShownSlice>,
) {
    window.downsample(lane, &mut |at, several| {
        let id = lane.ids()[at];
        out.push(ShownSlice {
            id,
            ts: lane.start(at),
            end: lane.end(at),
            level,
            never_ended: trace.slices.dur.get(id as usize) == NO_DURATION,
            several,
        });
    });
}

impl Timeline {
    /// The contents of some levels of a row in `window`. Empty for a row that does not exist.
    pub fn window(
        &self,
        trace: &Trace,
        row: u32,
        window: &Window,
        levels: Range<u32>,
    ) -> WindowRow {
        let mut shown = WindowRow::default();
        let Some(about) = self.rows.all.get(row as usize) else {
            return shown;
        };
        if about.is(row_flags::EVENTS) {
            self.events(trace, about, window, &mut shown.events);
        }
        match about.kind {
            RowKind::Group => {}
            RowKind::Frames => self.frames(row, window, levels, &mut shown.slices),
            RowKind::Process => self.summary(trace, row, window, levels, &mut shown),
            RowKind::Cpu => self.runs(trace, about.cpu, window, &mut shown.states),
            _ => {
                if about.is(row_flags::STATES) && about.kind == RowKind::Thread {
                    self.thread_states(trace, about.utid, window, &mut shown.states);
                }
                if let Some(joined) = self.rows.joined(row) {
                    for level in levels.start..levels.end.min(joined.levels()) {
                        let lane = joined.lane(trace, &self.ends, level);
                        show_lane(trace, &lane, level, window, &mut shown.slices);
                    }
                    return shown;
                }
                for &(track, first) in self.rows.tracks(row) {
                    self.slices(trace, track, first, window, &levels, &mut shown.slices);
                    self.points(trace, track, window, &mut shown.points);
                    self.instants(trace, track, window, &mut shown.instants);
                }
                sort::by_key(&mut shown.instants, |instant| instant.ts);
            }
        }
        shown
    }

    /// The frames of an app, each with the ID of its slice on the UI thread. It lasts until the frame was drawn.
    fn frames(&self, row: u32, window: &Window, levels: Range<u32>, out: &mut Vec<ShownSlice>) {
        let app = self
            .rows
            .frames(row)
            .and_then(|app| self.frames.apps.get(app));
        let all = app.into_iter().flat_map(|app| app.levels.iter().zip(0..));
        for (places, level) in all.filter(|(_, level)| levels.contains(level)) {
            let lane = FrameLane {
                frames: &self.frames.frames,
                places,
            };
            window.downsample(&lane, &mut |at, several| {
                let frame = lane.frame(at);
                out.push(ShownSlice {
                    id: frame.slice.0,
                    ts: frame.ts,
                    end: frame.end,
                    level,
                    never_ended: false,
                    several,
                });
            });
        }
    }

    /// The slices of a track whose level 0 is level `first` of the row.
    fn slices(
        &self,
        trace: &Trace,
        track: TrackId,
        first: u32,
        window: &Window,
        levels: &Range<u32>,
        out: &mut Vec<ShownSlice>,
    ) {
        let from = levels.start.saturating_sub(first);
        let to = levels
            .end
            .saturating_sub(first)
            .min(self.lanes.levels(track));
        for level in from..to {
            let lane = self.lane(trace, track, level);
            show_lane(trace, &lane, first + level, window, out);
        }
    }

    /// The summary of a collapsed process: the outermost slices of its first threads, one level
    /// each, and the times at which any of its threads ran.
    fn summary(
        &self,
        trace: &Trace,
        row: u32,
        window: &Window,
        levels: Range<u32>,
        shown: &mut WindowRow,
    ) {
        for &(track, level) in self.rows.tracks(row) {
            if levels.contains(&level) {
                let lane = self.lane(trace, track, 0);
                show_lane(trace, &lane, level, window, &mut shown.slices);
            }
        }
        let below = self.rows.all.iter().skip(row as usize + 1);
        let own = below.take_while(|below| below.parent != self.rows.all[row as usize].parent);
        let threads = own.filter(|below| below.parent == row && below.is(row_flags::STATES));
        let mut ran = Vec::new();
        for thread in threads.take(SUMMARY_THREADS) {
            let before = ran.len();
            self.thread_states(trace, thread.utid, window, &mut ran);
            ran[before..]
                .iter_mut()
                .for_each(|state| state.who = thread.utid.0);
        }
        ran.retain(|state| state.state == StateKind::Running);
        sort::by_key(&mut ran, |state| (state.ts, state.end));
        let mut covered = -1.0;
        ran.retain(|state| {
            let last = window.last_pixel(state.ts, state.end);
            let is_new = window.px_ns <= 0.0 || last > covered;
            covered = last.max(covered);
            is_new
        });
        shown.states = ran;
    }

    fn thread_states(
        &self,
        trace: &Trace,
        thread: ThreadId,
        window: &Window,
        out: &mut Vec<ShownState>,
    ) {
        let extent = |row| state_extent(trace, row);
        let thread = self.same_threads.with_states(thread);
        let spans = self.states.spans(thread.0 as usize, &extent);
        let kind = |at: usize| StateKind::from_row(trace, spans.rows[at] as usize);
        downsample_states(&spans, window, &|at| kind(at).is_quiet(), &mut |at| {
            out.push(ShownState {
                ts: spans.start(at),
                end: spans.end(at),
                state: kind(at),
                who: trace.thread_states.cpu.get(spans.rows[at] as usize),
            });
        });
    }

    /// The runs on a CPU, without idle time.
    fn runs(&self, trace: &Trace, cpu: u32, window: &Window, out: &mut Vec<ShownState>) {
        let extent = |row| run_extent(trace, row);
        let spans = self.runs.spans(cpu as usize, &extent);
        let who = |at: usize| trace.sched_slices.utid.get(spans.rows[at] as usize);
        let is_idle = |at: usize| is_idle_thread(trace, who(at));
        downsample_states(&spans, window, &is_idle, &mut |at| {
            if !is_idle(at) {
                out.push(ShownState {
                    ts: spans.start(at),
                    end: spans.end(at),
                    state: StateKind::Running,
                    who: who(at).0,
                });
            }
        });
    }

    fn points(&self, trace: &Trace, track: TrackId, window: &Window, out: &mut Vec<CounterPoint>) {
        let rows = self.values_of(track);
        let value = |at: usize| trace.counters.value.get(rows[at] as usize);
        let spans = Moments {
            rows,
            ts: &|row| trace.counters.ts.get(row),
        };
        let from =
            rows.partition_point(|&row| trace.counters.ts.get(row as usize) < window.from_ns);
        if let Some(holds) = from.checked_sub(1).filter(|_| !rows.is_empty()) {
            let (ts, last) = (spans.start(holds), value(holds));
            out.push(CounterPoint {
                ts,
                min: last,
                max: last,
                last,
            });
        }
        let mut at = from;
        while at < rows.len() && spans.start(at) < window.to_ns {
            let ts = spans.start(at);
            let next = if window.px_ns > 0.0 {
                window.next(&spans, at + 1, window.pixel(ts))
            } else {
                at + 1
            };
            let end = rows[..next]
                .partition_point(|&row| trace.counters.ts.get(row as usize) < window.to_ns);
            let (min, max) = self.extremes_of(trace, track, at, end.max(at + 1));
            out.push(CounterPoint {
                ts,
                min,
                max,
                last: value(end.max(at + 1) - 1),
            });
            at = next;
        }
    }

    fn instants(
        &self,
        trace: &Trace,
        track: TrackId,
        window: &Window,
        out: &mut Vec<ShownInstant>,
    ) {
        let rows = self.instants_of(track);
        let spans = Moments {
            rows,
            ts: &|row| trace.slices.ts.get(row),
        };
        window.downsample(&spans, &mut |at, _| {
            out.push(ShownInstant {
                id: rows[at],
                ts: spans.start(at),
            });
        });
    }
}
