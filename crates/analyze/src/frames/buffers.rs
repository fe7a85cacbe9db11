//! Frames of threads that only hand buffers to the compositor, such as those of games.
//!
//! ```text
//! thread     ── queueBuffer ──────── queueBuffer ──────────────────────── queueBuffer ──
//!                        ├── a frame ──────────┤├─────────── late ─────────────────┤
//! ```
//! The trace does not show when such a thread began a frame, so a frame is the time between two
//! buffers. Games choose their own frame rate, so a frame is late if it takes more whole vsyncs
//! than is usual for its thread.

use traceloom_trace::{NO_DURATION, RowId, SliceId, Trace};

/// A longer time between two buffers is a pause.
const PAUSE_NS: i64 = 1_000_000_000;

/// The minimum number of buffers for a thread to count as a drawing thread.
pub(super) const FEWEST: usize = 8;

/// A frame: the slice that queued its buffer, and its times.
pub(super) struct Buffer {
    pub slice: SliceId,
    pub from: i64,
    pub to: i64,
}

/// The frames of a thread, and the number of frames without an end.
pub(super) fn buffers(trace: &Trace, slices: &[SliceId]) -> (Vec<Buffer>, usize) {
    let (mut frames, mut unfinished) = (Vec::new(), 0);
    let mut last: Option<i64> = None;
    for &slice in slices {
        if trace.slices.dur.get(slice.row()) == NO_DURATION {
            unfinished += 1;
            continue;
        }
        let to = trace.slice_end(slice);
        if let Some(from) = last.replace(to)
            && to.saturating_sub(from) <= PAUSE_NS
        {
            frames.push(Buffer { slice, from, to });
        }
    }
    (frames, unfinished)
}

/// The usual number of vsyncs per frame: 2 for a game that draws 30 times a second at 60 Hz.
pub(super) fn usual_periods(frames: &[Buffer], period_ns: i64) -> i64 {
    let mut lengths: Vec<i64> = frames.iter().map(|one| one.to - one.from).collect();
    lengths.sort_unstable();
    let median = lengths.get(lengths.len() / 2).copied().unwrap_or(0);
    rounded(median, period_ns).max(1)
}

/// The number of vsyncs by which a frame exceeded the usual duration.
pub(super) fn missed(frame: &Buffer, usual: i64, period_ns: i64) -> u32 {
    let more = rounded(frame.to - frame.from, period_ns) - usual;
    u32::try_from(more.max(0)).unwrap_or(u32::MAX)
}

fn rounded(ns: i64, period_ns: i64) -> i64 {
    let period_ns = period_ns.max(1);
    ns.saturating_add(period_ns / 2) / period_ns
}
