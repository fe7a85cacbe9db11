//! What held a frame: what its threads did meanwhile, on whom they waited, and which slices took
//! the time.

use std::cmp::Reverse;
use traceloom_trace::SmallSort;

use rustc_hash::FxHashMap;
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
        let mut blocked: Vec<Blocked> = Vec::new();
        let mut top: FxHashMap<Called, TopSlice> = FxHashMap::default();
        for part in self.parts(frame) {
            let inner = self.inner(&part);
            self.add_states(&part, &inner, &mut detail, &mut blocked);
            self.add_top(&inner, &mut top);
        }
        let told = detail.running_ns + detail.runnable_ns + detail.blocked_ns + detail.io_ns;
        detail.other_ns = (frame.dur_ns() - told).max(0);
        blocked.small_sort_by_key(|one| (Reverse(one.ns), one.waker, one.slice));
        blocked.truncate(TOLD);
        detail.blocked_on = blocked;
        let mut top: Vec<TopSlice> = top.into_values().collect();
        top.small_sort_by_key(|one| (Reverse(one.own_ns), one.slice));
        top.truncate(TOLD);
        detail.top = top;
        detail
    }

    fn parts(&self, frame: &Frame) -> impl Iterator<Item = Part> + use<> {
        let ui = Part {
            slice: frame.slice,
            from: frame.ts,
            to: frame.ui_end,
        };
        let render = frame.render.some().map(|slice| Part {
            slice,
            from: frame.ui_end.max(self.trace.slices.ts.get(slice.row())),
            to: frame.end,
        });
        std::iter::once(ui).chain(render.filter(|part| part.from < part.to))
    }

    /// The slices around and within the part, outer ones first, cut at its ends.
    fn inner(&self, part: &Part) -> Vec<Inner> {
        let slices = &self.trace.slices;
        let track: TrackId = track_of(self.trace, part.slice);
        let mut inner: Vec<Inner> = Vec::new();
        let mut place: FxHashMap<SliceId, usize> = FxHashMap::default();
        for row in part.slice.row()..slices.len() {
            if slices.ts.get(row) >= part.to {
                break;
            }
            let slice = SliceId::from_row(row);
            if slices.track_id.get(row) != track {
                continue;
            }
            let parent = place.get(&slices.parent_id.get(row)).copied();
            if parent.is_none() && slice != part.slice {
                continue;
            }
            let from = slices.ts.get(row).max(part.from);
            let to = self.trace.slice_end(slice).min(part.to).max(from);
            if let Some(parent) = parent {
                inner[parent].own_ns -= to - from;
            }
            place.insert(slice, inner.len());
            inner.push(Inner {
                slice,
                from,
                to,
                own_ns: to - from,
            });
        }
        inner
    }

    fn add_top(&self, inner: &[Inner], top: &mut FxHashMap<Called, TopSlice>) {
        for one in inner.iter().filter(|one| one.own_ns > 0) {
            let name = called(self.trace, one.slice);
            let sum = top.entry(name).or_insert(TopSlice {
                slice: one.slice,
                own_ns: 0,
            });
            let length = |slice: SliceId| self.trace.slices.dur.get(slice.row());
            if length(one.slice) > length(sum.slice) {
                sum.slice = one.slice;
            }
            sum.own_ns += one.own_ns;
        }
    }

    fn add_states(
        &self,
        part: &Part,
        inner: &[Inner],
        detail: &mut FrameDetail,
        blocked: &mut Vec<Blocked>,
    ) {
        let Some(utid) = self.trace.track_thread(track_of(self.trace, part.slice)) else {
            return;
        };
        let rows = self
            .states
            .as_ref()
            .map_or(&[][..], |states| states.rows_of(utid));
        let states = &self.trace.thread_states;
        let end_of = |row: u32| match states.dur.get(row as usize) {
            NO_DURATION => self.trace.bounds.1,
            dur => states.ts.get(row as usize).saturating_add(dur),
        };
        let first = rows.partition_point(|&row| end_of(row) <= part.from);
        for (at, &row) in rows.iter().enumerate().skip(first) {
            let state = states.row(row as usize);
            if state.ts >= part.to {
                break;
            }
            let (from, to) = (state.ts.max(part.from), end_of(row).min(part.to));
            let ns = (to - from).max(0);
            let is_io = state.io_wait == 1;
            match state.state {
                TaskState::RUNNING => detail.running_ns += ns,
                other if other.is_runnable() => detail.runnable_ns += ns,
                other if !other.is_blocked() => {}
                _ => {
                    match is_io {
                        true => detail.io_ns += ns,
                        false => detail.blocked_ns += ns,
                    }
                    let next = rows.get(at + 1).map(|&next| states.row(next as usize));
                    let wait = Blocked {
                        slice: innermost(inner, from),
                        function: state.blocked_function,
                        waker: next.map_or(ThreadId::NONE, |next| next.waker_utid),
                        is_io,
                        ns,
                    };
                    self.add_wait(blocked, wait);
                }
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
    pub fn worst(&self, wanted: impl Fn(&Frame) -> bool) -> Vec<usize> {
        let places = 0..self.frames.len();
        let mut places: Vec<usize> = places.filter(|&at| wanted(&self.frames[at])).collect();
        places.small_sort_by_key(|&at| {
            let frame = &self.frames[at];
            (Reverse(frame.missed), Reverse(frame.dur_ns()), frame.ts)
        });
        places
    }
}
