//! Tracks.

use traceloom_trace::NO_NUMBER;

use super::column::Kind::{ArgSetId, JoinId, Long, String};
use super::column::{Cell, Column, Table, column, id, machine};
use super::words::{COUNTER_EVENTS, SLICE_EVENTS, STATE_EVENTS};

pub(crate) const TRACK: Table = Table {
    name: "track",
    doc: "Tracks, which hold slices or counter values.",
    rows: |data| data.trace.tracks.len(),
    columns: COLUMNS.split_at(11).0,
};

/// Only this table has the further columns. In `track`, their names would be ambiguous in queries that join other
/// tables.
pub(crate) const INTRINSIC_TRACK: Table = Table {
    name: "__intrinsic_track",
    doc: "`track` with what the tracks belong to.",
    rows: |data| data.trace.tracks.len(),
    columns: COLUMNS,
};

const COLUMNS: &[Column] = &[
    id("id", "The track."),
    column("name", String, "Its name.", |data, row| {
        Cell::text(data.tracks.names[row])
    }),
    column(
        "type",
        String,
        "What it holds, such as `thread_execution` or `cpu_frequency`.",
        |data, row| Cell::Text(data.tracks.types[row]),
    ),
    column(
        "dimension_arg_set_id",
        ArgSetId,
        "What tells it from other tracks of its type, such as `utid`, `upid`, `cpu`, `name`.",
        |data, row| data.dimensions_of(row),
    ),
    column(
        "parent_id",
        JoinId("track"),
        "The track under which the trace puts it.",
        |data, row| Cell::id(data.trace.tracks.declared_parent.get(row)),
    ),
    column(
        "source_arg_set_id",
        ArgSetId,
        "What else the trace says about it, such as a description.",
        |data, row| Cell::id(data.trace.tracks.arg_set_id.get(row)),
    ),
    machine(|data, row| data.machine(data.trace.tracks.source.get(row))),
    column(
        "track_group_id",
        Long,
        "The same for all lanes of slices that overlap.",
        |data, row| data.tracks.group(&data.trace, row),
    ),
    column(
        "event_type",
        String,
        "`slice`, `counter` or `state`.",
        |data, row| {
            let kind = data.trace.tracks.kind.get(row);
            data.word(match () {
                () if kind.is_counter() => COUNTER_EVENTS,
                () if kind.is_state() => STATE_EVENTS,
                () => SLICE_EVENTS,
            })
        },
    )
    .hidden(),
    column(
        "counter_unit",
        String,
        "The unit of a counter, if it is known.",
        |data, row| Cell::text(data.tracks.units[row]),
    )
    .hidden(),
    column(
        "source_id",
        JoinId("source"),
        "The input it came from.",
        |data, row| Cell::id(data.trace.tracks.source.get(row)),
    )
    .hidden(),
    column("utid", JoinId("thread"), "Its thread.", |data, row| {
        Cell::id(data.trace.tracks.utid.get(row))
    })
    .hidden(),
    column("upid", JoinId("process"), "Its process.", |data, row| {
        Cell::id(data.tracks.processes[row])
    })
    .hidden(),
    column("cpu", Long, "Its CPU.", |data, row| {
        Cell::unless(data.trace.tracks.cpu.get(row), NO_NUMBER)
    })
    .hidden(),
    column(
        "category",
        String,
        "The category of a counter.",
        |data, row| Cell::text(data.trace.tracks.category.get(row)),
    )
    .hidden(),
];
