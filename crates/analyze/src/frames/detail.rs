//! Explains the duration of a frame: the states of its threads, what they waited for, and the
//! slices with the most exclusive time.

use std::cmp::Reverse;

use traceloom_trace::{
    MethodId, NO_DURATION, RowId, SliceId, StringId, ThreadId, Trace, TrackId, sort,
};

use super::{Frame, Frames, track_of};
use crate::state::StateKind;
use crate::tree::StatesByThread;
use crate::waits::WaitReason;

/// The number of waits and slices to report for a frame.
const TOLD: usize = 5;

/// The explanation of a frame's duration: the states of the UI thread until it finishes, then those
/// of the RenderThread. The times add up to the duration of the frame if the trace has scheduler
/// events.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct FrameDetail {
    /// On a CPU, ns.
    pub running_ns: i64,
    /// Waiting for a CPU, ns.
    pub runnable_ns: i64,
    /// Waiting for another thread or a timer in interruptible sleep, ns.
    pub sleeping_ns: i64,
    /// The same in uninterruptible sleep, ns.
    pub uninterruptible_ns: i64,
    /// Waiting for I/O, ns.
    pub io_ns: i64,
    /// The rest, ns: between the two threads, stopped, or unknown.
    pub other_ns: i64,
    /// What it waited for, longest first.
    pub blocked_on: Vec<Blocked>,
    /// The slices with the most exclusive time, longest first.
    pub top: Vec<TopSlice>,
}

/// Waits of one kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Blocked {
    /// The innermost slice around it, or none.
    pub slice: SliceId,
    /// The reason.
    pub why: WaitReason,
    /// The duration, ns.
    pub ns: i64,
}

/// The slices of one name within a frame.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TopSlice {
    /// The longest of them.
    pub slice: SliceId,
    /// Their exclusive time, ns.
    pub own_ns: i64,
}

impl FrameDetail {
    /// The time in a state; `None` for states that count as other time.
    fn time_in(&mut self, kind: StateKind) -> Option<&mut i64> {
        match kind {
            StateKind::Running => Some(&mut self.running_ns),
            StateKind::Runnable | StateKind::Preempted => Some(&mut self.runnable_ns),
            StateKind::Sleeping => Some(&mut self.sleeping_ns),
            StateKind::Uninterruptible => Some(&mut self.uninterruptible_ns),
            StateKind::UninterruptibleIo => Some(&mut self.io_ns),
            StateKind::Unknown | StateKind::Stopped | StateKind::Dead => None,
        }
    }

    /// The sum of the times, except the other time, ns.
    fn known_ns(&self) -> i64 {
        let waits = self.sleeping_ns + self.uninterruptible_ns + self.io_ns;
        self.running_ns + self.runnable_ns + waits
    }
}

/// Explains frames one by one.
pub struct FrameDetails<'a> {
    trace: &'a Trace,
    states: Option<StatesByThread>,
}

/// The part of a frame on one thread.
#[derive(Clone, Copy)]
struct Part {
    slice: SliceId,
    /// The thread if the slice is not on a thread's track.
    utid: ThreadId,
    from: i64,
    to: i64,
}

/// A slice nested in the slice of a frame.
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

    /// Explains one frame.
    ///
    /// `utid` is the thread of the app, for frames that have no slice on a thread.
    pub fn detail(&self, frame: &Frame, utid: ThreadId) -> FrameDetail {
        let mut detail = FrameDetail::default();
        let mut top = Vec::new();
        let render = frame.render;
        let ui = Part {
            slice: frame.slice,
            utid,
            from: frame.ts,
            to: frame.ui_end,
        };
        self.add_part(&ui, &mut detail, &mut top);
        if render != SliceId::NONE {
            let part = Part {
                slice: render,
                utid,
                from: frame.ui_end.max(self.trace.slices.ts.get(render.row())),
                to: frame.end,
            };
            if part.from < part.to {
                self.add_part(&part, &mut detail, &mut top);
            }
        }
        detail.other_ns = (frame.dur_ns() - detail.known_ns()).max(0);
        let blocked = &mut detail.blocked_on;
        sort::by_key(blocked, |one| (Reverse(one.ns), one.why.waker, one.slice));
        blocked.truncate(TOLD);
        detail.top = self.by_name(top);
        detail
    }

    fn add_part(&self, part: &Part, detail: &mut FrameDetail, top: &mut Vec<(Called, TopSlice)>) {
        let inner = self.inner(part);
        self.add_states(part, &inner, detail);
        let has_thread = self.trace.track_thread(track_of(self.trace, part.slice));
        if has_thread.is_none() {
            return;
        }
        for one in inner.iter().filter(|one| one.own_ns > 0) {
            let (slice, own_ns) = (one.slice, one.own_ns);
            top.push((called(self.trace, slice), TopSlice { slice, own_ns }));
        }
    }

    /// The names with the most time, each with the longest of its slices.
    fn by_name(&self, mut slices: Vec<(Called, TopSlice)>) -> Vec<TopSlice> {
        let length = |slice: SliceId| self.trace.slices.dur.get(slice.row());
        sort::by_key(&mut slices, |(name, _)| *name);
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
        sort::by_key(&mut top, |one| (Reverse(one.own_ns), one.slice));
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
            if slices.track_id.get(row) != track || slices.is_instant(row) {
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
        let utid = utid.unwrap_or(part.utid);
        let Some(sorted) = &self.states else {
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
            if let Some(time) = detail.time_in(StateKind::from_row(self.trace, row)) {
                *time += ns;
            }
            if let Some(why) = WaitReason::of(self.trace, row as u32, rows.get(at + 1).copied()) {
                let slice = innermost(inner, from);
                self.add_wait(&mut detail.blocked_on, Blocked { slice, why, ns });
            }
        }
    }

    /// Adds a wait. Waits with the same reason and slice name are merged.
    fn add_wait(&self, blocked: &mut Vec<Blocked>, wait: Blocked) {
        let name = |slice: SliceId| slice.some().map(|slice| called(self.trace, slice));
        let same =
            |other: &&mut Blocked| other.why == wait.why && name(other.slice) == name(wait.slice);
        match blocked.iter_mut().find(same) {
            Some(other) => other.ns += wait.ns,
            None => blocked.push(wait),
        }
    }
}

/// The name of a slice: its method, or its own name if it has no method.
type Called = (MethodId, StringId);

fn called(trace: &Trace, slice: SliceId) -> Called {
    let row = slice.row();
    (trace.slices.method_id.get(row), trace.slices.name.get(row))
}

/// The innermost slice at a time: the last one that is open then.
fn innermost(inner: &[Inner], ts: i64) -> SliceId {
    let open = inner.iter().rev().find(|one| one.from <= ts && ts < one.to);
    open.map_or(SliceId::NONE, |one| one.slice)
}

impl Frames {
    /// The indexes of the frames that `wanted` accepts, worst first: by missed vsyncs, then by duration.
    pub fn worst(&self, wanted: &dyn Fn(&Frame) -> bool) -> Vec<usize> {
        let mut places = Vec::new();
        for (at, frame) in self.frames.iter().enumerate() {
            if wanted(frame) {
                places.push(at);
            }
        }
        sort::by_key(&mut places, |&at| {
            let frame = &self.frames[at];
            (Reverse(frame.missed), Reverse(frame.dur_ns()), frame.ts)
        });
        places
    }
}
