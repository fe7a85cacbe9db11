//! In SQL, arguments, tracks and facts of JSON traces equal Perfetto's.

mod made;

use made::ask;
use traceloom_query::{Limits, Session, Value};
use traceloom_trace::{
    ArgSetId, ArgValue, FtraceEventRow, RowId, SliceBegin, StringId, TraceBuilder, TrackOwnerId,
    TrackType,
};

/// Adds a set of arguments.
fn set(out: &mut TraceBuilder, args: &[(&str, ArgValue)]) -> ArgSetId {
    let args: Vec<_> = args
        .iter()
        .map(|(key, value)| (out.intern(key.as_bytes()), *value))
        .collect();
    out.args(args)
}

/// A session with a JSON slice `it` that has these arguments, and a kernel event of another source with the same
/// arguments.
fn session(args: &[(&str, &str)]) -> Session {
    let mut out = TraceBuilder::new();
    out.begin_source("a.json", "chrome-json");
    let args: Vec<(&str, ArgValue)> = args
        .iter()
        .map(|(key, json)| (*key, ArgValue::Json(out.intern(json.as_bytes()))))
        .collect();
    let thread = out.thread(5);
    let track = out.thread_track(thread);
    let name = out.intern(b"it");
    let mut begin = SliceBegin::named(1, name);
    begin.arg_set_id = set(&mut out, &args);
    out.whole_slice(track, begin, 5);
    out.begin_source("b.txt", "ftrace-text");
    let arg_set_id = set(&mut out, &args);
    let name = out.intern(b"event");
    let utid = out.thread(6);
    out.ftrace_event(FtraceEventRow {
        ts: 2,
        name,
        utid,
        cpu: 0,
        arg_set_id,
    });
    Session::open(out.finish(), Limits::default()).unwrap()
}

fn texts(session: &mut Session, sql: &str) -> Vec<String> {
    let rows = ask(session, sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    let text = |value: &Value| match value {
        Value::Integer(value) => value.to_string(),
        Value::Real(value) => format!("{value:?}"),
        Value::Text(text) => text.clone(),
        _ => "-".to_owned(),
    };
    rows.rows
        .iter()
        .map(|row| row.iter().map(text).collect::<Vec<_>>().join(" "))
        .collect()
}

const OF_SLICE: &str =
    "SELECT key, flat_key, value_type, display_value FROM slice JOIN args USING (arg_set_id)
                        WHERE name = 'it' ORDER BY args.id";

#[test]
fn each_value_within_an_object_has_a_row() {
    let json =
        r#"{"a":{"b":1,"c":[true,null,{"d":"x"}]},"e":18446744073709551615,"f":-0.5,"none":{}}"#;
    let mut session = session(&[("in", json), ("list", "[5,6]"), ("args", "[7]")]);
    let expected = [
        "args.in.a.b args.in.a.b int 1",
        "args.in.a.c[0] args.in.a.c bool true",
        "args.in.a.c[2].d args.in.a.c.d string x",
        "args.in.e args.in.e uint 18446744073709551615",
        "args.in.f args.in.f real -0.5",
        "args.list[0] args.list int 5",
        "args.list[1] args.list int 6",
        "args[0] args int 7",
    ];
    assert_eq!(texts(&mut session, OF_SLICE), expected);
    let sql = "SELECT extract_arg(arg_set_id, 'args.in.a.c[2].d'), extract_arg(arg_set_id, 'in') FROM slice WHERE name = 'it'";
    assert_eq!(texts(&mut session, sql), ["x -"]);
    let sql = "SELECT key, value_type FROM ftrace_event JOIN args USING (arg_set_id)";
    assert_eq!(
        texts(&mut session, sql),
        ["in json", "list json", "args json"]
    );
}

/// Chrome's compositor has such arguments: `"args": {"args": {"type": 1}}`.
#[test]
fn an_object_named_args_keeps_its_name() {
    let mut session = session(&[("args", r#"{"a":1,"args":[2]}"#), ("a", "[3]")]);
    let expected = [
        "args.args.a args.args.a int 1",
        "args.args.args[0] args.args.args int 2",
        "args.a[0] args.a int 3",
    ];
    assert_eq!(texts(&mut session, OF_SLICE), expected);
}

#[test]
fn values_that_are_too_deep_or_too_long_stay_whole() {
    let deep = ["[".repeat(100_000), "]".repeat(100_000)].concat();
    let long = format!("{{\"{}\":[{}1]}}", "k".repeat(50_000), "1,".repeat(50_000));
    let mut session = session(&[("deep", &deep), ("long", &long), ("fine", "[1]")]);
    let sql = "SELECT key, value_type, length(string_value) FROM slice JOIN args USING (arg_set_id)
               WHERE name = 'it' ORDER BY args.id";
    let expected = [
        format!("args.deep json {}", deep.len()),
        format!("args.long json {}", long.len()),
        "args.fine[0] int -".to_owned(),
    ];
    assert_eq!(texts(&mut session, sql), expected);
}

#[test]
fn instants_have_their_category() {
    let mut out = TraceBuilder::new();
    out.begin_source("a.json", "chrome-json");
    let thread = out.thread(5);
    let track = out.thread_track(thread);
    let [name, category] = ["it", "input"].map(|text| out.intern(text.as_bytes()));
    let args = set(
        &mut out,
        &[
            ("cat", ArgValue::Text(category)),
            ("x", ArgValue::Int(1)),
            ("none", ArgValue::Null),
        ],
    );
    out.instant(track, 3, name, args);
    // A slice may have an argument of this name.
    let mut begin = SliceBegin::named(4, name);
    begin.arg_set_id = args;
    begin.category = category;
    out.whole_slice(track, begin, 2);
    let mut session = Session::open(out.finish(), Limits::default()).unwrap();
    let sql = "SELECT ts, category, (SELECT group_concat(key) FROM args WHERE args.arg_set_id = slice.arg_set_id)
               FROM slice ORDER BY ts";
    assert_eq!(
        texts(&mut session, sql),
        ["3 input args.x", "4 input args.cat,args.x"]
    );
    let sql = "SELECT count(*) FROM __intrinsic_args WHERE key LIKE 'args.%'";
    assert_eq!(texts(&mut session, sql), ["3"]);
}

#[test]
fn slices_without_a_name_have_perfettos() {
    let mut out = TraceBuilder::new();
    out.begin_source("a.json", "chrome-json");
    let (thread, upid) = (out.thread(5), out.process(5));
    let track = out.thread_track(thread);
    let [none, empty] = [StringId::NULL, StringId::EMPTY];
    out.whole_slice(track, SliceBegin::named(1, none), 2);
    out.whole_slice(track, SliceBegin::named(4, empty), 0);
    out.instant(track, 5, none, ArgSetId::NONE);
    let process = out.process_track(TrackType::ChromeProcessInstant, upid, empty);
    out.instant(process, 6, empty, ArgSetId::NONE);
    let mut session = Session::open(out.finish(), Limits::default()).unwrap();
    let sql = "SELECT ts, ifnull(name, 'null') FROM slice ORDER BY ts";
    let expected = ["1 [No name]", "4 [No name]", "5 [No name]", "6 null"];
    assert_eq!(texts(&mut session, sql), expected);
}

/// In PerfettoSQL, slices whose id is the same in all processes belong to no process.
#[test]
fn only_tracks_of_local_ids_belong_to_their_process() {
    let mut out = TraceBuilder::new();
    out.begin_source("a.json", "chrome-json");
    let upid = out.process(5);
    for (name, local) in [("everywhere", false), ("here", true)] {
        let name = out.intern(name.as_bytes());
        let kind = TrackType::LegacyAsyncProcessSlice;
        let track = out.separate_track(kind, TrackOwnerId::Process(upid), name);
        let scoped = ("trace_id_is_process_scoped", ArgValue::Bool(local));
        out.add_track_args(track, &[scoped]);
        out.whole_slice(track, SliceBegin::named(1, name), 5);
    }
    let mut session = Session::open(out.finish(), Limits::default()).unwrap();
    let tracks = "SELECT name, type FROM track ORDER BY name";
    let expected = [
        "everywhere legacy_async_global_slice",
        "here legacy_async_process_slice",
    ];
    assert_eq!(texts(&mut session, tracks), expected);
    let of_process = "SELECT name, pid FROM process_slice";
    assert_eq!(texts(&mut session, of_process), ["here 5"]);
}

#[test]
fn counters_have_perfettos_names() {
    let mut out = TraceBuilder::new();
    out.begin_source("a.json", "chrome-json");
    let upid = out.process(5);
    for (name, queried) in [("a", Some("a value")), ("a b", None)] {
        let name = out.intern(name.as_bytes());
        let track = out.process_track(TrackType::JsonCounter, upid, name);
        if let Some(queried) = queried {
            let queried = ArgValue::Text(out.intern(queried.as_bytes()));
            out.add_track_args(track, &[("json_counter_name", queried)]);
        }
        out.counter(track, 1, 2.0);
    }
    let mut session = Session::open(out.finish(), Limits::default()).unwrap();
    let sql = "SELECT name FROM process_counter_track ORDER BY name";
    assert_eq!(texts(&mut session, sql), ["a b", "a value"]);
}

#[test]
fn facts_of_metadata_have_numbers() {
    let mut out = TraceBuilder::new();
    out.begin_source("a.json", "chrome-json");
    let facts = [
        ("a", "12"),
        ("b", "true"),
        ("c", "1.0"),
        ("d", "1.5"),
        ("e", "x"),
    ];
    for (key, value) in facts {
        out.metadata(&format!("json_metadata.{key}"), value);
    }
    out.metadata("b", "true");
    let mut session = Session::open(out.finish(), Limits::default()).unwrap();
    let facts = "SELECT name, int_value, str_value FROM metadata ORDER BY id";
    let expected = [
        "json_metadata.a 12 -",
        "json_metadata.b 1 -",
        "json_metadata.c 1 -",
        "json_metadata.d - 1.5",
        "json_metadata.e - x",
        "b - true",
    ];
    assert_eq!(texts(&mut session, facts), expected);
}
