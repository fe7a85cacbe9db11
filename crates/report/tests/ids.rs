//! Every id in a report must refer to an existing row.

use traceloom_report::{ColumnsError, decode, encode};
use traceloom_trace::{
    ArgSetId, ArgValue, ClockKind, ClockRow, Place, Records, RepairKind, RepairTable, RowId,
    SourceId, Trace, TraceBuilder,
};

fn back(trace: &Trace) -> Result<Trace, ColumnsError> {
    decode(encode(trace).iter().map(|block| &block.bytes[..]))
}

/// Ids that no writer produces: they would end in a panic, or in copies of the same arguments.
#[test]
fn ids_refer_to_what_is_there() {
    type Change = fn(&mut Trace);
    let changes: [(&str, Change); 4] = [
        ("clocks.source", |trace| {
            trace.clocks[0].source = SourceId(7)
        }),
        ("a table.arg_set_id", |trace| {
            *trace.slices.arg_set_id.get_mut(1) = ArgSetId::from_row(1);
        }),
        ("records.cells", |trace| {
            let mut rows = trace.records.rows().clone();
            *rows.cells.get_mut(1) = rows.cells.get(0);
            trace.records = Records::from_parts(rows, trace.records.all_cells().clone());
        }),
        ("repairs.source", |trace| {
            let mut rows = trace.repairs.rows().to_vec();
            rows[0].source = SourceId(9);
            trace.repairs = RepairTable::from_rows(rows);
        }),
    ];
    for (column, change) in changes {
        let mut trace = with_ids();
        assert!(back(&trace).is_ok(), "{column}");
        change(&mut trace);
        let error = back(&trace).unwrap_err().to_string();
        assert!(error.starts_with(column), "{column}: {error}");
    }
}

/// A trace with each of these ids.
fn with_ids() -> Trace {
    let mut builder = TraceBuilder::new();
    let source = builder.begin_source("a", "ftrace");
    builder.repair(RepairKind::LostEvents, 1, Place::default(), || {
        "x".to_owned()
    });
    let main = builder.thread(1);
    let track = builder.thread_track(main);
    let name = builder.intern(b"tick");
    let args = [1, 2].map(|value| (name, ArgValue::Int(value)));
    let set = builder.args(args);
    builder.instant(track, 1, name, set);
    builder.instant(track, 2, name, set);
    for value in 0..2 {
        builder.record(3, "logs", &[("prio", ArgValue::Int(value))]);
    }
    let mut trace = builder.finish();
    trace.clocks.push(ClockRow {
        source,
        clock: ClockKind::Trace,
        ts: 0,
        value_ns: 0,
        precision_ns: 0,
        name: String::new(),
    });
    trace
}
