//! Statistics of the reader that SQL shows in `stats` under Perfetto's names.

use traceloom_trace::TraceBuilder;

/// Counts other than repairs.
#[derive(Debug, Default)]
pub(super) struct Figures {
    /// Events that could not be read.
    pub unread: u64,
    /// Complete slices that cross the end of another one, and are therefore on a separate lane.
    pub beside: u64,
    /// Steps of flows that have not started.
    pub steps_without_start: u64,
    /// Ends of flows that have not started.
    pub ends_without_start: u64,
}

impl Figures {
    /// Adds the counts that are not 0.
    pub fn tell(&self, out: &mut TraceBuilder) {
        let figures = [
            ("json_tokenizer_failure", self.unread),
            ("slice_spill_overlapping_complete_event", self.beside),
            ("flow_step_without_start", self.steps_without_start),
            ("flow_end_without_start", self.ends_without_start),
        ];
        for (name, count) in figures.into_iter().filter(|(_, count)| *count > 0) {
            out.figure(name, None, 0, count as i64);
        }
    }
}
