//! Tables whose rows are records of the trace.

mod made;

use made::ask;
use traceloom_query::{Limits, Session, Value};
use traceloom_trace::{ArgValue, NO_TIME, TraceBuilder};

#[test]
fn columns_have_their_declared_types() {
    let mut out = TraceBuilder::new();
    let thread = out.thread(7);
    let text = out.intern(b"ready");
    // Another table, so that the rows of a table are not those of all records.
    out.record(NO_TIME, "not declared", &[("id", ArgValue::Int(1))]);
    for (ts, prio) in [(5, ArgValue::Int(4)), (9, ArgValue::Text(text))] {
        let cells = [
            ("utid", thread.into()),
            ("prio", prio),
            ("msg", ArgValue::Text(text)),
        ];
        out.record(ts, "__intrinsic_logs", &cells);
    }
    let mut session = Session::open(out.finish(), Limits::default()).unwrap();
    let sql = "SELECT id, ts, utid, prio, tag, msg FROM logs";
    let int = Value::Integer;
    let row = |id, ts, prio| {
        let text = Value::Text("ready".to_owned());
        vec![int(id), int(ts), int(1), prio, Value::Null, text]
    };
    let expected = [row(0, 5, int(4)), row(1, 9, Value::Null)];
    assert_eq!(ask(&mut session, sql).unwrap().rows, expected);
    let sql = "SELECT id FROM logs WHERE ts > 6 AND utid = 1 AND msg = 'ready'";
    assert_eq!(ask(&mut session, sql).unwrap().rows, [[int(1)]]);
}

#[test]
fn rows_of_other_tables_are_numbers_within_them() {
    let mut out = TraceBuilder::new();
    for pid in 0..3 {
        let class = out.record(NO_TIME, "heap_graph_class", &[]);
        let upid = out.process(pid);
        let cells = [("type_id", class.into()), ("upid", upid.into())];
        out.record(pid, "heap_graph_object", &cells);
    }
    let mut session = Session::open(out.finish(), Limits::default()).unwrap();
    let sql = "SELECT o.id, o.type_id, upid FROM heap_graph_object AS o JOIN heap_graph_class AS c ON c.id = type_id";
    let expected = (0..3).map(|row| [row, row, row + 1].map(Value::Integer));
    assert_eq!(
        ask(&mut session, sql).unwrap().rows,
        expected.collect::<Vec<_>>()
    );
}
