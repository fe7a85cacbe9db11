//! Counters that an event of a slice also sets. For example, the end of a regulator's change sets the regulator's
//! voltage. Such a value needs no line of its own.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};
use traceloom_trace::{RowId, StringId, Trace, TrackOwner};

/// The events of slices that also set a counter: the end of the counter's name, and the value that
/// the event always sets. Without a value, the event has it as a field.
const COUNTING: &[(&str, &str, Option<f64>)] = &[
    ("regulator_enable_complete", STATE, Some(1.0)),
    ("regulator_disable_complete", STATE, Some(0.0)),
    ("regulator_set_voltage_complete", " Voltage", None),
    ("clk_enable", STATE, Some(1.0)),
    ("clk_disable", STATE, Some(0.0)),
    ("clk_set_rate", " Frequency", None),
];

/// The end of the names of counters that are on or off. Only their events always set the same value.
const STATE: &str = " State";

/// A time, the name of a counter, and the bits of its value if the counter is on or off.
type Key = (i64, StringId, Option<u64>);

/// The values of such counters, and which of them need no line of their own.
pub(super) struct Counted<'t> {
    /// Whether the trace can have slices of such events.
    is_needed: bool,
    trace: &'t Trace,
    /// Rows of counters that no event has claimed yet, in order.
    unclaimed: FxHashMap<Key, VecDeque<u32>>,
    /// Rows that an event of a slice sets.
    pub claimed: FxHashSet<u32>,
}

impl<'t> Counted<'t> {
    pub fn new(trace: &'t Trace) -> Self {
        let mut unclaimed: FxHashMap<_, VecDeque<_>> = FxHashMap::default();
        let is_needed = has_counting_slices(trace);
        if is_needed {
            for (row, counter) in trace.counters.rows().enumerate() {
                let track = trace.tracks.row(counter.track_id.row());
                if track.kind.is_counter_of(TrackOwner::Machine) {
                    let is_state = trace.strings.get(track.name).ends_with(STATE);
                    let value = is_state.then(|| counter.value.to_bits());
                    let of_moment = unclaimed.entry((counter.ts, track.name, value));
                    of_moment.or_default().push_back(row as u32);
                }
            }
        }
        Self {
            is_needed,
            trace,
            unclaimed,
            claimed: FxHashSet::default(),
        }
    }

    /// Whether no event can set a counter.
    pub fn is_empty(&self) -> bool {
        !self.is_needed
    }

    /// Claims the counter value of an event of a slice with this `name`. `false` if the event sets
    /// a counter value that the trace does not have.
    pub fn claim(&mut self, event: &str, name: Option<String>, ts: i64) -> bool {
        let Some((_, ending, value)) = COUNTING.iter().find(|(known, ..)| *known == event) else {
            return true;
        };
        let counter = name.unwrap_or_default() + ending;
        let counter = self.trace.strings.lookup(&counter);
        let key = counter.map(|counter| (ts, counter, value.map(f64::to_bits)));
        let rows = key.and_then(|key| self.unclaimed.get_mut(&key));
        let row = rows.and_then(VecDeque::pop_front);
        self.claimed.extend(row);
        row.is_some()
    }
}

/// Whether a track has the name of a kind of such events.
fn has_counting_slices(trace: &Trace) -> bool {
    COUNTING.iter().any(|(event, ..)| {
        let kind = event.split('_').next().unwrap_or_default();
        let mut names = trace.tracks.name.iter();
        names.any(|name| trace.strings.get(name).starts_with(kind))
    })
}
