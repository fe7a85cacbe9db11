//! Statistics of the reader that SQL shows in `stats` under Perfetto's names.

use traceloom_trace::TraceBuilder;

/// Counts other than repairs.
#[derive(Debug, Default)]
pub(super) struct Stats {
    /// Events that could not be read.
    pub unread: u64,
    /// Complete slices that cross the end of another one, and are therefore on a separate lane.
    pub overlapping: u64,
    /// Steps of flows that have not started.
    pub steps_without_start: u64,
    /// Ends of flows that have not started.
    pub ends_without_start: u64,
}

impl Stats {
    /// Adds the counts that are not 0.
    pub fn report(&self, out: &mut TraceBuilder) {
        let stats = [
            ("json_tokenizer_failure", self.unread),
            ("slice_spill_overlapping_complete_event", self.overlapping),
            ("flow_step_without_start", self.steps_without_start),
            ("flow_end_without_start", self.ends_without_start),
        ];
        for (name, count) in stats.into_iter().filter(|(_, count)| *count > 0) {
            out.stat(name, None, 0, count as i64);
        }
    }
}
