//! Finds the calls that are cut by the ends of a range, using the lanes of the timeline.

use traceloom_trace::{NO_DURATION, Trace};

use super::clip::{Clip, Moment, TimeRange};
use super::lane::begin_of;
use crate::timeline::{Lane, Spans};

/// The end of a slice, if it ended.
pub(super) fn end_of(trace: &Trace, row: usize) -> Option<Moment> {
    let (begin, dur) = (begin_of(trace, row), trace.slices.dur.get(row));
    (dur != NO_DURATION).then(|| Moment {
        wall_ns: begin.wall_ns.saturating_add(dur),
        cpu_ns: begin
            .cpu_ns
            .saturating_add(trace.slices.thread_dur.get(row).max(0)),
    })
}

/// Adds the slices of a level that are cut by an end of the range. `before` has the number of
/// slices that begin before each end.
pub(super) fn add_cut(
    (trace, range): (&Trace, TimeRange),
    level: &Lane<'_>,
    before: [usize; 2],
    cut: &mut Vec<usize>,
) {
    let is_cut = |row: usize| {
        let (begin, end) = (trace.slices.ts.get(row), end_of(trace, row));
        end.is_some_and(|end| {
            let is_out = begin < range.from_ns || end.wall_ns > range.to_ns;
            is_out && range.overlaps(begin, end.wall_ns)
        })
    };
    let [from, to] = before;
    // If slices do not overlap, only the last one before each end can extend beyond it.
    let (first, last) = if level.overlaps() {
        (0, from)
    } else {
        (from.saturating_sub(1), to.saturating_sub(1).max(from))
    };
    let rows = (first..from)
        .chain(last..to)
        .map(|at| level.ids()[at] as usize);
    cut.extend(rows.filter(|row| is_cut(*row)));
}

/// Passes on the events of a level that are closest to one end of the clip, on both sides. `before`
/// is the number of slices that begin before that end.
pub(super) fn see(trace: &Trace, level: &Lane<'_>, (at_ns, before): (i64, usize), clip: &mut Clip) {
    let (ids, count) = (level.ids(), level.count());
    let end = |at: usize| end_of(trace, ids[at] as usize);
    let begin = |at: usize| begin_of(trace, ids[at] as usize);
    if level.overlaps() {
        (0..count).for_each(|at| {
            clip.see(begin(at));
            end(at).into_iter().for_each(|end| clip.see(end));
        });
        return;
    }
    // All slices before `middle` begin at or before that time. All but the last of them also end by
    // then.
    let at_once = (before..count).take_while(|at| level.start(*at) == at_ns);
    let middle = before + at_once.count();
    nearest((0..middle).rev().map(|at| Some(begin(at))), clip);
    nearest((middle..count).map(|at| Some(begin(at))), clip);
    let is_before = |moment: &Moment| moment.wall_ns <= at_ns;
    nearest((0..middle).rev().map(|at| end(at).filter(is_before)), clip);
    let is_behind = |moment: &Moment| !is_before(moment);
    let behind = middle.saturating_sub(1)..count;
    nearest(behind.map(|at| end(at).filter(is_behind)), clip);
}

/// Passes on all events with the earliest time.
fn nearest(moments: impl Iterator<Item = Option<Moment>>, clip: &mut Clip) {
    let mut first = None;
    for moment in moments.flatten() {
        if *first.get_or_insert(moment.wall_ns) != moment.wall_ns {
            return;
        }
        clip.see(moment);
    }
}
