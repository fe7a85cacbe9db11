//! Sessions and counters: each event has a session, and a counter on each CPU.

use rustc_hash::FxHashMap;
use traceloom_trace::{StringId, TraceBuilder, TrackId};

use super::events::Events;
use super::sample::Sample;
use crate::profile::{Counter, MOST_FOLLOWERS, NONE, Samples};

/// The sessions and counters of all events.
#[derive(Debug, Default)]
pub(super) struct Counters {
    sessions: Vec<u32>,
    names: Vec<StringId>,
    /// The track of an event on a CPU, and the count so far.
    tracks: FxHashMap<(u32, Option<u32>), (TrackId, u64)>,
    /// The number of values that belong to no event, or exceed the limit for one sample.
    pub dropped: u64,
}

impl Counters {
    /// Creates a session for each event.
    pub fn new(
        events: &Events<'_>,
        command: &str,
        samples: &mut Samples,
        out: &mut TraceBuilder,
    ) -> Self {
        let source = out.intern(b"linux.perf");
        let command = out.intern_unless_empty(command.as_bytes());
        let mut counters = Self::default();
        for event in &events.list {
            let session = samples.session(source);
            let unit = out.intern_unless_empty(event.unit().as_bytes());
            samples.set_unit(session, unit);
            samples.set_command(session, command);
            counters.sessions.push(session);
            let name = out.intern(event.name().as_bytes());
            samples.set_event(session, name);
            counters.names.push(name);
        }
        counters
    }

    /// The session of an event.
    pub fn session(&self, event: u32) -> u32 {
        self.sessions.get(event as usize).copied().unwrap_or(NONE)
    }

    /// Adds the counter values of a sample: the values that the kernel read, otherwise the period added to the count so
    /// far. Returns the set of values.
    pub fn values(
        &mut self,
        ts: i64,
        event: u32,
        sample: &Sample<'_>,
        events: &Events<'_>,
        samples: &mut Samples,
        out: &mut TraceBuilder,
    ) -> u32 {
        let mut set = NONE;
        if sample.values.is_empty() {
            let fixed = events
                .list
                .get(event as usize)
                .and_then(|event| event.attr.fixed_period());
            if let Some(period) = sample.period.or(fixed) {
                let (track, count) = self.track(event, sample.cpu, events, samples, out);
                *count = count.saturating_add(period);
                set = samples.value(ts, set, (track, *count), out);
            }
            return set;
        }
        for (nth, value) in sample.values.iter().enumerate() {
            let event = events.with_id(value.id);
            if let Some(event) = event.filter(|_| nth <= MOST_FOLLOWERS) {
                let (track, count) = self.track(event as u32, sample.cpu, events, samples, out);
                *count = value.value;
                set = samples.value(ts, set, (track, *count), out);
            } else {
                self.dropped += 1;
            }
        }
        set
    }

    fn track(
        &mut self,
        event: u32,
        cpu: Option<u32>,
        events: &Events<'_>,
        samples: &mut Samples,
        out: &mut TraceBuilder,
    ) -> (TrackId, &mut u64) {
        let session = self.session(event);
        let name = self.names.get(event as usize).copied();
        let attr = events.list.get(event as usize).map(|event| event.attr);
        let known = self.tracks.entry((event, cpu)).or_insert_with(|| {
            let counter = Counter {
                track: TrackId::default(),
                session,
                cpu,
                is_timebase: attr.is_some_and(|attr| attr.is_timebase()),
                unit: StringId::NULL,
                description: StringId::NULL,
            };
            let name = name.unwrap_or(StringId::NULL);
            (samples.counter(counter, name, out), 0)
        });
        (known.0, &mut known.1)
    }
}
