//! The ends of slices, including those that never ended, and the extent of each track.

use rustc_hash::FxHashMap;
use traceloom_trace::{MethodId, NO_DURATION, RowId, SliceId, Trace};

use super::unfinished::Unfinished;

/// A summary of the spans of a track.
#[derive(Clone, Copy, Debug)]
pub struct TrackSpan {
    /// The number of slices.
    pub slices: u32,
    /// The number of levels.
    pub levels: u32,
    /// The number of slices that never ended.
    pub open: u32,
    /// The start of its first slice, ns.
    pub first_ns: i64,
    /// The time of its last event, ns.
    pub last_ns: i64,
    /// The end of slices that never ended, ns: the last event of the track for methods, else the end of its source.
    pub open_end_ns: i64,
    /// The time in its outermost slices, ns.
    pub busy_ns: i64,
    /// The number of slices that are method calls.
    pub methods: u32,
}

impl TrackSpan {
    const EMPTY: Self = Self {
        slices: 0,
        levels: 0,
        open: 0,
        first_ns: i64::MAX,
        last_ns: i64::MIN,
        open_end_ns: i64::MIN,
        busy_ns: 0,
        methods: 0,
    };
}

/// The ends of slices. An unfinished slice lasts until the end of the nearest finished ancestor. If
/// there is none, it lasts until the last event of its track (for a method) or of its source, as in
/// a [`CallTree`](crate::CallTree). Other sources of a merged trace have no influence.
#[derive(Debug, Default)]
pub struct Ends {
    spans: Vec<TrackSpan>,
    /// For slices that never ended, the end of the nearest ancestor that did; [`NO_END`] if there is none.
    within: FxHashMap<u32, i64>,
    /// Slices that never ended, other than calls of methods.
    pub(super) unfinished: Unfinished,
}

/// There is no finished ancestor.
const NO_END: i64 = i64::MIN;

impl Ends {
    /// Computes the ends in one pass over the slices. Instants have no influence.
    pub fn new(trace: &Trace) -> Self {
        let mut ends = Self {
            spans: vec![TrackSpan::EMPTY; trace.tracks.len()],
            within: FxHashMap::default(),
            unfinished: Unfinished::default(),
        };
        let mut open = Vec::new();
        for row in trace.slices.spans() {
            if ends.see(trace, row) {
                open.push(row);
            }
        }
        let source_ends = trace.source_ends();
        for (span, source) in ends.spans.iter_mut().zip(trace.tracks.source.iter()) {
            let source_end = source_ends.get(source.row()).copied();
            span.open_end_ns = match span.methods {
                0 => span.last_ns.max(source_end.unwrap_or(trace.bounds.1)),
                _ => span.last_ns,
            };
        }
        ends.close(trace, &open);
        ends.unfinished = Unfinished::new(trace, &open);
        ends
    }

    /// Counts a slice. Returns whether it never ended.
    #[inline]
    fn see(&mut self, trace: &Trace, row: usize) -> bool {
        let slices = &trace.slices;
        let (ts, dur, depth) = (
            slices.ts.get(row),
            slices.dur.get(row),
            slices.depth.get(row),
        );
        let span = &mut self.spans[slices.track_id.get(row).row()];
        let is_open = dur == NO_DURATION;
        let end = if is_open { ts } else { ts.saturating_add(dur) };
        span.slices += 1;
        span.levels = span.levels.max(depth.saturating_add(1));
        span.open += u32::from(is_open);
        span.first_ns = span.first_ns.min(ts);
        span.last_ns = span.last_ns.max(end);
        span.methods += u32::from(slices.method_id.get(row) != MethodId::NONE);
        if depth == 0 && !is_open {
            span.busy_ns = span.busy_ns.saturating_add(dur);
        }
        is_open
    }

    /// Finds the ends of the ancestors of open slices. Each slice is visited once, as the walk up stops at a known end.
    fn close(&mut self, trace: &Trace, open: &[usize]) {
        let mut path = Vec::new();
        for &row in open {
            let mut at = row as u32;
            let end = loop {
                if let Some(&end) = self.within.get(&at) {
                    break end;
                }
                let (ts, dur) = (
                    trace.slices.ts.get(at as usize),
                    trace.slices.dur.get(at as usize),
                );
                if dur != NO_DURATION {
                    break ts.saturating_add(dur);
                }
                self.within.insert(at, NO_END);
                path.push(at);
                match trace.slices.parent_id.get(at as usize) {
                    SliceId::NONE => break NO_END,
                    parent => at = parent.0,
                }
            };
            for at in path.drain(..) {
                self.within.insert(at, end);
            }
            let track = trace.slices.track_id.get(row).row();
            if trace.slices.depth.get(row) == 0 {
                let ts = trace.slices.ts.get(row);
                let span = &mut self.spans[track];
                let dur = span.open_end_ns.saturating_sub(ts).max(0);
                span.busy_ns = span.busy_ns.saturating_add(dur);
            }
        }
    }

    /// The summary of a track.
    pub fn span(&self, track: usize) -> &TrackSpan {
        &self.spans[track]
    }

    /// The end of a slice, or the time it is drawn to if it never ended; never before its start.
    #[inline]
    pub fn end_of(&self, trace: &Trace, row: usize) -> i64 {
        let (ts, dur) = (trace.slices.ts.get(row), trace.slices.dur.get(row));
        if dur == NO_DURATION {
            return self.end_of_open(trace, row, ts);
        }
        ts.saturating_add(dur)
    }

    /// Whether a slice never ended but an ancestor did.
    pub fn is_closed_by_parent(&self, row: usize) -> bool {
        !self.within.is_empty() && self.end_around(row) != NO_END
    }

    #[cold]
    fn end_of_open(&self, trace: &Trace, row: usize, ts: i64) -> i64 {
        let end = match self.end_around(row) {
            NO_END => self.spans[trace.slices.track_id.get(row).row()].open_end_ns,
            end => end,
        };
        end.max(ts)
    }

    fn end_around(&self, row: usize) -> i64 {
        self.within.get(&(row as u32)).copied().unwrap_or(NO_END)
    }
}
