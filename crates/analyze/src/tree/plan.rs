//! What all walks over the slices share.

use std::sync::OnceLock;
use std::sync::atomic::AtomicU32;

use traceloom_trace::{MethodId, NO_DURATION, RowId, StringId, Trace, TrackId};

use super::clip::{Moment, TimeRange};
use super::sched::StatesByThread;

/// The data that all walks share.
pub(super) struct Plan<'a> {
    pub trace: &'a Trace,
    pub range: Option<TimeRange>,
    pub states: Option<StatesByThread>,
    /// Whether CPU times come from the clocks of the threads.
    pub thread_clocks: bool,
    /// The end of each source, computed when first needed.
    pub source_ends: OnceLock<Vec<i64>>,
    /// Receives the node of each slice, by its number in the walk; empty if not requested.
    pub nodes_of: &'a [AtomicU32],
}

impl Plan<'_> {
    /// The key of a slice's function. Methods have the lowest keys, then names, then names of
    /// slices that never ended.
    #[inline]
    pub fn key(&self, method: MethodId, name: StringId, dur: i64) -> u32 {
        match (method, dur) {
            (MethodId::NONE, NO_DURATION) => self.finished_keys() + name.0,
            (MethodId::NONE, _) => self.trace.methods.len() as u32 + name.0,
            (method, _) => method.0,
        }
    }

    /// Whether a key is for slices that never ended.
    pub fn is_unfinished(&self, key: u32) -> bool {
        key >= self.finished_keys()
    }

    /// The number of methods and names.
    pub fn finished_keys(&self) -> u32 {
        (self.trace.methods.len() + self.trace.strings.len()) as u32
    }

    /// Whether a slice reaches beyond the range, which then also cuts the clock of its thread.
    #[inline]
    pub fn cuts(&self, begin: Moment, end: Moment) -> bool {
        let is_out = |range: TimeRange| begin.wall_ns < range.from_ns || end.wall_ns > range.to_ns;
        self.thread_clocks && self.range.is_some_and(is_out)
    }

    /// The end of the source of a track.
    pub fn source_end(&self, track: TrackId) -> i64 {
        let ends = self.source_ends.get_or_init(|| self.trace.source_ends());
        let end = ends.get(self.trace.tracks.source.get(track.row()).row());
        end.copied().unwrap_or(self.trace.bounds.1)
    }
}
