//! Counter values, kernel events, and arguments.

use traceloom_trace::{ArgValue, RowId, StringId};

use super::column::Kind::{ArgSetId, Double, JoinId, Long, String, Timestamp};
use super::column::{Cell, Table, absent, column, id};
use super::data::Data;
use super::sched::cpu;
use super::track_type::DimensionRow;
use super::words::{BOOL, INT, JSON, NULL, POINTER, REAL, STRING, UINT};

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
        column("arg_set_id", ArgSetId, "Its arguments.", |data, row| {
            Cell::id(data.trace.counters.arg_set_id.get(row))
        }),
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
        column(
            "arg_set_id",
            ArgSetId,
            "The set it is in.",
            |data, row| match data.dimension(row) {
                Some(dimension) => data.dimensions_of(dimension.track),
                None => Cell::id(data.set_of(row)),
            },
        )
        .sorted(),
        column(
            "flat_key",
            String,
            "The key without indexes.",
            |data, row| {
                let key = data.arg_key(row);
                Cell::text(data.flat_keys.get(&key).copied().unwrap_or(key))
            },
        ),
        column("key", String, "The key.", key),
        column(
            "int_value",
            Long,
            "The value, if it is a whole number or true (1) or false (0).",
            |data, row| match data.arg(row) {
                ArgValue::Int(value) => Cell::Int(value),
                ArgValue::Hex(value) | ArgValue::Unsigned(value) => Cell::Int(value as i64),
                ArgValue::Bool(value) => Cell::Int(value.into()),
                ArgValue::Row(_, row) => Cell::Int(row.into()),
                _ => Cell::Null,
            },
        ),
        column(
            "string_value",
            String,
            "The value, if it is text or JSON.",
            |data, row| match data.arg(row) {
                ArgValue::Text(id) | ArgValue::Json(id) => Cell::text(id),
                _ => Cell::Null,
            },
        ),
        column(
            "real_value",
            Double,
            "The value, if it has a fraction.",
            |data, row| match data.arg(row) {
                ArgValue::Float(value) => Cell::Float(value),
                _ => Cell::Null,
            },
        ),
        column(
            "value_type",
            String,
            "`int`, `uint`, `real`, `string`, `bool`, `null`, `json`, or `pointer` for a number written in hexadecimal.",
            |data, row| {
                data.word(match data.arg(row) {
                    ArgValue::Int(_) => INT,
                    ArgValue::Hex(_) => POINTER,
                    ArgValue::Float(_) => REAL,
                    ArgValue::Text(_) => STRING,
                    ArgValue::Unsigned(_) => UINT,
                    ArgValue::Bool(_) => BOOL,
                    ArgValue::Null => NULL,
                    ArgValue::Row(..) => INT,
                    ArgValue::Json(_) => JSON,
                })
            },
        ),
    ],
};

fn key(data: &Data, row: usize) -> Cell {
    Cell::text(data.arg_key(row))
}

/// How far back the beginning of a set is searched, in rows. Longer sets are rare.
const NEAR: usize = 64;

impl Data {
    /// The set of a track's dimensions, whose rows follow those of the trace's arguments.
    pub(super) fn dimensions_of(&self, track: usize) -> Cell {
        let first = self.tracks.first_dimension(track);
        let set = first.map(|first| self.trace.args.len() + first);
        set.map_or(Cell::Null, |set| Cell::Int(set as i64))
    }

    /// The dimension in a row of `args`; `None` for an argument of the trace.
    fn dimension(&self, row: usize) -> Option<&DimensionRow> {
        let row = row.checked_sub(self.trace.args.len())?;
        self.tracks.dimensions.get(row)
    }

    /// The value of a dimension in a set that [`dimensions_of`](Self::dimensions_of) returned.
    pub fn dimension_value(&self, set: usize, key: &str) -> Option<Cell> {
        let first = set.checked_sub(self.trace.args.len())?;
        let track = self.tracks.dimensions.get(first)?.track;
        let rows = &self.tracks.dimensions[first..];
        let mut rows = rows.iter().take_while(|row| row.track == track);
        rows.find(|row| self.get(row.key) == key)
            .map(|row| row.value)
    }

    /// Whether a set begins with a row of `args`; its number is that of the row.
    pub fn is_set(&self, row: usize) -> bool {
        let args = &self.trace.args;
        let Some(first) = row.checked_sub(args.len()) else {
            return args.set_near(row, 0).is_some();
        };
        let track = |at: usize| self.tracks.dimensions.get(at).map(|row| row.track);
        let before = first.checked_sub(1).and_then(track);
        track(first).is_some_and(|own| before != Some(own))
    }

    /// The key in a row of `args`.
    fn arg_key(&self, row: usize) -> StringId {
        let dimension = self.dimension(row).map(|dimension| dimension.key);
        dimension.unwrap_or_else(|| self.trace.args.columns().0.get(row))
    }

    /// The value in a row of `args`.
    fn arg(&self, row: usize) -> ArgValue {
        match self.dimension(row).map(|dimension| dimension.value) {
            None => self.trace.args.arg(row).1,
            Some(Cell::Int(value)) => ArgValue::Int(value),
            Some(Cell::Float(value)) => ArgValue::Float(value),
            Some(Cell::Text(text)) => ArgValue::Text(text),
            Some(Cell::Null) => ArgValue::Null,
        }
    }

    /// The set that an argument is in.
    fn set_of(&self, row: usize) -> traceloom_trace::ArgSetId {
        let args = &self.trace.args;
        let search = || {
            let sets = self.arg_sets.get_or_init(|| args.sets().collect());
            let after = sets.partition_point(|set| set.row() <= row);
            sets[..after].last().copied().unwrap_or_default()
        };
        args.set_near(row, NEAR).unwrap_or_else(search)
    }
}
