//! Counter values that the events of slices hold, such as the voltage that a regulator reached.

use rustc_hash::{FxHashMap, FxHashSet};
use traceloom_trace::{RowId, StringId, Trace, TrackOwner};

/// The events of slices that also set a counter: the end of its name, and the value, unless it is a
/// field.
const COUNTING: &[(&str, &str, Option<f64>)] = &[
    ("regulator_enable_complete", " State", Some(1.0)),
    ("regulator_disable_complete", " State", Some(0.0)),
    ("regulator_set_voltage_complete", " Voltage", None),
    ("clk_enable", " State", Some(1.0)),
    ("clk_disable", " State", Some(0.0)),
    ("clk_set_rate", " Frequency", None),
];

/// The values of such counters, and which of them need no line of their own.
pub(super) struct Counted<'t> {
    /// Whether the trace has slices of such events.
    is_needed: bool,
    trace: &'t Trace,
    /// Rows and values, by time and name of the counter.
    values: FxHashMap<(i64, StringId), Vec<(u32, f64)>>,
    /// Rows that the events of slices hold.
    pub told: FxHashSet<u32>,
}

impl<'t> Counted<'t> {
    pub fn new(trace: &'t Trace) -> Self {
        let is_counting = |(event, ..): &(&str, &str, _)| {
            let track = event.strip_suffix("_complete").unwrap_or(event);
            let track = track.split('_').next().unwrap_or_default();
            trace
                .tracks
                .name
                .iter()
                .any(|name| trace.strings.get(name).starts_with(track))
        };
        let mut values: FxHashMap<_, Vec<_>> = FxHashMap::default();
        let is_needed = COUNTING.iter().any(is_counting);
        if is_needed {
            for (row, counter) in trace.counters.rows().enumerate() {
                let track = trace.tracks.row(counter.track_id.row());
                if track.kind.is_counter_of(TrackOwner::Machine) {
                    let of_moment = values.entry((counter.ts, track.name)).or_default();
                    of_moment.push((row as u32, counter.value));
                }
            }
        }
        let told = FxHashSet::default();
        Self {
            is_needed,
            trace,
            values,
            told,
        }
    }

    /// Whether no event can set a counter.
    pub fn is_empty(&self) -> bool {
        !self.is_needed
    }

    /// Claims the counter value of an event of a slice with this `name`. `false` if the event sets
    /// a counter that the trace does not have.
    pub fn claim(&mut self, event: &str, name: Option<String>, ts: i64) -> bool {
        let Some((_, ending, value)) = COUNTING.iter().find(|(known, ..)| *known == event) else {
            return true;
        };
        let counter = name.unwrap_or_default() + ending;
        let counter = self.trace.strings.lookup(&counter);
        let values = counter.and_then(|counter| self.values.get_mut(&(ts, counter)));
        let Some(values) = values else {
            return false;
        };
        let fits = |(_, found): &(u32, f64)| value.is_none_or(|value| value == *found);
        let Some(at) = values.iter().position(fits) else {
            return false;
        };
        self.told.insert(values.remove(at).0);
        true
    }
}
