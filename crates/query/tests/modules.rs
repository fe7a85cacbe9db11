//! Modules: the list of them, how they are included, and the places of their errors.

mod made;

use made::{ask, session};
use traceloom_query::Value;

#[test]
fn every_module_can_be_included() {
    let rows = ask(&mut session(), "INCLUDE PERFETTO MODULE *; SELECT 1").unwrap();
    assert_eq!(rows.rows, [[Value::Integer(1)]]);
}

#[test]
fn a_module_is_included_once() {
    let mut session = session();
    session.add_module(
        "own.first",
        "first.sql",
        "CREATE PERFETTO TABLE t AS SELECT 1 AS x;",
    );
    let second = "INCLUDE PERFETTO MODULE own.first; INCLUDE PERFETTO MODULE own.second;";
    session.add_module("own.second", "second.sql", second);
    let sql = "INCLUDE PERFETTO MODULE own.*; INCLUDE PERFETTO MODULE own.first; SELECT x FROM t";
    assert_eq!(ask(&mut session, sql).unwrap().rows, [[Value::Integer(1)]]);
}

#[test]
fn the_older_import_includes_a_module() {
    let mut session = session();
    session.add_module(
        "own.t",
        "t.sql",
        "CREATE PERFETTO TABLE t AS SELECT 4 AS x;",
    );
    let sql = "SELECT IMPORT('own.t'); INCLUDE PERFETTO MODULE own.t; SELECT x FROM t";
    assert_eq!(ask(&mut session, sql).unwrap().rows, [[Value::Integer(4)]]);
    let error = ask(&mut session, "SELECT IMPORT('own.none')").unwrap_err();
    assert!(
        error.to_string().contains("there is no module own.none"),
        "{error}"
    );
    let error = ask(&mut session, "SELECT IMPORT('own.t') AS x").unwrap_err();
    assert!(
        error.to_string().contains("no such function: IMPORT"),
        "{error}"
    );
}

#[test]
fn an_error_in_a_module_names_its_file() {
    let mut session = session();
    session.add_module(
        "own.wrong",
        "own/wrong.sql",
        "\nSELECT 1;\n  SELECT missing;",
    );
    let error = ask(&mut session, "SELECT 1; INCLUDE PERFETTO MODULE own.wrong").unwrap_err();
    let place = "line 3, column 10 of own/wrong.sql, included at line 1, column 11 of test: ";
    assert!(error.to_string().starts_with(place), "{error}");
    let error = ask(&mut session, "INCLUDE PERFETTO MODULE own.none").unwrap_err();
    assert!(
        error.to_string().contains("there is no module own.none"),
        "{error}"
    );
}

#[test]
fn modules_that_include_each_other_end() {
    let mut session = session();
    for at in 0..200 {
        let next = format!("INCLUDE PERFETTO MODULE chain.m{};", (at + 1) % 200);
        session.add_module(&format!("chain.m{at}"), "chain.sql", &next);
    }
    let error = ask(&mut session, "INCLUDE PERFETTO MODULE chain.m0").unwrap_err();
    assert!(error.to_string().contains("too deeply"), "{error}");
    session.add_module("a", "a.sql", "INCLUDE PERFETTO MODULE b;");
    session.add_module(
        "b",
        "b.sql",
        "INCLUDE PERFETTO MODULE a; CREATE PERFETTO TABLE t AS SELECT 3 AS x;",
    );
    let rows = ask(&mut session, "INCLUDE PERFETTO MODULE a; SELECT x FROM t").unwrap();
    assert_eq!(rows.rows, [[Value::Integer(3)]]);
}

#[test]
fn a_module_that_failed_can_be_included_again() {
    let mut session = session();
    let text = "CREATE PERFETTO FUNCTION _one() RETURNS LONG AS SELECT 1;
        CREATE PERFETTO MACRO _plus(x Expr) RETURNS Expr AS ($x + _one());
        CREATE PERFETTO TABLE _first AS SELECT _plus!(1) AS x, 0 AS ts, 5 AS dur;
        CREATE PERFETTO VIEW _seen AS SELECT ts, dur FROM _first;
        CREATE VIRTUAL TABLE _both USING SPAN_JOIN(_first, _seen);
        CREATE PERFETTO TABLE last AS SELECT x + y AS z FROM _first, later;";
    session.add_module("own.part", "part.sql", text);
    let include = "INCLUDE PERFETTO MODULE own.part";
    for _ in 0..2 {
        let error = ask(&mut session, include).unwrap_err().to_string();
        assert!(error.contains("no such table: later"), "{error}");
    }
    let sql = format!("CREATE TABLE later AS SELECT 5 AS y; {include}; SELECT z FROM last");
    assert_eq!(ask(&mut session, &sql).unwrap().rows, [[Value::Integer(7)]]);
    let sql = format!("{include}; SELECT dur FROM _both");
    assert_eq!(ask(&mut session, &sql).unwrap().rows, [[Value::Integer(5)]]);
}

#[test]
fn a_module_that_was_too_deep_is_not_included() {
    let mut session = session();
    for at in 0..70 {
        let next = format!("INCLUDE PERFETTO MODULE chain.m{};", at + 1);
        session.add_module(&format!("chain.m{at}"), "chain.sql", &next);
    }
    let end = "CREATE PERFETTO TABLE chain_end AS SELECT 4 AS x;";
    session.add_module("chain.m70", "chain.sql", end);
    let error = ask(&mut session, "INCLUDE PERFETTO MODULE chain.m0").unwrap_err();
    assert!(error.to_string().contains("too deeply"), "{error}");
    let sql = "INCLUDE PERFETTO MODULE chain.m40; SELECT x FROM chain_end";
    assert_eq!(ask(&mut session, sql).unwrap().rows, [[Value::Integer(4)]]);
}

#[test]
fn a_query_can_ask_what_modules_define() {
    let mut session = session();
    let own = "-- Twice\n-- a number.\nCREATE PERFETTO FUNCTION twice(\n  -- The \"number\".\n  x LONG\n)\n\
               -- Its double.\nRETURNS LONG\nAS SELECT $x * 2;\n\
               CREATE PERFETTO TABLE _own(id JOINID(slice.id)) AS SELECT 1 AS id;";
    session.add_module("my.own", "own.sql", own);
    let sql = "SELECT object_type, qualified_name, exposed, description, return_type, return_description, args, cols
               FROM __intrinsic_stdlib_objects WHERE module = 'my.own'";
    let rows = ask(&mut session, sql).unwrap().rows;
    let text = |value: &Value| match value {
        Value::Integer(value) => value.to_string(),
        Value::Text(text) => text.clone(),
        other => format!("{other:?}"),
    };
    let found: Vec<Vec<String>> = rows
        .iter()
        .map(|row| row.iter().map(text).collect())
        .collect();
    let args = r#"[{"name":"x","type":"LONG","description":"The \"number\"."}]"#;
    let cols = r#"[{"name":"id","type":"JOINID(slice.id)","description":""}]"#;
    let expected = [
        ["MODULE", "my.own", "1", "", "", "", "[]", "[]"],
        [
            "FUNCTION",
            "my.own.twice",
            "1",
            "Twice a number.",
            "LONG",
            "Its double.",
            args,
            "[]",
        ],
        ["TABLE", "my.own._own", "0", "", "", "", "[]", cols],
    ];
    assert_eq!(found, expected);
    let sql = "SELECT summary FROM __intrinsic_stdlib_objects WHERE module = 'my.own' AND name != 'my.own'";
    let expected = [
        "Package: my\nModule: my.own\nName: twice\nQualified name: my.own.twice\nSearch aliases: my my own twice\n\
         Kind: public FUNCTION\nDescription: Twice a number.\nArguments:\n- x (LONG): The \"number\".\n\
         Returns: LONG: Its double.",
        "Package: my\nModule: my.own\nName: _own\nQualified name: my.own._own\nSearch aliases: my my own  own\n\
         Kind: internal TABLE\nColumns:\n- id (JOINID(slice.id))",
    ];
    let rows = ask(&mut session, sql).unwrap().rows;
    let found: Vec<String> = rows.iter().map(|row| text(&row[0])).collect();
    assert_eq!(found, expected);
    let undocumented = "SELECT count(*) FROM __intrinsic_stdlib_objects
                        WHERE object_type != 'MODULE' AND description = '' AND module NOT LIKE 'my.%'";
    assert_eq!(
        ask(&mut session, undocumented).unwrap().rows,
        [[Value::Integer(0)]]
    );
}

/// Scripts rely on the modules that their included modules include in turn.
#[test]
fn a_module_brings_what_it_includes() {
    let pairs = [
        ("android.gpu.memory", "_all_counters_per_process"),
        ("android.memory.lmk", "android_oom_adj_intervals"),
        ("android.surfaceflinger", "android_jank_cuj"),
        (
            "linux.cpu.utilization.process",
            "cpu_cycles_per_thread_per_cpu",
        ),
        (
            "linux.cpu.utilization.thread",
            "cpu_cycles_per_thread_per_cpu",
        ),
        ("slices.flat_slices", "thread_or_process_slice"),
        ("slices.stack", "_slice_ancestor_and_self(0)"),
    ];
    for (module, object) in pairs {
        let sql = format!("INCLUDE PERFETTO MODULE {module}; SELECT count(*) FROM {object}");
        ask(&mut session(), &sql).unwrap_or_else(|error| panic!("{module}: {error}"));
    }
}

#[test]
fn a_built_in_view_can_be_replaced_once() {
    let mut session = session();
    let own = "CREATE PERFETTO VIEW thread_slice AS SELECT 7 AS x;";
    session.add_module("own.view", "view.sql", own);
    let sql = "INCLUDE PERFETTO MODULE own.view; SELECT x FROM thread_slice";
    assert_eq!(ask(&mut session, sql).unwrap().rows, [[Value::Integer(7)]]);
    let error = ask(&mut session, own).unwrap_err().to_string();
    assert!(error.contains("already exists"), "{error}");
}

#[test]
fn casts_need_no_module() {
    let sql = "SELECT cast_int!('12'), cast_double!('1.5'), cast_string!(3)";
    let expected = [
        Value::Integer(12),
        Value::Real(1.5),
        Value::Text("3".to_owned()),
    ];
    assert_eq!(ask(&mut session(), sql).unwrap().rows, [expected]);
}

#[test]
fn an_error_says_where_to_find_what_is_missing() {
    let mut session = session();
    session.add_module(
        "own.page",
        "page.sql",
        "CREATE PERFETTO TABLE own_loads AS SELECT 1 AS x",
    );
    for (sql, advice) in [
        (
            "SELECT * FROM Android_Startups",
            "no such table: Android_Startups; INCLUDE PERFETTO MODULE android.startup.startups defines it",
        ),
        (
            "SELECT x FROM own_loads",
            "no such table: own_loads; INCLUDE PERFETTO MODULE own.page defines it",
        ),
        (
            "SELECT * FROM android_slices_for_startup_and_slice_name(1, 'x')",
            "no such table: android_slices_for_startup_and_slice_name; INCLUDE PERFETTO MODULE android.startup.startups defines it",
        ),
        (
            "SELECT android_standardize_slice_name('x')",
            "no such function: android_standardize_slice_name; INCLUDE PERFETTO MODULE android.slices defines it",
        ),
        (
            "SELECT * FROM intervals_overlap_count!(slice, ts, dur)",
            "there is no macro intervals_overlap_count!; INCLUDE PERFETTO MODULE intervals.overlap defines it",
        ),
        (
            "SELECT * FROM irq_counter_track",
            "no such table: irq_counter_track; its tracks are in track, with the type num_irq",
        ),
        (
            "SELECT s.stack_id FROM slice AS s",
            "no such column: s.stack_id; slice_with_stack_id of the module slices.stack has it",
        ),
        (
            "CREATE VIRTUAL TABLE m USING __intrinsic_slice_mipmap((SELECT id, ts, dur, depth FROM slice))",
            "__intrinsic_slice_mipmap is not supported; to see fewer slices, group the rows of slice by time",
        ),
        (
            "SELECT * FROM __intrinsic_video_frames",
            "no such table: __intrinsic_video_frames; the frames of recorded videos are not read",
        ),
        (
            "INCLUDE PERFETTO MODULE common.slices",
            "there is no module common.slices; slices.with_context replaces it",
        ),
        ("SELECT * FROM unheard", "no such table: unheard"),
        ("SELECT unheard(1)", "no such function: unheard"),
        (
            "SELECT * FROM Intervals_Overlap_Count!(slice)",
            "there is no macro Intervals_Overlap_Count!",
        ),
    ] {
        let error = ask(&mut session, sql).unwrap_err().to_string();
        assert!(error.ends_with(advice), "{error}");
    }
}
