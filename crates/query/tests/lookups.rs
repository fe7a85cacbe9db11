//! Lookups do not read whole tables.

mod made;

use std::time::Duration;

use made::ask;
use traceloom_query::{Limits, Session, Value};
use traceloom_trace::{SliceBegin, TraceBuilder};

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
