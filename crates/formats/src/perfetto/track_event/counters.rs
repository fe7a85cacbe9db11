//! Counters of track events: counter events, and extra counter values in other events.

use traceloom_trace::TraceBuilder;

use super::super::sequence::State;
use super::counting::Counting;
use super::described::THREAD_TIME;
use super::event::{Event, Number};
use super::interpret::{At, TrackEvents};
use super::tracks::Use;

impl<'s> TrackEvents<'s> {
    /// Adds a counter value. The descriptor may have a multiplier for the unit.
    pub(super) fn counter(
        &mut self,
        at: &At<'s>,
        uuid: u64,
        value: Option<Number>,
        out: &mut TraceBuilder,
    ) {
        let (ts, generation) = (at.ts, at.names.state.generation);
        let Some(value) = value else {
            self.skipped.without_value += 1;
            return;
        };
        let asker = self.asker(at);
        let track = self.tracks.track(uuid, Use::Value, asker, out);
        let tracks = &mut self.tracks;
        let known = self.counters.entry(uuid).or_insert_with(|| {
            let descriptor = tracks.descriptor(uuid).unwrap_or_default();
            let counter = descriptor.counter.clone().unwrap_or_default();
            Counting {
                builtin: counter.builtin,
                multiplier: counter.multiplier.max(1),
                is_incremental: counter.is_incremental,
                last: 0.0,
            }
        });
        known.last = value.as_f64() * known.multiplier as f64;
        if known.is_incremental {
            let sum = self.sums.entry((uuid, generation)).or_default();
            *sum += known.last;
            known.last = *sum;
        }
        match value {
            Number::Int(value) if !known.is_incremental => {
                out.whole_counter(track, ts, value.saturating_mul(known.multiplier));
            }
            _ => out.counter(track, ts, known.last),
        }
    }

    /// Adds the arguments of a counter event to the value that it has just added.
    pub(super) fn counter_args(&mut self, at: &At<'s>, event: &Event<'s>, out: &mut TraceBuilder) {
        if event.value.is_some() && !event.others.is_empty() {
            let args = self.stored_args(at, event, out);
            out.describe_last_counter(args);
        }
    }

    /// Adds the extra counter values of an event.
    pub(super) fn extra_counters(
        &mut self,
        at: &mut At<'s>,
        event: &Event<'_>,
        state: State,
        out: &mut TraceBuilder,
    ) {
        if event.extra_values.is_empty() && event.extra_doubles.is_empty() {
            return;
        }
        let (mut tracks, mut doubles) = (
            event.extra_tracks.clone(),
            event.extra_double_tracks.clone(),
        );
        for field in self.defaults(state).into_iter().flatten() {
            match field.number {
                31 if event.extra_tracks.is_empty() => super::event::numbers(field, &mut tracks),
                45 if event.extra_double_tracks.is_empty() => {
                    super::event::numbers(field, &mut doubles);
                }
                _ => {}
            }
        }
        let values = [&event.extra_values, &event.extra_doubles].map(Vec::len);
        let without = [tracks.len(), doubles.len()].into_iter().zip(values);
        let without = without.map(|(tracks, values)| values.saturating_sub(tracks));
        self.skipped.without_track += without.sum::<usize>() as u64;
        let values = tracks.into_iter().zip(&event.extra_values);
        for (uuid, value) in values.chain(doubles.into_iter().zip(&event.extra_doubles)) {
            self.counter(at, uuid, Some(*value), out);
            let known = self.counters.get(&uuid);
            if let Some(known) = known.filter(|known| known.builtin == THREAD_TIME) {
                at.thread_ts = Some(known.last as i64);
            }
        }
    }
}
