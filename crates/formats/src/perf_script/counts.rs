//! Events. Each has a session, and a counter on each CPU.

use rustc_hash::FxHashMap;
use traceloom_trace::{StringId, TraceBuilder, TrackId};

use super::line::Head;
use crate::profile::{Counter, NONE, Samples};

/// The memory for an event, or for its counter on a CPU, bytes.
pub(super) const OF_EVENT: usize = 400;

/// The events so far.
#[derive(Default)]
pub(super) struct Counts {
    sessions: FxHashMap<StringId, u32>,
    /// The counter of each event on each CPU, and the sum of its periods.
    sums: FxHashMap<(u32, Option<u32>), (TrackId, u64)>,
}

impl Counts {
    /// The number of rows of [`OF_EVENT`] bytes.
    pub fn len(&self) -> usize {
        self.sessions.len() + self.sums.len()
    }

    /// The session of an event.
    pub fn session(&mut self, event: StringId, source: StringId, samples: &mut Samples) -> u32 {
        let known = self.sessions.entry(event);
        *known.or_insert_with(|| {
            let session = samples.session(source);
            samples.set_event(session, event);
            session
        })
    }

    /// Adds the period of a sample to the count of its event. Returns the sample's set of values, or [`NONE`] without a
    /// period.
    pub fn add(
        &mut self,
        (head, ts_ns): (&Head<'_>, i64),
        (event, session): (StringId, u32),
        samples: &mut Samples,
        out: &mut TraceBuilder,
    ) -> u32 {
        let Some(period) = head.period else {
            return NONE;
        };
        let (track, sum) = self.sums.entry((session, head.cpu)).or_insert_with(|| {
            let counter = Counter {
                track: TrackId::default(),
                session,
                cpu: head.cpu,
                is_timebase: true,
                unit: StringId::NULL,
                description: StringId::NULL,
            };
            (samples.counter(counter, event, out), 0)
        });
        *sum = sum.saturating_add(period);
        samples.value(ts_ns, NONE, (*track, *sum), out)
    }
}
