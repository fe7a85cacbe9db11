//! The end of the input: open slices are closed and problems are reported.

use traceloom_trace::{Place, RepairKind, TraceBuilder, TrackId};

use super::interpret::TrackEvents;

impl TrackEvents<'_> {
    pub(super) fn unmatched_at(&mut self, ts: i64) {
        self.unmatched.0 += 1;
        self.unmatched.1.get_or_insert(ts);
    }

    /// Names threads by their descriptors. Must be called last, because it overrides other names.
    pub fn name_threads(&self, out: &mut TraceBuilder) {
        self.tracks.names.apply(out);
    }

    /// Closes slices and reports problems.
    pub fn finish(&mut self, out: &mut TraceBuilder) {
        self.tasks(out);
        let mut tracks: Vec<TrackId> = self.ends.keys().copied().collect();
        tracks.sort_unstable();
        for track in tracks {
            self.close_until(track, i64::MAX - 1, out);
        }
        self.states.finish(out);
        self.flows.finish(out);
        self.skipped.report(out);
        self.args.finish(out);
        self.lifecycles.finish(out);
        self.active.finish(out);
        self.report_stats(out);
        let (count, first) = self.unmatched;
        let place = first.map_or(Place::default(), |ts| Place::default().with_ts(ts));
        out.repair(RepairKind::UnmatchedEnd, count, place, String::new);
        let count = self.without_thread;
        out.repair(RepairKind::SkippedEntry, count, Place::default(), || {
            "events of a thread that no descriptor names".to_owned()
        });
        self.report_contradictions(out);
        let (count, first) = self.unknown_phases;
        out.repair(RepairKind::UnknownAction, count, Place::default(), || {
            format!("an event of Chrome has the phase {:?}", char::from(first))
        });
    }

    fn report_contradictions(&self, out: &mut TraceBuilder) {
        let found = self.survey.tracks.contradictions;
        let place = Place::at_offset(found.offset);
        let count = self.of_file(found.count);
        out.repair(RepairKind::Redefined, count, place, || {
            "a track is described again for another process, thread, counter or parent; the first one is shown"
                .to_owned()
        });
    }

    /// A statistic of the whole file; only the first machine reports it.
    fn of_file(&self, count: u64) -> u64 {
        if self.machine == 0 { count } else { 0 }
    }

    /// Adds statistics to `stats` under Perfetto's names.
    fn report_stats(&self, out: &mut TraceBuilder) {
        let stats = [
            ("track_event_parser_errors", self.misplaced_states),
            (
                "track_event_counter_missing_value",
                self.skipped.without_value,
            ),
            (
                "track_descriptor_conflicting_reservation",
                self.of_file(self.survey.tracks.contradictions.count),
            ),
            (
                "track_event_invalid_timestamp",
                self.of_file(self.survey.negative_times),
            ),
            (
                "streaming_profile_invalid_timestamp",
                self.of_file(self.survey.negative_profiles),
            ),
        ];
        for (name, count) in stats.into_iter().filter(|(_, count)| *count > 0) {
            out.stat(name, None, self.machine, count as i64);
        }
        let count = self.misplaced_states;
        out.repair(RepairKind::SkippedEntry, count, Place::default(), || {
            "states on tracks that hold none".to_owned()
        });
    }
}
