//! What held a frame: what its threads did meanwhile, on whom they waited, and which slices took
//! the time.

use std::cmp::Reverse;

use traceloom_trace::{
    MethodId, NO_DURATION, RowId, SliceId, StringId, TaskState, ThreadId, Trace, TrackId,
};

use super::{Frame, Frames, track_of};
use crate::tree::StatesByThread;

/// Waits and slices that are told of a frame.
const TOLD: usize = 5;

/// What held a frame. The frame is the UI thread's until that is through, and the RenderThread's
/// from then on; the times add up to its length where the scheduler's events are in the trace.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct FrameDetail {
    /// On a CPU, ns.
    pub running_ns: i64,
    /// Ready to run, but without a CPU.
    pub runnable_ns: i64,
    /// Waiting for another thread or a timer.
    pub blocked_ns: i64,
    /// Waiting for a disk.
    pub io_ns: i64,
    /// Neither: between both threads, or not known.
    pub other_ns: i64,
    /// On what it waited, longest first.
    pub blocked_on: Vec<Blocked>,
    /// The slices that took most time of their own, longest first.
    pub top: Vec<TopSlice>,
}

/// Waits of one kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Blocked {
    /// The innermost slice meanwhile; none where there is no slice.
    pub slice: SliceId,
    /// The kernel function it waited in, or empty.
    pub function: StringId,
    /// Who woke it; none if the trace does not say.
    pub waker: ThreadId,
    /// Whether it was a wait for a disk.
    pub is_io: bool,
    /// How long, ns.
    pub ns: i64,
}

/// Slices of one name within a frame.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TopSlice {
    /// The longest of them.
    pub slice: SliceId,
    /// Their time without those within, ns.
    pub own_ns: i64,
}

/// Answers what held frames.
pub struct FrameDetails<'a> {
    trace: &'a Trace,
    states: Option<StatesByThread>,
}

/// A part of a frame that one thread has to answer for.
#[derive(Clone, Copy)]
struct Part {
    slice: SliceId,
    from: i64,
    to: i64,
}

/// A slice within a frame's.
struct Inner {
    slice: SliceId,
    from: i64,
    to: i64,
    own_ns: i64,
}

impl<'a> FrameDetails<'a> {
    /// Sorts the trace's states by thread, once for all frames.
    pub fn new(trace: &'a Trace) -> Self {
        Self {
            trace,
            states: StatesByThread::new(trace),
        }
    }

    /// What held this frame.
    pub fn of(&self, frame: &Frame) -> FrameDetail {
        let mut detail = FrameDetail::default();
        let mut top = Vec::new();
        let render = frame.render;
        let ui = Part {
            slice: frame.slice,
            from: frame.ts,
            to: frame.ui_end,
        };
        self.add_part(&ui, &mut detail, &mut top);
        if render != SliceId::NONE {
            let part = Part {
                slice: render,
                from: frame.ui_end.max(self.trace.slices.ts.get(render.row())),
                to: frame.end,
            };
            if part.from < part.to {
                self.add_part(&part, &mut detail, &mut top);
            }
        }
        let told = detail.running_ns + detail.runnable_ns + detail.blocked_ns + detail.io_ns;
        detail.other_ns = (frame.dur_ns() - told).max(0);
        let blocked = &mut detail.blocked_on;
        blocked.sort_by_key(|one| (Reverse(one.ns), one.waker, one.slice));
        blocked.truncate(TOLD);
        detail.top = self.by_name(top);
        detail
    }

    fn add_part(&self, part: &Part, detail: &mut FrameDetail, top: &mut Vec<(Called, TopSlice)>) {
        let inner = self.inner(part);
        self.add_states(part, &inner, detail);
        for one in inner.iter().filter(|one| one.own_ns > 0) {
            let (slice, own_ns) = (one.slice, one.own_ns);
            top.push((called(self.trace, slice), TopSlice { slice, own_ns }));
        }
    }

    /// The names that took most time, each with the longest of its slices.
    fn by_name(&self, mut slices: Vec<(Called, TopSlice)>) -> Vec<TopSlice> {
        let length = |slice: SliceId| self.trace.slices.dur.get(slice.row());
        slices.sort_by_key(|(name, _)| *name);
        let mut top = Vec::new();
        for same in slices.chunk_by(|one, next| one.0 == next.0) {
            let mut sum = same[0].1.clone();
            for (_, more) in &same[1..] {
                if length(more.slice) > length(sum.slice) {
                    sum.slice = more.slice;
                }
                sum.own_ns += more.own_ns;
            }
            top.push(sum);
        }
        top.sort_by_key(|one| (Reverse(one.own_ns), one.slice));
        top.truncate(TOLD);
        top
    }

    /// The slices around and within the part, outer ones first, cut at its ends.
    fn inner(&self, part: &Part) -> Vec<Inner> {
        let slices = &self.trace.slices;
        let track: TrackId = track_of(self.trace, part.slice);
        let mut inner: Vec<Inner> = Vec::new();
        for row in part.slice.row()..slices.len() {
            if slices.ts.get(row) >= part.to {
                break;
            }
            let slice = SliceId::from_row(row);
            if slices.track_id.get(row) != track {
                continue;
            }
            let parent = slices.parent_id.get(row);
            let parent = inner.binary_search_by_key(&parent, |one| one.slice);
            if parent.is_err() && slice != part.slice {
                continue;
            }
            let from = slices.ts.get(row).max(part.from);
            let to = self.trace.slice_end(slice).min(part.to).max(from);
            if let Ok(parent) = parent {
                inner[parent].own_ns -= to - from;
            }
            inner.push(Inner {
                slice,
                from,
                to,
                own_ns: to - from,
            });
        }
        inner
    }

    fn add_states(&self, part: &Part, inner: &[Inner], detail: &mut FrameDetail) {
        let utid = self.trace.track_thread(track_of(self.trace, part.slice));
        let (Some(utid), Some(sorted)) = (utid, &self.states) else {
            return;
        };
        let (rows, states) = (sorted.rows_of(utid), &self.trace.thread_states);
        let end_of = |row: usize| match states.dur.get(row) {
            NO_DURATION => self.trace.bounds.1,
            dur => states.ts.get(row).saturating_add(dur),
        };
        let first = rows.partition_point(|&row| end_of(row as usize) <= part.from);
        for (at, &row) in rows.iter().enumerate().skip(first) {
            let row = row as usize;
            let ts = states.ts.get(row);
            if ts >= part.to {
                break;
            }
            let from = ts.max(part.from);
            let ns = (end_of(row).min(part.to) - from).max(0);
            let state = states.state.get(row);
            let is_io = states.io_wait.get(row) == 1;
            if state == TaskState::RUNNING {
                detail.running_ns += ns;
            } else if state.is_runnable() {
                detail.runnable_ns += ns;
            } else if state.is_blocked() {
                if is_io {
                    detail.io_ns += ns
                } else {
                    detail.blocked_ns += ns
                }
                let waker = |&next: &u32| states.waker_utid.get(next as usize);
                let wait = Blocked {
                    slice: innermost(inner, from),
                    function: states.blocked_function.get(row),
                    waker: rows.get(at + 1).map_or(ThreadId::NONE, waker),
                    is_io,
                    ns,
                };
                self.add_wait(&mut detail.blocked_on, wait);
            }
        }
    }

    /// Waits of one function, waker and name of slice are told together.
    fn add_wait(&self, blocked: &mut Vec<Blocked>, wait: Blocked) {
        let name = |slice: SliceId| slice.some().map(|slice| called(self.trace, slice));
        let same = |known: &&mut Blocked| {
            (known.function, known.waker, known.is_io) == (wait.function, wait.waker, wait.is_io)
                && name(known.slice) == name(wait.slice)
        };
        match blocked.iter_mut().find(same) {
            Some(known) => known.ns += wait.ns,
            None => blocked.push(wait),
        }
    }
}

/// What a slice is by: the method that it calls, and its name where it calls none.
type Called = (MethodId, StringId);

fn called(trace: &Trace, slice: SliceId) -> Called {
    let row = slice.row();
    (trace.slices.method_id.get(row), trace.slices.name.get(row))
}

/// The innermost slice at a moment: the last one that is open then.
fn innermost(inner: &[Inner], ts: i64) -> SliceId {
    let open = inner.iter().rev().find(|one| one.from <= ts && ts < one.to);
    open.map_or(SliceId::NONE, |one| one.slice)
}

impl Frames {
    /// The places of the frames `wanted` accepts, worst first: most ticks missed, then longest.
    pub fn worst(&self, wanted: &dyn Fn(&Frame) -> bool) -> Vec<usize> {
        let mut places = Vec::new();
        for (at, frame) in self.frames.iter().enumerate() {
            if wanted(frame) {
                places.push(at);
            }
        }
        places.sort_by_key(|&at| {
            let frame = &self.frames[at];
            (Reverse(frame.missed), Reverse(frame.dur_ns()), frame.ts)
        });
        places
    }
}
