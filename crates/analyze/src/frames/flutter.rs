//! Frames of Flutter: the UI thread builds a frame, and the raster thread draws it when it is free.
//!
//! ```text
//! UI thread      Framework Workload ──┐     Framework Workload ──┐
//! raster thread                       GPURasterizer::Draw ───────────┐GPURasterizer::Draw ─┐
//! ```
//! Each thread has its own vsync period for its part, so a frame is late if one of the parts is too
//! long.

use traceloom_trace::{RowId, SliceId, Trace};

/// The slices of the raster thread that draw the frames of a UI thread, in order; none for frames
/// that changed nothing. A frame is drawn once the frame before it is finished; the raster thread
/// may start `slack_ns` late.
pub(super) fn rasters(
    trace: &Trace,
    frames: &[SliceId],
    rasters: &[SliceId],
    slack_ns: i64,
) -> Vec<SliceId> {
    let start = |slice: SliceId| trace.slices.ts.get(slice.row());
    let (mut at, mut free) = (0, i64::MIN);
    let mut found = Vec::with_capacity(frames.len());
    for &frame in frames {
        while at < rasters.len() && start(rasters[at]) < start(frame) {
            free = free.max(trace.slice_end(rasters[at]));
            at += 1;
        }
        let latest = trace.slice_end(frame).max(free).saturating_add(slack_ns);
        let next = rasters.get(at).copied();
        let drawn = next.filter(|&raster| start(raster) <= latest);
        if let Some(raster) = drawn {
            free = trace.slice_end(raster);
            at += 1;
        }
        found.push(drawn.unwrap_or(SliceId::NONE));
    }
    found
}
