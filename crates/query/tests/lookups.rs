//! Large traces and large sets take time proportional to their size.

mod made;

use std::time::{Duration, Instant};

use made::ask;
use traceloom_query::{Limits, Session, Value};
use traceloom_trace::{ArgValue, SliceBegin, TraceBuilder};

#[test]
fn no_row_is_read_for_a_text_that_is_null() {
    let mut out = TraceBuilder::new();
    let utid = out.thread(7);
    let track = out.thread_track(utid);
    let name = out.intern(b"draw");
    for ts in 0..40_000 {
        out.whole_slice(track, SliceBegin::named(ts, name), 1);
    }
    let timeout = Some(Duration::from_secs(20));
    let limits = Limits {
        timeout,
        ..Limits::default()
    };
    let mut session = Session::open(out.finish(), limits).unwrap();
    // No slice has a category.
    let sql =
        "SELECT count(*) FROM slice AS one JOIN slice AS other ON other.category = one.category";
    assert_eq!(ask(&mut session, sql).unwrap().rows, [[Value::Integer(0)]]);
}

#[test]
fn many_arguments_are_json_soon() {
    let mut out = TraceBuilder::new();
    let utid = out.thread(7);
    let track = out.thread_track(utid);
    let name = out.intern(b"draw");
    let key = |number: i64| format!("debug.k{number}");
    let keys: Vec<_> = (0..200_000)
        .map(|number| out.intern(key(number).as_bytes()))
        .collect();
    let mut begin = SliceBegin::named(5, name);
    begin.arg_set_id = out.args(keys.into_iter().map(|key| (key, ArgValue::Int(1))));
    out.whole_slice(track, begin, 1);
    let mut session = Session::open(out.finish(), Limits::default()).unwrap();
    let start = Instant::now();
    let sql = "SELECT json_extract(__intrinsic_arg_set_to_json(arg_set_id), '$.debug.k199999') FROM slice";
    let rows = ask(&mut session, sql).unwrap().rows;
    assert_eq!(rows, [[Value::Integer(1)]]);
    // If each key were compared with all previous keys, this would take many minutes.
    assert!(start.elapsed() < Duration::from_secs(60));
}
