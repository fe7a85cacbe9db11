//! Counter values, kernel events, and arguments.

use traceloom_trace::StringId;

use super::column::Kind::{ArgSetId, Double, JoinId, Long, String, Timestamp};
use super::column::{Cell, Table, absent, column, id};
use super::data::{Data, INT, POINTER, REAL, STRING};
use super::sched::cpu;
use super::track_type::DimensionRow;

pub(crate) const COUNTER: Table = Table {
    name: "counter",
    doc: "Values of counters: each holds until the next one of its track.",
    rows: |data| data.trace.counters.len(),
    columns: &[
        id("id", "The value's row."),
        column("ts", Timestamp, "When it was taken.", |data, row| {
            Cell::Int(data.trace.counters.ts.get(row))
        })
        .sorted(),
        column(
            "track_id",
            JoinId("counter_track"),
            "The counter's track.",
            |data, row| Cell::id(data.trace.counters.track_id.get(row)),
        ),
        column(
            "value",
            Double,
            "The value, in the counter's own unit.",
            |data, row| Cell::Float(data.trace.counters.value.get(row)),
        ),
        absent("arg_set_id", ArgSetId),
    ],
};

pub(crate) const FTRACE_EVENT: Table = Table {
    name: "ftrace_event",
    doc: "Kernel events that have no table of their own.",
    rows: |data| data.trace.ftrace_events.len(),
    columns: &[
        id("id", "The event."),
        column("ts", Timestamp, "When.", |data, row| {
            Cell::Int(data.trace.ftrace_events.ts.get(row))
        })
        .sorted(),
        column(
            "name",
            String,
            "The event's name, such as `ext4_da_write_begin`.",
            |data, row| Cell::text(data.trace.ftrace_events.name.get(row)),
        ),
        column("cpu", Long, "The CPU it happened on.", |data, row| {
            cpu(data.trace.ftrace_events.cpu.get(row))
        }),
        column(
            "utid",
            JoinId("thread"),
            "The thread it happened in.",
            |data, row| Cell::id(data.trace.ftrace_events.utid.get(row)),
        ),
        column("arg_set_id", ArgSetId, "Its fields.", |data, row| {
            Cell::id(data.trace.ftrace_events.arg_set_id.get(row))
        }),
        absent("common_flags", Long),
        column(
            "ucpu",
            JoinId("cpu"),
            "The CPU, as a row of `cpu`.",
            |data, row| data.ucpu(data.trace.ftrace_events.cpu.get(row)),
        ),
    ],
};

pub(crate) const ARGS: Table = Table {
    name: "__intrinsic_args",
    doc: "What `args` shows.",
    rows: |data| data.trace.args.len() + data.tracks.dimensions.len(),
    columns: &[
        id("id", "The argument."),
        column("arg_set_id", ArgSetId, "The set it is in.", |data, row| {
            if let Some(dimension) = data.dimension(row) {
                return data.dimensions_of(dimension.track);
            }
            let (ends, ..) = data.trace.args.columns();
            Cell::Int(set_of(row, ends.len(), |set| ends.get(set) as usize) as i64)
        })
        .sorted(),
        column("flat_key", String, "The key without indexes.", key),
        column("key", String, "The key.", key),
        column(
            "int_value",
            Long,
            "The value, if it is a whole number.",
            |data, row| match data.arg(row) {
                (INT | POINTER, bits) => Cell::Int(bits as i64),
                _ => Cell::Null,
            },
        ),
        column(
            "string_value",
            String,
            "The value, if it is text.",
            |data, row| match data.arg(row) {
                (STRING, bits) => Cell::text(StringId(bits as u32)),
                _ => Cell::Null,
            },
        ),
        column(
            "real_value",
            Double,
            "The value, if it has a fraction.",
            |data, row| match data.arg(row) {
                (REAL, bits) => Cell::Float(f64::from_bits(bits)),
                _ => Cell::Null,
            },
        ),
        column(
            "value_type",
            String,
            "`int`, `real`, `string`, or `pointer` for a number written in hexadecimal.",
            |data, row| data.word(data.arg(row).0),
        ),
    ],
};

fn key(data: &Data, row: usize) -> Cell {
    if let Some(dimension) = data.dimension(row) {
        return Cell::Text(dimension.key);
    }
    Cell::text(data.trace.args.columns().1.get(row))
}

/// The first set that ends after `row`.
fn set_of(row: usize, sets: usize, end: impl Fn(usize) -> usize) -> usize {
    let (mut low, mut high) = (0, sets);
    while low < high {
        let middle = low.midpoint(high);
        if end(middle) <= row {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

impl Data {
    /// The set of a track's dimensions, whose rows follow those of the trace's arguments.
    pub(super) fn dimensions_of(&self, track: usize) -> Cell {
        let before = self.trace.args.len().max(self.trace.args.sets());
        let first = self.tracks.first_dimension(track);
        first.map_or(Cell::Null, |first| Cell::Int((before + first) as i64))
    }

    /// The dimension in a row of `args`; `None` for an argument of the trace.
    fn dimension(&self, row: usize) -> Option<&DimensionRow> {
        let row = row.checked_sub(self.trace.args.len())?;
        self.tracks.dimensions.get(row)
    }

    /// The value of a dimension in a set that [`dimensions_of`](Self::dimensions_of) returned.
    pub fn dimension_value(&self, set: usize, key: &str) -> Option<Cell> {
        let before = self.trace.args.len().max(self.trace.args.sets());
        let first = set.checked_sub(before)?;
        let track = self.tracks.dimensions.get(first)?.track;
        let rows = &self.tracks.dimensions[first..];
        let mut rows = rows.iter().take_while(|row| row.track == track);
        rows.find(|row| self.get(row.key) == key)
            .map(|row| row.value)
    }

    /// The type of an argument's value, as a place of the words, and the value's bits.
    fn arg(&self, row: usize) -> (usize, u64) {
        match self.dimension(row).map(|dimension| dimension.value) {
            Some(Cell::Int(value)) => return (INT, value as u64),
            Some(Cell::Text(text)) => return (STRING, text.0.into()),
            Some(_) => return (INT, 0),
            None => {}
        }
        /// The kinds of [`traceloom_trace::ArgTable::columns`] in their order.
        const KINDS: [usize; 4] = [INT, POINTER, REAL, STRING];
        let (_, _, kinds, values) = self.trace.args.columns();
        let kind = KINDS.get(usize::from(kinds.get(row))).copied();
        (kind.unwrap_or(STRING), values.get(row))
    }
}
