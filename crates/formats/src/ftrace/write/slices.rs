//! Begins and ends of slices, in an order from which the nesting can be read back.

use rustc_hash::FxHashMap;
use traceloom_trace::{NO_DURATION, RowId, SliceId, Trace};

use super::binder::Role;
use super::plan::{Class, Kind, Line, Plan};

/// Adds the lines of all slices, track by track.
pub(super) fn add(plan: &mut Plan<'_>) {
    let by_track = rows_by_track(plan.trace);
    for rows in by_track.chunk_by(|a, b| a.0 == b.0) {
        let mut track = TrackLines {
            trace: plan.trace,
            lines: &mut plan.lines,
            binder: &plan.binder,
            open: Vec::new(),
            last_ts: i64::MIN,
        };
        rows.iter().for_each(|&(_, row)| track.slice(row));
        track.finish();
    }
}

/// (track, slice) in the order of tracks, and of time within a track.
fn rows_by_track(trace: &Trace) -> Vec<(u32, u32)> {
    let tracks = trace.slices.track_id.iter().enumerate();
    let mut rows: Vec<(u32, u32)> = tracks.map(|(row, track)| (track.0, row as u32)).collect();
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
struct TrackLines<'p> {
    trace: &'p Trace,
    lines: &'p mut Vec<Line>,
    binder: &'p FxHashMap<SliceId, Role>,
    open: Vec<SliceId>,
    last_ts: i64,
}

impl TrackLines<'_> {
    fn slice(&mut self, row: u32) {
        let slices = &self.trace.slices;
        let ts = slices.ts.get(row as usize);
        let parent = slices.parent_id.get(row as usize);
        while let Some(&top) = self.open.last().filter(|&&top| top != parent) {
            // A slice that never ended but is followed by a sibling ends there.
            self.close(top, ts);
        }
        self.line(ts, Kind::Begin, row);
        self.open.push(SliceId(row));
    }

    fn close(&mut self, slice: SliceId, at_latest: i64) {
        let end = match self.trace.slices.dur.get(slice.row()) {
            NO_DURATION => at_latest,
            dur => self.trace.slices.ts.get(slice.row()).saturating_add(dur),
        };
        self.open.pop();
        if !self.binder.get(&slice).is_some_and(|role| role.is_moment()) {
            self.line(end, Kind::End, slice.0);
        }
    }

    /// Closes open slices, except for the outermost ones that never ended.
    fn finish(&mut self) {
        let dur = |slice: &SliceId| self.trace.slices.dur.get(slice.row());
        let endless = self
            .open
            .iter()
            .take_while(|slice| dur(slice) == NO_DURATION)
            .count();
        while let Some(&top) = self.open.last().filter(|_| self.open.len() > endless) {
            self.close(top, self.last_ts);
        }
        self.open.clear();
    }

    fn line(&mut self, ts: i64, kind: Kind, row: u32) {
        self.last_ts = self.last_ts.max(ts);
        self.lines.push(Line {
            ts: self.last_ts,
            order: Class::Mark.order(self.lines.len()),
            kind,
            row,
        });
    }
}
