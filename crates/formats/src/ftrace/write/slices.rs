//! Begins and ends of slices, in an order from which the nesting can be read back.
//!
//! At one time, slices begin in the order of their rows, across all tracks. A slice ends as late as possible: directly
//! before the slice that takes its place, otherwise after all begins. This way, overlapping slices are read back onto
//! the same lanes.

use rustc_hash::{FxHashMap, FxHashSet};
use traceloom_trace::{NO_DURATION, RowId, SliceId, ThreadId, Trace};

use super::again::{Again, repeats};
use super::binder::Role;
use super::counted::Counted;
use super::kernel;
use super::plan::{Class, Kind, Line, Plan};
use super::waiting::Waiting;
use crate::ftrace::derived::Derived;

/// Adds the lines of all slices, track by track.
pub(super) fn add(plan: &mut Plan<'_>) {
    let by_track = rows_by_track(plan.trace);
    let again = Again::new(plan.trace);
    plan.overlapping = again.overlapping(plan.trace);
    // The numbers are arguments, so they may be wrong. The text must not grow without bounds.
    let mut repeats_left = plan.trace.slices.len().saturating_mul(4) + (1 << 16);
    for rows in by_track.chunk_by(|a, b| a.0 == b.0) {
        let mut track = TrackLines {
            trace: plan.trace,
            lines: &mut plan.lines,
            binder: &plan.binder,
            binder_failures: &plan.binder_failures,
            counted: &mut plan.counted,
            waiting: &mut plan.waiting,
            derived: &mut plan.derived,
            again: &again,
            repeats_left: &mut repeats_left,
            ended: None,
            open: Vec::new(),
            last_ts: i64::MIN,
        };
        rows.iter().for_each(|&(_, row)| track.slice(row));
        track.finish();
    }
    drop_requeued(plan);
}

/// Drops the ends of requests that a device returned, because a stored event ends them.
fn drop_requeued(plan: &mut Plan<'_>) {
    let trace = plan.trace;
    let Some(requeue) = trace.strings.lookup("block_rq_requeue") else {
        return;
    };
    let events = trace.ftrace_events.rows();
    let events = events.filter(|event| event.name == requeue);
    let requeued: FxHashSet<i64> = events.map(|event| event.ts).collect();
    plan.lines.retain(|line| {
        let is_end = line.kind == Kind::End && requeued.contains(&line.ts);
        let track = || {
            let track = trace.slices.track_id.get(line.row as usize);
            trace.strings.get(trace.tracks.name.get(track.row()))
        };
        !(is_end && track().starts_with("block "))
    });
}

/// (track, slice) in the order of tracks, and of time within a track. Leaves out slices
/// that a reader derives from events.
fn rows_by_track(trace: &Trace) -> Vec<(u32, u32)> {
    let track = |row: usize| trace.slices.track_id.get(row).0;
    let spans = trace.slices.spans();
    let spans = spans.filter(|row| !Derived::has_slice(trace, SliceId(*row as u32)));
    let mut rows: Vec<(u32, u32)> = spans.map(|row| (track(row), row as u32)).collect();
    rows.sort_unstable();
    rows
}

/// The lines of one track. For lines with the same time the order matters, so they are created in
/// the order in which slices open and close:
///
/// ```text
/// a |----------------|      a's begin, b's begin, b's end, c's begin, c's end, a's end,
///   b |---|   c |----|      though c and a end at once
/// ```
struct TrackLines<'p, 't> {
    trace: &'t Trace,
    lines: &'p mut Vec<Line>,
    binder: &'p FxHashMap<SliceId, Role>,
    binder_failures: &'p FxHashSet<(i64, ThreadId)>,
    counted: &'p mut Counted<'t>,
    waiting: &'p mut Waiting,
    derived: &'p mut Derived,
    again: &'p Again,
    /// The number of further begins that may still be written.
    repeats_left: &'p mut usize,
    /// The last slice whose end was added, unless a begin followed.
    ended: Option<SliceId>,
    open: Vec<SliceId>,
    /// No line of the track comes before this time.
    last_ts: i64,
}

/// Used instead of a row: after all begins.
const LAST: u32 = u32::MAX;

/// The position among the lines of one time: that of the row's begin, or one before it for an end.
fn place(row: u32, depth: u32, is_begin: bool) -> u64 {
    const DEPTHS: u64 = (1 << 27) - 1;
    // Deeper slices end first.
    let inner_first = DEPTHS - u64::from(depth).min(DEPTHS);
    let place = u64::from(row) << 28 | u64::from(is_begin) << 27 | inner_first;
    Class::Slice.order(place)
}

impl TrackLines<'_, '_> {
    fn slice(&mut self, row: u32) {
        let slices = &self.trace.slices;
        let ts = slices.ts.get(row as usize);
        let parent = slices.parent_id.get(row as usize);
        while let Some(&top) = self.open.last().filter(|&&top| top != parent) {
            // A slice that never ended but is followed by a sibling ends there.
            self.close(top, ts, row);
        }
        self.last_ts = self.last_ts.max(ts);
        let place = place(row, 0, true);
        let is_derived = self.derived.begins(self.trace, SliceId(row), place);
        if !is_derived && !self.is_begun(SliceId(row)) {
            self.line(Kind::Begin, row, place);
            self.repeats(row, place);
        }
        self.ended = None;
        self.open.push(SliceId(row));
    }

    /// Adds the further begins of an asynchronous slice. Only the time of the last one is known.
    fn repeats(&mut self, row: u32, order: u64) {
        let Some((count, ts)) = repeats(self.trace, SliceId(row)) else {
            return;
        };
        let line = Line {
            ts: ts.max(self.last_ts),
            order,
            kind: Kind::BeginAgain,
            row,
        };
        let count = count.min(*self.repeats_left);
        *self.repeats_left -= count;
        self.lines.extend(std::iter::repeat_n(line, count));
    }

    /// Ends a slice, at the latest when the slice `next` begins.
    fn close(&mut self, slice: SliceId, next_ts: i64, next: u32) {
        self.open.pop();
        let end = self.end(slice).unwrap_or(next_ts);
        self.last_ts = self.last_ts.max(end);
        let before = if self.last_ts >= next_ts { next } else { LAST };
        let again = self.again.follows(self.trace, slice, self.last_ts);
        let before = again.map_or(before, |again| again.0.min(before));
        let place = place(before, self.trace.slices.depth.get(slice.row()), false);
        let derived = self.derived.ends(self.trace, slice, self.last_ts, place);
        if let Some(is_ended) = derived {
            if !is_ended {
                self.line(Kind::EndMark, slice.0, place);
            }
            return;
        }
        let has_own_end = !self.ends_otherwise(slice);
        if has_own_end && self.is_ended(slice) {
            let kind = self.end_kind(slice, next);
            self.line(kind, slice.0, place);
            self.ended = Some(slice);
        }
    }

    /// Whether a slice of binder needs no line for its end: it has no duration, or a stored event ends it.
    fn ends_otherwise(&self, slice: SliceId) -> bool {
        let utid = || {
            self.trace
                .tracks
                .utid
                .get(self.trace.slices.track_id.get(slice.row()).row())
        };
        match self.binder.get(&slice) {
            Some(Role::Call { answer: None }) => {
                self.binder_failures.contains(&(self.last_ts, utid()))
            }
            role => role.is_some_and(|role| role.is_moment()),
        }
    }

    /// How a slice ended. The event that ends it may also begin another slice. If there is no such slice, a mark of
    /// the program ended this one.
    fn end_kind(&self, slice: SliceId, next: u32) -> Kind {
        let Some(pair) = kernel::pair(self.trace, slice).filter(kernel::Pair::end_begins_another)
        else {
            return Kind::End;
        };
        let next = Some(SliceId(next)).filter(|next| next.0 != LAST);
        let next = next.filter(|next| self.trace.slices.ts.get(next.row()) == self.last_ts);
        let begun = next.and_then(|next| kernel::pair(self.trace, next));
        if begun.is_some_and(|begun| begun.begin == pair.end) {
            Kind::End
        } else {
            Kind::EndMark
        }
    }

    /// Whether another line contains the event that begins a slice: the end of the previous slice, or a stored event.
    fn is_begun(&mut self, slice: SliceId) -> bool {
        let trace = self.trace;
        let before = self
            .ended
            .filter(|_| self.last_ts == trace.slices.ts.get(slice.row()));
        if before.is_none() && self.counted.is_empty() && self.waiting.is_empty() {
            return false;
        }
        let Some(pair) = kernel::pair(trace, slice) else {
            return false;
        };
        let name = self.argument(slice, "name");
        self.counted.claim(pair.begin, name, self.last_ts);
        let order = place(slice.0, 0, true);
        if self.waiting.claim(trace, pair, self.last_ts, order) {
            return true;
        }
        before.is_some_and(|before| self.is_chained(before, slice, pair))
    }

    /// Whether the event that ended one slice began the next.
    fn is_chained(&self, before: SliceId, slice: SliceId, pair: kernel::Pair) -> bool {
        let same = |key: &&str| self.argument(before, key) == self.argument(slice, key);
        let before = kernel::pair(self.trace, before).filter(|before| before.end == pair.begin);
        let entries = before.and_then(|before| before.entry).zip(pair.entry);
        entries.is_some_and(|(ended, begun)| {
            !std::ptr::eq(ended, begun) && begun.keys.iter().all(same)
        })
    }

    /// Whether the second event of a slice ended it. Something else may have ended it, which shows only if that event
    /// has a field of its own, or would have set a counter.
    fn is_ended(&mut self, slice: SliceId) -> bool {
        let Some(pair) = kernel::pair(self.trace, slice) else {
            return true;
        };
        if !kernel::shows_end(self.trace, slice, pair) {
            return false;
        }
        let name = self.argument(slice, "name");
        self.counted.is_empty() || self.counted.claim(pair.end, name, self.last_ts)
    }

    fn argument(&self, slice: SliceId, key: &str) -> Option<String> {
        let args = self.trace.slices.arg_set_id.get(slice.row());
        kernel::argument(self.trace, args, key)
    }

    /// The end of a slice, if it ended.
    fn end(&self, slice: SliceId) -> Option<i64> {
        let slices = &self.trace.slices;
        let dur = Some(slices.dur.get(slice.row())).filter(|dur| *dur != NO_DURATION)?;
        Some(slices.ts.get(slice.row()).saturating_add(dur))
    }

    /// Closes open slices, except for the outermost ones that never ended.
    fn finish(&mut self) {
        let ends: Vec<Option<i64>> = self.open.iter().map(|slice| self.end(*slice)).collect();
        let endless = ends.iter().take_while(|end| end.is_none()).count();
        while let Some(&top) = self.open.last().filter(|_| self.open.len() > endless) {
            // A slice that never ended, inside one that did, ends with it.
            let around = ends[..self.open.len()].iter().rev().find_map(|end| *end);
            self.close(top, around.unwrap_or(self.last_ts), LAST);
        }
        self.open.clear();
    }

    fn line(&mut self, kind: Kind, row: u32, order: u64) {
        self.lines.push(Line {
            ts: self.last_ts,
            order,
            kind,
            row,
        });
    }
}
