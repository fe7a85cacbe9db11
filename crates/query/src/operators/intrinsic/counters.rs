//! `__intrinsic_counter_intervals('leading', end, values)`: the intervals in which counters keep their values.
//!
//! Of consecutive equal values, the first two and the last one are kept, as in Perfetto:
//!
//! ```text
//! values     1 5 5 5 5 2       kept    1 5 5 . 5 2
//! ```
//!
//! At the end of a track, the last one is not kept.

use rusqlite::types::ValueRef;
use rustc_hash::FxHashMap;

use super::table::Table;
use crate::operators::failure::Failure;
use crate::operators::meter::Meter;
use crate::operators::operator::Cells;
use crate::operators::rows::{Cell, Rows, integer, real};

const COLUMNS: &[&str] = &[
    "id",
    "ts",
    "dur",
    "track_id",
    "value",
    "next_value",
    "delta_value",
];

/// A value of a counter.
#[derive(Clone, Copy)]
struct Value {
    id: i64,
    ts: i64,
    value: f64,
}

/// A track.
#[derive(Default)]
struct Track {
    id: i64,
    kept: Vec<Value>,
    /// The last value that was left out after the last one that was kept.
    left_out: Option<Value>,
}

impl Track {
    fn add(&mut self, value: Value) {
        let is_same = |before: &Value| before.value == value.value;
        if let [.., first, second] = self.kept.as_slice()
            && is_same(first)
            && is_same(second)
        {
            self.left_out = Some(value);
            return;
        }
        let is_repeated = self.kept.last().is_some_and(is_same);
        if !is_repeated {
            self.kept.extend(self.left_out.take());
        }
        self.kept.push(value);
    }
}

pub(super) fn intervals(arguments: &[ValueRef<'_>], meter: &mut Meter) -> Result<Table, Failure> {
    match arguments.first() {
        Some(ValueRef::Text(text)) if text.eq_ignore_ascii_case(b"leading") => {}
        _ => return Err(Failure::refused("only 'leading' intervals can be made")),
    }
    let end = match arguments.get(1) {
        Some(ValueRef::Integer(end)) => *end,
        _ => return Err(Failure::refused("the end must be a whole number")),
    };
    let tracks = tracks(arguments.get(2), meter)?;
    let mut cells = Cells::new();
    for track in &tracks {
        for at in 0..track.kept.len() {
            meter.grow(COLUMNS.len() * size_of::<Cell>())?;
            cells.extend(row(track, at, end));
        }
    }
    Ok(Table::new(COLUMNS, cells))
}

/// The tracks of a table with `id`, `ts`, `track_id` and `value`, sorted by `ts`.
fn tracks(table: Option<&ValueRef<'_>>, meter: &mut Meter) -> Result<Vec<Track>, Failure> {
    let mut rows = Rows::of(table.copied().unwrap_or(ValueRef::Null))?;
    let mut numbers: FxHashMap<i64, usize> = FxHashMap::default();
    let mut tracks: Vec<Track> = Vec::new();
    let mut row = Vec::new();
    while rows.next_row(&mut row)? {
        let [id, ts, track, value] = row[..] else {
            return Err(Failure::refused("a counter has 4 columns here"));
        };
        let [id, ts, track] = [id, ts, track].map(|cell| integer(cell).unwrap_or(0));
        meter.grow(size_of::<Value>() + size_of::<Track>())?;
        let number = *numbers.entry(track).or_insert(tracks.len());
        if number == tracks.len() {
            tracks.push(Track {
                id: track,
                ..Track::default()
            });
        }
        if let Some(track) = tracks.get_mut(number) {
            let value = real(value);
            track.add(Value { id, ts, value });
        }
    }
    Ok(tracks)
}

/// The row of a value.
fn row(track: &Track, at: usize, end: i64) -> [Cell; 7] {
    let kept = |at: usize| track.kept.get(at).copied();
    let none = Value {
        id: 0,
        ts: 0,
        value: 0.0,
    };
    let own = kept(at).unwrap_or(none);
    let next = kept(at + 1);
    let before = at.checked_sub(1).and_then(kept);
    let until = next.map_or(end, |next| next.ts);
    [
        Cell::Integer(own.id),
        Cell::Integer(own.ts),
        Cell::Integer(until.saturating_sub(own.ts)),
        Cell::Integer(track.id),
        Cell::Real(own.value),
        next.map_or(Cell::Null, |next| Cell::Real(next.value)),
        before.map_or(Cell::Null, |before| Cell::Real(own.value - before.value)),
    ]
}
