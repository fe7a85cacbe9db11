//! Rows are in the same place as in PerfettoSQL: instants among the slices, and the kernel's idle thread and process
//! first.

mod made;

use made::ask;
use traceloom_query::{Limits, Session, Value};
use traceloom_trace::{FlowRow, NO_NUMBER, SliceBegin, Trace, TraceBuilder};

/// The result of a query as text: values separated by spaces, rows by commas.
fn answer(trace: Trace, sql: &str) -> String {
    let mut session = Session::open(trace, Limits::default()).unwrap();
    let rows = ask(&mut session, sql).unwrap().rows;
    let value = |value: &Value| match value {
        Value::Integer(number) => number.to_string(),
        Value::Text(text) => text.clone(),
        other => format!("{other:?}"),
    };
    let row = |row: &Vec<Value>| row.iter().map(value).collect::<Vec<_>>().join(" ");
    rows.iter().map(row).collect::<Vec<_>>().join(", ")
}

/// A thread 7 with a call, an instant inside it that comes before a call of length 0, and a flow to that call.
fn with_an_instant() -> Trace {
    let mut out = TraceBuilder::new();
    let [draw, tap, quick] = ["draw", "tap", "quick"].map(|name| out.intern(name.as_bytes()));
    let utid = out.thread(7);
    let track = out.thread_track(utid);
    let slice_out = out.begin_slice(track, SliceBegin::named(10, draw));
    out.instant(track, 12, tap, Default::default());
    let slice_in = out.whole_slice(track, SliceBegin::named(15, quick), 0);
    out.end_slice(track, 20, None);
    out.flow(FlowRow {
        slice_out,
        slice_in,
        name: tap,
        trace_id: NO_NUMBER,
    });
    out.finish()
}

#[test]
fn an_instant_is_a_slice_inside_another() {
    let sql = "SELECT id, name, ts, dur, depth, parent_id FROM slice ORDER BY id";
    let slices = "0 draw 10 10 0 Null, 1 tap 12 0 1 0, 2 quick 15 0 1 0";
    assert_eq!(answer(with_an_instant(), sql), slices);
}

#[test]
fn the_view_of_instants_has_all_slices_of_length_0() {
    let sql = "SELECT name, ts FROM instant";
    assert_eq!(answer(with_an_instant(), sql), "tap 12, quick 15");
}

#[test]
fn a_flow_still_points_at_its_slices() {
    let sql = "SELECT a.name, b.name FROM flow JOIN slice a ON a.id = slice_out JOIN slice b ON b.id = slice_in";
    assert_eq!(answer(with_an_instant(), sql), "draw quick");
}

#[test]
fn every_trace_has_the_idle_thread_and_process() {
    let people = "SELECT utid, tid, thread.upid, pid, is_main_thread, is_idle \
                  FROM thread LEFT JOIN process USING (upid) ORDER BY utid";
    let empty = TraceBuilder::new().finish();
    assert_eq!(answer(empty, people), "0 0 0 0 1 1");
    let expected = "0 0 0 0 1 1, 1 7 Null Null Null 0";
    assert_eq!(answer(with_an_instant(), people), expected);
    let thread = "SELECT name, utid, tid FROM thread_slice WHERE depth = 0";
    assert_eq!(answer(with_an_instant(), thread), "draw 1 7");
}

/// Each of two kernel traces has an idle thread. The first is row 0.
#[test]
fn further_idle_threads_follow() {
    let kernel = || {
        let mut out = TraceBuilder::new();
        out.begin_source("kernel", "test");
        let (app, idle) = (out.thread(7), out.idle_thread());
        let [work, swapper] = ["work", "swapper"].map(|name| out.intern(name.as_bytes()));
        out.name_thread(app, work);
        out.name_thread(idle, swapper);
        out.finish()
    };
    let mut both = kernel();
    both.append(kernel(), 0);
    let sql = "SELECT utid, name, is_idle FROM thread ORDER BY utid";
    let expected = "0 swapper 1, 1 work 0, 2 swapper 1, 3 work 0";
    assert_eq!(answer(both, sql), expected);
}

#[test]
fn a_plain_count_is_the_number_of_rows_that_a_scan_finds() {
    for table in ["slice", "SLICE", "flow", "thread", "__intrinsic_slice"] {
        let scanned = format!("SELECT sum(1) FROM (SELECT * FROM {table})");
        let counted = format!("SELECT /* all */ count ( * ) FROM {table};");
        assert_eq!(
            answer(with_an_instant(), &counted),
            answer(with_an_instant(), &scanned)
        );
    }
}

#[test]
fn a_plain_count_has_the_name_that_the_statement_gives_it() {
    let mut session = Session::open(with_an_instant(), Limits::default()).unwrap();
    let mut name = |sql: &str| ask(&mut session, sql).unwrap().names.concat();
    assert_eq!(name("SELECT COUNT(*) FROM slice"), "COUNT(*)");
    assert_eq!(name("SELECT count(*) AS n FROM slice"), "n");
}

#[test]
fn a_plain_count_of_a_scripts_own_table_counts_that_one() {
    let own =
        "CREATE PERFETTO TABLE flow AS SELECT 1 AS x UNION SELECT 2; SELECT count(*) FROM flow";
    assert_eq!(answer(with_an_instant(), own), "2");
    let none = "SELECT count(*) FROM slice WHERE dur > 7";
    assert_eq!(answer(with_an_instant(), none), "1");
}

/// Perfetto has a row for every statistic that it knows.
#[test]
fn figures_that_readers_count_are_there_if_they_are_0() {
    let sql =
        "SELECT name, severity, source, value FROM stats WHERE name GLOB 'slice_*' ORDER BY name";
    let expected = "slice_drop_overlapping_complete_event error analysis 0, \
                    slice_spill_overlapping_complete_event error analysis 0";
    assert_eq!(answer(TraceBuilder::new().finish(), sql), expected);
}

#[test]
fn figures_have_the_severities_of_perfetto() {
    let mut out = TraceBuilder::new();
    for name in [
        "ftrace_setup_errors",
        "traced_buf_readaheads_failed",
        "traced_buf_sequence_packet_loss",
        "traced_buf_data_loss_smb_full",
        "android_log_num_failed",
        "traced_producers_seen",
    ] {
        out.stat(name, None, 0, 1);
    }
    let sql = "SELECT name, severity, source FROM stats WHERE value > 0 ORDER BY name";
    let expected = "android_log_num_failed error trace, ftrace_setup_errors notice trace, \
                    traced_buf_data_loss_smb_full data_loss trace, traced_buf_readaheads_failed info trace, \
                    traced_buf_sequence_packet_loss data_loss analysis, traced_producers_seen info trace";
    assert_eq!(answer(out.finish(), sql), expected);
}
