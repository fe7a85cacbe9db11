//! Stacks: the functions and modules that read them.

#[path = "../made/mod.rs"]
mod made;

mod heaps;

use made::ask;
use traceloom_query::{Limits, Session, Value};
use traceloom_trace::{ArgValue, NO_TIME, RecordId, TraceBuilder};

/// The rows as text.
fn shown(session: &mut Session, sql: &str) -> Vec<String> {
    let rows = ask(session, sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    let value = |value: Value| match value {
        Value::Null => "NULL".to_owned(),
        Value::Integer(number) => number.to_string(),
        Value::Real(number) => format!("{number:?}"),
        Value::Text(text) => text,
        Value::Blob(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
    };
    let row = |row: Vec<Value>| row.into_iter().map(value).collect::<Vec<_>>().join(" ");
    rows.rows.into_iter().map(row).collect()
}

/// Adds a row without a time.
fn row(out: &mut TraceBuilder, table: &str, cells: &[(&str, ArgValue)]) -> RecordId {
    out.record(NO_TIME, table, cells)
}

fn text(out: &mut TraceBuilder, text: &str) -> ArgValue {
    ArgValue::Text(out.intern(text.as_bytes()))
}

/// A callsite of a frame with this name.
fn callsite(
    out: &mut TraceBuilder,
    mapping: RecordId,
    name: &str,
    parent: Option<RecordId>,
) -> RecordId {
    let name = text(out, name);
    let cells = [("name", name), ("mapping", mapping.into())];
    let frame = row(out, "stack_profile_frame", &cells);
    let parent = parent.map_or(ArgValue::Null, Into::into);
    let cells = [("parent_id", parent), ("frame_id", frame.into())];
    row(out, "stack_profile_callsite", &cells)
}

/// A sample of `main` → `work` with the counter `cycles`, and one of `main` alone.
fn samples() -> Session {
    let mut out = TraceBuilder::new();
    let name = text(&mut out, "lib.so");
    let mapping = row(&mut out, "stack_profile_mapping", &[("name", name)]);
    let main = callsite(&mut out, mapping, "main", None);
    let work = callsite(&mut out, mapping, "work", Some(main));
    let cycles = out.intern(b"cycles");
    let track = out.cpu_track(traceloom_trace::TrackType::CpuCounter, 0, cycles);
    out.whole_counter(track, 5, 40);
    let set = RecordId(out.trace().records.len() as u32);
    let cells = [("counter_set_id", set.into()), ("track_id", track.into())];
    out.record(5, "_profiler_counter_value", &cells);
    let source = text(&mut out, "linux.perf");
    for (ts, stack, set) in [(5, work, set.into()), (6, main, ArgValue::Null)] {
        let cells = [
            ("source", source),
            ("callsite_id", stack.into()),
            ("counter_set_id", set),
        ];
        out.record(ts, "__intrinsic_profiler_sample", &cells);
    }
    Session::open(out.finish(), Limits::default()).unwrap()
}

#[test]
fn stacks_are_those_of_the_callsite() {
    let mut session = samples();
    let sql = "SELECT stack_from_stack_profile_callsite(1) = cat_stacks('main', 'work'),
        stack_from_stack_profile_callsite(1, TRUE) = cat_stacks('main', 'work'),
        stack_from_stack_profile_frame(0) = cat_stacks('main'), stack_from_stack_profile_callsite(NULL)";
    assert_eq!(shown(&mut session, sql), ["1 1 1 NULL"]);
    let error = ask(&mut session, "SELECT stack_from_stack_profile_callsite(7)").unwrap_err();
    assert!(
        error.to_string().contains("there is no callsite 7"),
        "{error}"
    );
}

#[test]
fn frames_of_android_tell_in_which_mode_they_ran() {
    let mut out = TraceBuilder::new();
    let frames = [
        ("start", "/apex/lib64/bionic/libc.so", None),
        ("art::Start", "/apex/lib64/libart.so", None),
        ("onCreate", "/data/app/base.apk", Some("interp")),
        ("onStart", "/data/oat/arm64/base.odex", Some("aot")),
        ("run", "/memfd:jit-cache (deleted)", Some("jit")),
        ("art::Call", "/apex/lib64/libart.so", Some("common-frame")),
        (
            "nterp_op_iget",
            "/apex/lib64/libart.so",
            Some("common-frame-interp"),
        ),
        ("draw", "/system/lib64/libhwui.so", None),
        (
            "art_jni_trampoline",
            "/system/framework/boot.oat",
            Some("common-frame"),
        ),
        ("art::Method_invoke", "/apex/lib64/libart.so", None),
        ("art::Object", "/apex/lib64/libart.so", Some("common-frame")),
        ("native", "/data/app/base.apk!lib.so", None),
    ];
    let mut parent = None;
    for (name, file, _) in frames {
        let file = text(&mut out, file);
        let mapping = row(&mut out, "stack_profile_mapping", &[("name", file)]);
        parent = Some(callsite(&mut out, mapping, name, parent));
    }
    let mut session = Session::open(out.finish(), Limits::default()).unwrap();
    let last = frames.len() - 1;
    let sql = format!(
        "SELECT it.id, parent_id, it.frame_id, annotation FROM experimental_annotated_callstack({last}) AS it"
    );
    let row = |(id, (.., mark)): (usize, &(&str, &str, Option<&str>))| {
        let parent = id
            .checked_sub(1)
            .map_or("NULL".to_owned(), |id| id.to_string());
        format!("{id} {parent} {id} {}", mark.unwrap_or("NULL"))
    };
    let expected: Vec<String> = frames.iter().enumerate().rev().map(row).collect();
    assert_eq!(shown(&mut session, &sql), expected);
    let stack = "SELECT stack_from_stack_profile_callsite(4, TRUE) = cat_stacks('start', 'art::Start', 'onCreate [interp]',
                   'onStart [aot]', 'run [jit]')";
    assert_eq!(shown(&mut session, stack), ["1"]);
    let nothing = "SELECT count(*) FROM experimental_annotated_callstack(NULL)";
    assert_eq!(shown(&mut session, nothing), ["0"]);
    let missing = "SELECT * FROM experimental_annotated_callstack(99)";
    let error = ask(&mut session, missing).unwrap_err().to_string();
    assert!(error.contains("there is no callsite 99"), "{error}");
}

#[test]
fn counters_are_those_of_the_sample() {
    let mut session = samples();
    let sql = "SELECT id, __intrinsic_perf_counter_for_sample(id, 'cycles'),
        __intrinsic_perf_counter_for_sample(id, 'other') FROM perf_sample ORDER BY id";
    assert_eq!(shown(&mut session, sql), ["0 40.0 NULL", "1 NULL NULL"]);
    let sql = "SELECT c.counter_id, counter.value FROM __intrinsic_profiler_counter_set AS c
        JOIN counter ON counter.id = c.counter_id";
    assert_eq!(shown(&mut session, sql), ["0 40.0"]);
    let sql = "SELECT stack_sample_id, value FROM stack_sample_counter";
    assert_eq!(shown(&mut session, sql), ["0 40.0"]);
}

#[test]
fn a_call_tree_has_the_sums_of_its_samples() {
    let sql = "INCLUDE PERFETTO MODULE stacks.cpu_profiling;
        SELECT name, mapping_name, self_count, cumulative_count FROM cpu_profiling_summary_tree ORDER BY id";
    let expected = ["main lib.so 1 2", "work lib.so 1 1"];
    assert_eq!(shown(&mut samples(), sql), expected);
}

#[test]
fn functions_of_cpp_have_their_names_in_the_source() {
    let mut out = TraceBuilder::new();
    let name = text(&mut out, "lib.so");
    let mapping = row(&mut out, "stack_profile_mapping", &[("name", name)]);
    let site = callsite(&mut out, mapping, "_ZN3foo3barEi", None);
    let source = text(&mut out, "linux.perf");
    let cells = [("source", source), ("callsite_id", site.into())];
    out.record(5, "__intrinsic_profiler_sample", &cells);
    let mut session = Session::open(out.finish(), Limits::default()).unwrap();
    let sql = "INCLUDE PERFETTO MODULE linux.perf.samples; SELECT name FROM linux_perf_samples_summary_tree";
    assert_eq!(shown(&mut session, sql), ["foo::bar(int)"]);
}
