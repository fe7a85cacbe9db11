//! Where the trace comes from, what is known about it, and what was repaired.

use traceloom_trace::Severity;

use super::column::Kind::{JoinId, Long, String, Timestamp};
use super::column::{Cell, Table, absent, column, id, machine};
use super::data::{ANALYSIS, DATA_LOSS, Data, ERROR, INFO, SINGLE};

pub(crate) const METADATA: Table = Table {
    name: "metadata",
    doc: "Facts about the trace: device, tracer, clocks.",
    rows: |data| data.trace.metadata.len(),
    columns: &[
        id("id", "The fact."),
        column("name", String, "What it is about.", |data, row| {
            Cell::text(data.trace.metadata.key.get(row))
        }),
        column("key_type", String, "Always `single`.", |data, _| {
            data.word(SINGLE)
        }),
        absent("int_value", Long),
        column("str_value", String, "What it is.", |data, row| {
            Cell::Text(data.trace.metadata.value.get(row))
        }),
        machine(),
        absent("trace_id", Long),
        column(
            "source_id",
            JoinId("source"),
            "The input it came from.",
            |data, row| Cell::id(data.trace.metadata.source.get(row)),
        )
        .hidden(),
    ],
};

pub(crate) const STATS: Table = Table {
    name: "stats",
    doc: "How often each kind of repair happened, in PerfettoSQL's columns; `repair` says more.",
    rows: |data| data.repairs.len(),
    columns: &[
        id("id", "The row."),
        column("name", String, "The kind of repair.", kind),
        absent("key", Long),
        absent("idx", Long),
        column(
            "severity",
            String,
            "`info` if no number changed, `error` otherwise, `data_loss` if something is missing.",
            stat_severity,
        ),
        column("source", String, "Always `analysis`.", |data, _| {
            data.word(ANALYSIS)
        }),
        column("value", Long, "How often.", count),
        column("description", String, "What it means.", explanation),
        machine(),
        absent("trace_id", Long),
    ],
};

pub(crate) const REPAIR: Table = Table {
    name: "repair",
    doc: "Faults of the input, and how they were repaired. Not in PerfettoSQL.",
    rows: |data| data.repairs.len(),
    columns: &[
        id("id", "The row."),
        column("kind", String, "The kind of repair.", kind),
        column(
            "severity",
            String,
            "`note` if no number changed, `mended`, or `loss` if something is missing.",
            |data, row| Cell::Text(data.repairs[row].severity),
        ),
        column("count", Long, "How often.", count),
        column("explanation", String, "What it means.", explanation),
        column("place", String, "Where it happened first.", |data, row| {
            Cell::Text(data.repairs[row].place)
        }),
        column(
            "detail",
            String,
            "What stood there the first time.",
            |data, row| Cell::text_unless_empty(data.repairs[row].detail),
        ),
        column(
            "source_id",
            JoinId("source"),
            "The input it happened in.",
            |data, row| Cell::id(data.trace.repairs.rows()[row].source),
        ),
    ],
};

fn stat_severity(data: &Data, row: usize) -> Cell {
    data.word(match data.trace.repairs.rows()[row].kind.severity() {
        Severity::Note => INFO,
        Severity::Mended => ERROR,
        Severity::Loss => DATA_LOSS,
    })
}

fn kind(data: &Data, row: usize) -> Cell {
    Cell::Text(data.repairs[row].kind)
}

fn count(data: &Data, row: usize) -> Cell {
    Cell::Int(data.trace.repairs.rows()[row].count as i64)
}

fn explanation(data: &Data, row: usize) -> Cell {
    Cell::Text(data.repairs[row].explanation)
}

pub(crate) const SOURCE: Table = Table {
    name: "source",
    doc: "The input files, and the blocks inside them. Not in PerfettoSQL.",
    rows: |data| data.trace.sources.len(),
    columns: &[
        id("id", "The input."),
        column("name", String, "The file's name.", |data, row| {
            Cell::text(data.trace.sources.name.get(row))
        }),
        column(
            "format",
            String,
            "The format it was read as.",
            |data, row| Cell::text(data.trace.sources.format.get(row)),
        ),
        column(
            "bytes",
            Long,
            "Bytes read, after decompression.",
            |data, row| Cell::Int(data.trace.sources.bytes.get(row) as i64),
        ),
    ],
};

pub(crate) const CLOCK_SNAPSHOT: Table = Table {
    name: "clock_snapshot",
    doc: "What other clocks showed at times of the trace's own.",
    rows: |data| data.clocks.len(),
    columns: &[
        id("id", "The row."),
        column(
            "ts",
            Timestamp,
            "When, on the trace's clock.",
            |data, row| Cell::Int(data.trace.clocks[row].ts),
        ),
        absent("clock_id", Long),
        column("clock_name", String, "Which clock.", |data, row| {
            Cell::Text(data.clocks[row].clock)
        }),
        column("clock_value", Long, "What it showed, ns.", |data, row| {
            Cell::Int(data.trace.clocks[row].value_ns)
        }),
        id(
            "snapshot_id",
            "The same as `id`: each reading is a snapshot of its own.",
        ),
        machine(),
        column(
            "precision_ns",
            Long,
            "How far the value may be off, ns.",
            |data, row| Cell::Int(data.trace.clocks[row].precision_ns),
        )
        .hidden(),
        column("marker", String, "The marker's name.", |data, row| {
            Cell::text_unless_empty(data.clocks[row].marker)
        })
        .hidden(),
        column(
            "source_id",
            JoinId("source"),
            "The input it came from.",
            |data, row| Cell::id(data.trace.clocks[row].source),
        )
        .hidden(),
    ],
};

pub(crate) const TRACE_BOUNDS: Table = Table {
    name: "trace_bounds",
    doc: "The times of the first and the last event.",
    rows: |_| 1,
    columns: &[
        column("start_ts", Timestamp, "The first event.", |data, _| {
            Cell::Int(data.trace.bounds.0)
        }),
        column("end_ts", Timestamp, "The last event.", |data, _| {
            Cell::Int(data.trace.bounds.1)
        }),
    ],
};
