//! Slices, flows and methods.

use traceloom_trace::{NO_DURATION, NO_NUMBER};

use super::column::Kind::{ArgSetId, Duration, JoinId, Long, String, Timestamp};
use super::column::{Cell, Table, absent, column, id};
use super::data::Data;

pub(crate) const SLICE: Table = Table {
    name: "slice",
    doc: "Named time spans, nested on their track: calls, trace points, interrupts. An instant is a slice with `dur` 0.",
    rows: |data| data.trace.slices.len(),
    columns: &[
        id("id", "The slice."),
        column("ts", Timestamp, "Start.", |data, row| {
            Cell::Int(data.trace.slices.ts.get(row))
        })
        .sorted(),
        column(
            "dur",
            Duration,
            "Duration; -1 if it never ended.",
            |data, row| Cell::Int(data.trace.slices.dur.get(row)),
        ),
        column("track_id", JoinId("track"), "Its track.", |data, row| {
            Cell::id(data.trace.slices.track_id.get(row))
        }),
        column("category", String, "Its category.", category),
        column(
            "name",
            String,
            "Its name; `class.method` for a call.",
            |data, row| data.slice_name(row),
        ),
        column(
            "depth",
            Long,
            "How many slices of its track enclose it.",
            |data, row| Cell::Int(data.trace.slices.depth.get(row).into()),
        ),
        column(
            "parent_id",
            JoinId("slice"),
            "The innermost slice that encloses it.",
            |data, row| Cell::id(data.trace.slices.parent_id.get(row)),
        ),
        column("arg_set_id", ArgSetId, "Its arguments.", |data, row| {
            Cell::id(data.trace.slices.arg_set_id.get(row))
        }),
        column(
            "thread_ts",
            Timestamp,
            "The thread's CPU clock at the start.",
            |data, row| Cell::unless(data.trace.slices.thread_ts.get(row), NO_DURATION),
        ),
        column("thread_dur", Duration, "CPU time.", |data, row| {
            Cell::unless(data.trace.slices.thread_dur.get(row), NO_DURATION)
        }),
        absent("thread_instruction_count", Long),
        absent("thread_instruction_delta", Long),
        column("cat", String, "The same as `category`.", category),
        id("slice_id", "The same as `id`."),
        column(
            "method_id",
            JoinId("method"),
            "The method called, in a method trace.",
            |data, row| Cell::id(data.trace.slices.method_id.get(row)),
        )
        .hidden(),
    ],
};

fn category(data: &Data, row: usize) -> Cell {
    Cell::text(data.trace.slices.category.get(row))
}

pub(crate) const FLOW: Table = Table {
    name: "flow",
    doc: "Arrows from slice to slice, such as a binder call and its reply.",
    rows: |data| data.trace.flows.len(),
    columns: &[
        id("id", "The arrow."),
        column(
            "slice_out",
            JoinId("slice"),
            "Where it starts.",
            |data, row| Cell::id(data.trace.flows.slice_out.get(row)),
        ),
        column(
            "slice_in",
            JoinId("slice"),
            "Where it ends.",
            |data, row| Cell::id(data.trace.flows.slice_in.get(row)),
        ),
        column("trace_id", Long, "Its number in the input.", |data, row| {
            Cell::unless(data.trace.flows.trace_id.get(row), NO_NUMBER)
        }),
        absent("arg_set_id", ArgSetId),
        column("name", String, "What it is: `binder`, ….", |data, row| {
            Cell::text(data.trace.flows.name.get(row))
        })
        .hidden(),
    ],
};

pub(crate) const METHOD: Table = Table {
    name: "method",
    doc: "The methods that a method trace names. Not in PerfettoSQL.",
    rows: |data| data.trace.methods.len(),
    columns: &[
        id("id", "The method."),
        column(
            "raw_id",
            Long,
            "The id as it stood in the file.",
            |data, row| Cell::Int(data.trace.methods.raw_id.get(row) as i64),
        ),
        column("class", String, "The class, with dots.", |data, row| {
            Cell::text(data.trace.methods.class.get(row))
        }),
        column(
            "name",
            String,
            "The method's name, without the class.",
            |data, row| Cell::text(data.trace.methods.name.get(row)),
        ),
        column(
            "signature",
            String,
            "Its signature, such as `(I)V`.",
            |data, row| Cell::text(data.trace.methods.signature.get(row)),
        ),
        column("file", String, "The source file.", |data, row| {
            Cell::text(data.trace.methods.file.get(row))
        }),
        column("line", Long, "The line it starts at.", |data, row| {
            Cell::unless(data.trace.methods.line.get(row).into(), -1)
        }),
        column(
            "source_id",
            JoinId("source"),
            "The input it came from.",
            |data, row| Cell::id(data.trace.methods.source.get(row)),
        ),
    ],
};
