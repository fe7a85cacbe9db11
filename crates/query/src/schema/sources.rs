//! The sources of the trace, facts about it, and its repairs.

use traceloom_trace::{FIGURES_TABLE, FILES_TABLE, Severity};

use super::column::Kind::{Bool, JoinId, Long, String, Timestamp};
use super::column::{Cell, Table, absent, column, id, machine};
use super::data::Data;
use super::facts::FactValue;
use super::figures::Figure;
use super::words::{ANALYSIS, DATA_LOSS, ERROR, INFO, MULTI, SINGLE};

pub(crate) const METADATA: Table = Table {
    name: "metadata",
    doc: "Facts about the trace: device, tracer, clocks.",
    rows: |data| data.facts.len(),
    columns: &[
        id("id", "The fact."),
        column("name", String, "What it is about.", |data, row| {
            Cell::text(data.facts[row].name)
        }),
        column(
            "key_type",
            String,
            "`multi` if a trace can have several such facts, else `single`.",
            |data, row| match data.get(data.facts[row].name) {
                "all_data_source_flushed_ns" | "slow_start_data_source" => data.word(MULTI),
                _ => data.word(SINGLE),
            },
        ),
        column(
            "int_value",
            Long,
            "What it is, if that is a number.",
            |data, row| match data.facts[row].value {
                FactValue::Number(value) => Cell::Int(value),
                FactValue::Text(_) => Cell::Null,
            },
        ),
        column(
            "str_value",
            String,
            "What it is, if that is a text.",
            |data, row| match data.facts[row].value {
                FactValue::Text(id) => Cell::Text(id),
                FactValue::Number(_) => Cell::Null,
            },
        ),
        column(
            "machine_id",
            Long,
            "The machine that it is about; NULL if it is about the trace.",
            |data, row| data.facts[row].machine.map_or(Cell::Null, Cell::Int),
        ),
        column(
            "trace_id",
            Long,
            "The trace that it is about; NULL if it is about a machine.",
            |data, row| data.facts[row].trace.map_or(Cell::Null, Cell::Int),
        ),
        column(
            "source_id",
            JoinId("source"),
            "The input it came from.",
            |data, row| Cell::id(data.facts[row].source),
        )
        .hidden(),
    ],
};

pub(crate) const STATS: Table = Table {
    name: FIGURES_TABLE,
    doc: "Repairs by kind, in PerfettoSQL's columns (`repair` says more). Also figures of Perfetto's recorder about its \
          buffers, and counts that traceloom's readers make under Perfetto's names.",
    rows: |data| data.repairs.len() + data.figures.len(),
    columns: &[
        id("id", "The row."),
        column(
            "name",
            String,
            "The kind of repair, or the figure.",
            stat_name,
        ),
        absent("key", Long),
        column(
            "idx",
            Long,
            "The CPU or the buffer that the figure is about.",
            |data, row| match figure(data, row) {
                Some(Figure {
                    index: Some(index), ..
                }) => Cell::Int(*index),
                _ => Cell::Null,
            },
        ),
        column(
            "severity",
            String,
            "`info` if no number changed, `error` otherwise, `data_loss` if something is missing. Errors of the recorder's \
             setup are a `notice`.",
            stat_severity,
        ),
        column(
            "source",
            String,
            "`trace` for the recorder's figures, `analysis` for repairs.",
            |data, row| data.word(figure(data, row).map_or(ANALYSIS, |figure| figure.words[1])),
        ),
        column("value", Long, "How often.", |data, row| {
            figure(data, row).map_or_else(|| count(data, row), |figure| Cell::Int(figure.value))
        }),
        column("description", String, "What it means.", |data, row| {
            figure(data, row).map_or_else(|| explanation(data, row), |_| Cell::Null)
        }),
        column(
            "machine_id",
            Long,
            "The machine of the recorder's figures.",
            |data, row| figure(data, row).map_or(Cell::Null, |figure| Cell::Int(figure.machine)),
        ),
        column(
            "trace_id",
            Long,
            "The trace of the recorder's figures.",
            |data, row| figure(data, row).map_or(Cell::Null, |_| Cell::Int(0)),
        ),
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

/// The recorder's statistic at a row of `stats`. These rows come after the repairs.
fn figure(data: &Data, row: usize) -> Option<&Figure> {
    data.figures.get(row.checked_sub(data.repairs.len())?)
}

fn stat_name(data: &Data, row: usize) -> Cell {
    figure(data, row).map_or_else(|| kind(data, row), |figure| Cell::Text(figure.name))
}

fn stat_severity(data: &Data, row: usize) -> Cell {
    if let Some(figure) = figure(data, row) {
        return data.word(figure.words[0]);
    }
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

pub(crate) const TRACE_FILE: Table = Table {
    name: FILES_TABLE,
    doc: "The input: a file, or an archive and the files in it that were read.",
    rows: |data| data.files.len(),
    columns: &[
        id("id", "The file."),
        column(
            "parent_id",
            JoinId(FILES_TABLE),
            "The archive that it is in; NULL if it is in none.",
            |data, row| data.files[row].archive.map_or(Cell::Null, Cell::Int),
        ),
        column(
            "name",
            String,
            "Its name in the archive; NULL if it is in none.",
            |data, row| Cell::text(data.files[row].name),
        ),
        column(
            "size",
            Long,
            "Bytes read, after decompression.",
            |data, row| Cell::Int(data.files[row].bytes),
        ),
        column(
            "trace_type",
            String,
            "Its format, under Perfetto's name if it has one.",
            |data, row| Cell::text(data.files[row].trace_type),
        ),
        column(
            "processing_order",
            Long,
            "Its place in the order of reading.",
            |data, row| Cell::Int(data.files[row].order),
        ),
        column(
            "is_container",
            Bool,
            "Whether it is an archive.",
            |data, row| Cell::Int(data.files[row].is_container.into()),
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
            |data, row| Cell::Int(data.clocks[row].ts),
        ),
        column(
            "clock_id",
            Long,
            "Perfetto's number of the clock; NULL if it has none.",
            |data, row| data.clocks[row].id.map_or(Cell::Null, Cell::Int),
        ),
        column(
            "clock_name",
            String,
            "Which clock, such as `REALTIME`.",
            |data, row| Cell::Text(data.clocks[row].clock),
        ),
        column("clock_value", Long, "What it showed, ns.", |data, row| {
            Cell::Int(data.clocks[row].value_ns)
        }),
        column(
            "snapshot_id",
            Long,
            "The snapshot: clocks that were read at the same time.",
            |data, row| Cell::Int(data.clocks[row].snapshot),
        ),
        machine(|data, row| data.machine(data.clocks[row].source)),
        column(
            "precision_ns",
            Long,
            "How far the value may be off, ns.",
            |data, row| Cell::Int(data.clocks[row].precision_ns),
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
            |data, row| Cell::id(data.clocks[row].source),
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
