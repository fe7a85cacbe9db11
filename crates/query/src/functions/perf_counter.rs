//! The counters of perf samples.

use std::sync::Arc;

use rusqlite::Connection;
use rusqlite::types::ValueRef;
use traceloom_trace::{RowId, TrackId};

use super::flags::PURE;
use super::stacks::row_of;
use crate::schema::{Data, RecordColumn};

/// `__intrinsic_perf_counter_for_sample(sample, counter)`: the value of a counter in a sample; NULL if the sample has
/// no such value.
pub(super) fn register(connection: &Connection, data: &Arc<Data>) -> rusqlite::Result<()> {
    let Some(tables) = Tables::find() else {
        return Ok(());
    };
    let data = data.clone();
    let name = "__intrinsic_perf_counter_for_sample";
    connection.create_scalar_function(name, 2, PURE, move |context| {
        let value = row_of(context, "sample", |id| {
            let name = match context.get_raw(1) {
                ValueRef::Text(name) => std::str::from_utf8(name).unwrap_or_default(),
                _ => "",
            };
            tables.time.int(&data, id)?;
            Some(tables.value(&data, id, name))
        })?;
        Ok(value.flatten())
    })
}

#[derive(Clone, Copy)]
struct Tables {
    time: RecordColumn,
    sets: RecordColumn,
    set: RecordColumn,
    track: RecordColumn,
}

impl Tables {
    fn find() -> Option<Self> {
        let of_value = |column| RecordColumn::find("_profiler_counter_value", column);
        let of_sample = |column| RecordColumn::find("__intrinsic_profiler_sample", column);
        Some(Self {
            time: of_sample("ts")?,
            sets: of_sample("counter_set_id")?,
            set: of_value("counter_set_id")?,
            track: of_value("track_id")?,
        })
    }

    /// The value of the counter with this name.
    fn value(&self, data: &Data, sample: i64, name: &str) -> Option<f64> {
        let set = self.sets.int(data, sample)?;
        let rows = (set..).take_while(|row| self.set.int(data, *row) == Some(set));
        let tracks = rows.filter_map(|row| self.track.int(data, row));
        let mut tracks = tracks.filter_map(|track| usize::try_from(track).ok());
        let names = &data.trace.tracks.name;
        let track =
            tracks.find(|track| *track < names.len() && data.get(names.get(*track)) == name)?;
        value_at(data, TrackId::from_row(track), self.time.int(data, sample)?)
    }
}

/// The value of a track at a time.
fn value_at(data: &Data, track: TrackId, ts: i64) -> Option<f64> {
    let counters = &data.trace.counters;
    let (mut low, mut high) = (0, counters.len());
    while low < high {
        let middle = low.midpoint(high);
        if counters.ts.get(middle) < ts {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    let same = (low..counters.len()).take_while(|row| counters.ts.get(*row) == ts);
    let row = same
        .into_iter()
        .find(|row| counters.track_id.get(*row) == track)?;
    Some(counters.value.get(row))
}
