//! Functions, macros, tables and views that scripts define.

mod made;

use made::{ask, session};
use traceloom_query::{Limits, Session, Value};
use traceloom_trace::{
    ArgValue, ProcessId, RowId, SchedSwitch, SchedTracker, SliceBegin, StringId, TaskState,
    TraceBuilder,
};

/// The numbers of a result with one column.
fn numbers(sql: &str) -> Vec<i64> {
    let rows = ask(&mut session(), sql).unwrap().rows;
    let number = |row: &Vec<Value>| match row[0] {
        Value::Integer(number) => number,
        ref other => panic!("{other:?} is no number"),
    };
    rows.iter().map(number).collect()
}

#[test]
fn a_function_returns_a_value() {
    let sql = "CREATE PERFETTO FUNCTION twice(x LONG) RETURNS LONG AS SELECT $x * 2;
               SELECT twice(twice(id)) FROM slice WHERE id < 3";
    assert_eq!(numbers(sql), [0, 4, 8]);
}

#[test]
fn a_function_returns_a_table() {
    let define =
        "CREATE PERFETTO FUNCTION upto(n LONG, step LONG) RETURNS TABLE(value LONG, n LONG) AS
        WITH RECURSIVE r(x) AS (SELECT 0 UNION ALL SELECT x + $step FROM r WHERE x + $step <= $n)
        SELECT x AS value, $n AS n FROM r;";
    let listed = format!("{define} SELECT value FROM upto(6, 2)");
    assert_eq!(numbers(&listed), [0, 2, 4, 6]);
    let joined = format!(
        "{define} SELECT sum(value) FROM cpu, upto(cpu.id, 1) WHERE cpu.id < 3 GROUP BY cpu.id"
    );
    assert_eq!(numbers(&joined), [0, 1, 3]);
    let within = format!(
        "{define} CREATE PERFETTO FUNCTION pairs(k LONG) RETURNS TABLE(v LONG) AS
         SELECT a.value * 10 + b.value AS v FROM upto($k, 1) a, upto($k, 1) b;
         SELECT v FROM pairs(1) ORDER BY v"
    );
    assert_eq!(numbers(&within), [0, 1, 10, 11]);
}

#[test]
fn wrong_calls_are_errors() {
    let define =
        "CREATE PERFETTO FUNCTION f(n LONG) RETURNS TABLE(value LONG) AS SELECT $n AS value;";
    for (sql, reason) in [
        ("SELECT * FROM f", "f needs 1 argument; "),
        ("SELECT * FROM f(1, 2)", "too many arguments on f()"),
        (
            "CREATE PERFETTO FUNCTION g() RETURNS TABLE(a LONG) AS SELECT 1 AS b",
            "the columns (a) are declared, but",
        ),
        (
            "DROP PERFETTO FUNCTION f; SELECT * FROM f(1)",
            "no such table: f",
        ),
        (
            "CREATE OR REPLACE PERFETTO FUNCTION f(n LONG) RETURNS TABLE(value LONG) AS \
             SELECT value FROM f($n); SELECT * FROM f(1)",
            "too deeply",
        ),
        (
            "CREATE PERFETTO FUNCTION h() RETURNS LONG AS SELECT value FROM f(1) UNION ALL SELECT 2; \
             SELECT h()",
            "h: its SELECT has more than one row",
        ),
        (
            "CREATE PERFETTO FUNCTION k() RETURNS LONG AS SELECT 1, 2; SELECT k()",
            "k: its SELECT has 2 columns, not one",
        ),
    ] {
        let error = ask(&mut session(), &format!("{define} {sql}")).expect_err(sql);
        let error = format!("{error}; ");
        assert!(error.contains(reason), "{sql}: {error}");
    }
}

#[test]
fn a_function_does_not_take_the_place_of_a_table() {
    let mut session = session();
    for sql in [
        "CREATE PERFETTO FUNCTION Slice() RETURNS TABLE(x LONG) AS SELECT 1 AS x",
        "CREATE OR REPLACE PERFETTO FUNCTION logs(n LONG) RETURNS TABLE(x LONG) AS SELECT 1 AS x",
        "SELECT create_view_function('__intrinsic_thread()', 'x INT', 'SELECT 1 AS x')",
    ] {
        let error = ask(&mut session, sql).expect_err(sql).to_string();
        assert!(error.contains("there is already a table"), "{sql}: {error}");
    }
    // The tables are still those of the trace.
    let rows = ask(
        &mut session,
        "SELECT count(*) > 0, count(*) = (SELECT count(*) FROM slice) * (SELECT count(*) FROM thread)
         FROM slice, __intrinsic_thread",
    );
    let yes = Value::Integer(1);
    assert_eq!(rows.unwrap().rows, [[yes.clone(), yes]]);
}

#[test]
fn tables_views_and_macros_are_found_by_later_statements() {
    let sql = "CREATE PERFETTO MACRO plus(a Expr, b Expr) RETURNS Expr AS ($a + $b);
               CREATE PERFETTO TABLE own(x LONG) AS SELECT plus!(1, 2) AS x;
               CREATE PERFETTO INDEX i ON own(x);
               CREATE PERFETTO VIEW seen AS SELECT plus!(x, 1) AS y FROM own;
               CREATE OR REPLACE PERFETTO TABLE own AS SELECT 5 AS x;
               SELECT y FROM seen";
    assert_eq!(numbers(sql), [6]);
}

#[test]
fn older_calls_define_functions_too() {
    let sql = "SELECT create_function('twice(x INT)', 'INT', 'SELECT $x * 2');
               SELECT create_view_function('near(x INT)', 'low INT, high INT', 'SELECT $x - 1 AS low, $x + 1 AS high');
               SELECT experimental_memoize('twice');
               SELECT twice(low) + high FROM near(10)";
    assert_eq!(numbers(sql), [29]);
    let same = "SELECT create_function('one()', 'INT', 'SELECT 1');";
    assert_eq!(numbers(&format!("{same} {same} SELECT one()")), [1]);
    for sql in [
        "SELECT create_function('f(', 'INT', 'SELECT 1')",
        "SELECT create_function('f()', 'NO_TYPE', 'SELECT 1')",
        "SELECT create_view_function('f()', 'a', 'SELECT 1 AS a')",
    ] {
        assert!(ask(&mut session(), sql).is_err(), "{sql}");
    }
    let columns = "SELECT create_view_function('f()', 'a INT) b', 'SELECT 1 AS a')";
    let error = ask(&mut session(), columns).unwrap_err().to_string();
    assert!(error.contains("\"a INT) b\" is not"), "{error}");
}

#[test]
fn functions_that_call_themselves_can_keep_their_results() {
    let f = "SELECT create_function('f(x INT)', 'INT', 'SELECT iif($x <= 0, 1, f($x - 1) + f($x - 1))');
             SELECT experimental_memoize('f');";
    assert_eq!(numbers(&format!("{f} SELECT f(62)")), [1 << 62]);
    // The results that a call needs may depend on other results, and may be texts or NULL.
    let g = "CREATE PERFETTO FUNCTION g(x LONG) RETURNS STRING AS
             SELECT iif($x <= 0, NULL, iif(g($x - 1) IS NULL, 'odd', g($x - 2)));
             SELECT experimental_memoize('g');
             CREATE PERFETTO FUNCTION deep(x LONG) RETURNS LONG AS SELECT iif($x = 0, 0, 1 + deep($x - 1));
             SELECT experimental_memoize('DEEP');";
    let sql = format!("{g} SELECT (g(4) IS NULL) + 2 * (g(5) = 'odd') + 4 * deep(20000)");
    assert_eq!(numbers(&sql), [80_003]);
    let circle = "SELECT create_function('f(x INT)', 'INT', 'SELECT f(1 - $x)');
                  SELECT experimental_memoize('f'); SELECT f(0)";
    let endless = "SELECT create_function('f(x INT)', 'INT', 'SELECT f($x + 1)');
                   SELECT experimental_memoize('f'); SELECT f(0)";
    let unknown = "SELECT experimental_memoize('unknown')";
    for (sql, message) in [
        (circle, "it waits for its own result"),
        (endless, "it calls itself too deeply"),
        (unknown, "there is no function unknown of one argument"),
    ] {
        let error = ask(&mut session(), sql).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn absent_texts_are_null_and_empty_ones_are_not() {
    let mut out = TraceBuilder::new();
    let utid = out.thread(7);
    let track = out.thread_track(utid);
    let empty = out.intern(b"");
    for name in [StringId::NULL, empty] {
        out.whole_slice(track, SliceBegin::named(5, name), 1);
    }
    let mut session = Session::open(out.finish(), Limits::default()).unwrap();
    let sql =
        "SELECT id FROM slice WHERE name IS NULL UNION ALL SELECT id FROM slice WHERE name = ''
               UNION ALL SELECT count(*) FROM slice WHERE category IS NULL
               UNION ALL SELECT count(*) FROM source WHERE name IS NULL AND format IS NULL";
    let rows = ask(&mut session, sql).unwrap().rows;
    let found: Vec<&Value> = rows.iter().flatten().collect();
    assert_eq!(
        found,
        [0, 1, 2, 1].map(Value::Integer).iter().collect::<Vec<_>>()
    );
}

#[test]
fn a_function_is_replaced_only_on_request_and_dropped_only_if_it_exists() {
    let f = "CREATE PERFETTO FUNCTION f() RETURNS LONG AS SELECT 1;";
    let other = "CREATE OR REPLACE PERFETTO FUNCTION F() RETURNS LONG AS SELECT 2;";
    assert_eq!(numbers(&format!("{f} {other} SELECT f()")), [2]);
    let t = "CREATE PERFETTO FUNCTION t() RETURNS TABLE(x LONG) AS SELECT 1 AS x;";
    for (sql, reason) in [
        (format!("{f} {f}"), "function f already exists"),
        (format!("{t} {t}"), "function t already exists"),
        (
            "DROP PERFETTO FUNCTION f".into(),
            "there is no function f that",
        ),
        (
            "DROP PERFETTO FUNCTION abs".into(),
            "there is no function abs that",
        ),
        (
            format!("{f} DROP PERFETTO FUNCTION F; SELECT f()"),
            "no such function: f",
        ),
    ] {
        let error = ask(&mut session(), &sql).expect_err(&sql).to_string();
        assert!(error.contains(reason), "{sql}: {error}");
    }
}

#[test]
fn a_function_with_many_arguments_is_dropped_too() {
    let arguments: Vec<String> = (0..20).map(|at| format!("a{at} LONG")).collect();
    let ones = vec!["1"; 20].join(", ");
    let define = format!(
        "CREATE PERFETTO FUNCTION f({}) RETURNS LONG AS SELECT $a19;",
        arguments.join(", ")
    );
    assert_eq!(numbers(&format!("{define} SELECT f({ones})")), [1]);
    let dropped = format!("{define} DROP PERFETTO FUNCTION f; SELECT f({ones})");
    let error = ask(&mut session(), &dropped).unwrap_err().to_string();
    assert!(error.contains("no such function: f"), "{error}");
}

#[test]
fn a_function_can_be_another_name_of_one() {
    let sql = "CREATE PERFETTO FUNCTION size(x LONG) RETURNS LONG DELEGATES TO abs;
               CREATE PERFETTO FUNCTION top(x ANY...) RETURNS LONG DELEGATES TO max;
               SELECT size(-3) UNION ALL SELECT top(1, 7, size(-5))";
    assert_eq!(numbers(sql), [3, 7]);
    for (target, reason) in [
        ("no_such", "there is no function no_such with 1 argument"),
        ("substr", "there is no function substr with 1 argument"),
        ("total", "total is an aggregate"),
    ] {
        let sql = format!("CREATE PERFETTO FUNCTION f(x LONG) RETURNS LONG DELEGATES TO {target}");
        let error = ask(&mut session(), &sql).expect_err(target).to_string();
        assert!(error.contains(reason), "{error}");
    }
}

#[test]
fn a_macro_can_expand_to_a_statement_of_perfetto_sql() {
    let sql = "CREATE PERFETTO MACRO def(name ColumnName, value Expr) RETURNS Expr AS
                 CREATE PERFETTO FUNCTION $name (x LONG) RETURNS LONG AS SELECT $x + $value;
               CREATE PERFETTO MACRO keep(name ColumnName) RETURNS Expr AS
                 CREATE PERFETTO TABLE $name AS SELECT 5 AS x;
               def!(plus, 2);
               keep!(own);
               SELECT plus(x) FROM own";
    assert_eq!(numbers(sql), [7]);
    let wrong = "CREATE PERFETTO MACRO def(name ColumnName) RETURNS Expr AS
                   CREATE PERFETTO TABLE $name AS SELECT missing;
                 def!(own)";
    let error = ask(&mut session(), wrong).unwrap_err().to_string();
    let place = "of the expansion of def!, included at line 3, column 18 of test: no such column";
    assert!(error.contains(place), "{error}");
}

#[test]
fn a_woken_thread_names_the_state_of_its_waker() {
    let mut out = TraceBuilder::new();
    let [idle, waker, woken] = [0, 7, 8].map(|tid| out.thread(tid));
    let mut sched = SchedTracker::default();
    let switch = |sched: &mut SchedTracker, out: &mut TraceBuilder, ts, prev, next| {
        let switch = SchedSwitch {
            ts,
            cpu: 0,
            prev,
            prev_priority: 120,
            prev_state: TaskState::SLEEPING,
            next,
            next_priority: 120,
            prev_is_idle: prev == idle,
            next_is_idle: next == idle,
        };
        sched.switch(out, switch);
    };
    switch(&mut sched, &mut out, 10, idle, woken);
    switch(&mut sched, &mut out, 20, woken, waker);
    sched.waking(&mut out, 25, woken, waker);
    sched.waking(&mut out, 25, waker, idle);
    let mut session = Session::open(out.finish(), Limits::default()).unwrap();
    let sql = "SELECT waker.ts FROM thread_state s JOIN thread_state waker ON waker.id = s.waker_id
               WHERE s.state = 'R' AND waker.state = 'Running' AND waker.utid = s.waker_utid";
    assert_eq!(ask(&mut session, sql).unwrap().rows, [[Value::Integer(20)]]);
}

#[test]
fn a_process_names_its_parent_of_the_time() {
    let mut out = TraceBuilder::new();
    let [first, child] = [100, 200].map(|pid| out.process(pid));
    let second = out.new_process(100);
    let (late, orphan) = (out.process(300), out.process(400));
    out.set_process_start(second, 50);
    out.set_process_start(late, 60);
    for (process, parent) in [(child, 100), (late, 100), (orphan, 7)] {
        out.set_process_parent(process, parent);
    }
    let mut session = Session::open(out.finish(), Limits::default()).unwrap();
    let sql = "SELECT upid, parent_upid FROM process WHERE parent_upid IS NOT NULL";
    let number = |id: ProcessId| Value::Integer(id.row() as i64);
    let expected = [[child, first], [late, second]].map(|pair| pair.map(number));
    assert_eq!(ask(&mut session, sql).unwrap().rows, expected);
}

#[test]
fn arguments_of_a_long_set_are_in_it() {
    let mut out = TraceBuilder::new();
    let utid = out.thread(7);
    let track = out.thread_track(utid);
    let key = out.intern(b"a[3].b");
    let sets = [2, 200_000, 3].map(|args| out.args((0..args).map(|n| (key, ArgValue::Int(n)))));
    for arg_set_id in sets {
        let begin = SliceBegin {
            arg_set_id,
            ..SliceBegin::named(5, key)
        };
        out.whole_slice(track, begin, 1);
    }
    let mut session = Session::open(out.finish(), Limits::default()).unwrap();
    let sql = "SELECT arg_set_id, count(*) FROM args WHERE flat_key = 'a.b' AND key = 'a[3].b' GROUP BY 1
               UNION ALL SELECT arg_set_id, extract_arg(arg_set_id, 'a[3].b') FROM slice WHERE id = 2";
    let expected = [[0, 2], [2, 200_000], [200_002, 3], [200_002, 0]];
    let expected = expected.map(|row| row.map(Value::Integer));
    assert_eq!(ask(&mut session, sql).unwrap().rows, expected);
}

#[test]
fn metrics_are_refused_by_name() {
    let error = ask(&mut session(), "SELECT RUN_METRIC('android/cpu.sql')").unwrap_err();
    assert!(
        error.to_string().contains("RUN_METRIC is not supported"),
        "{error}"
    );
}

#[test]
fn only_numbers_of_sets_have_arguments() {
    let of_sets = "SELECT count(*) FROM __intrinsic_args AS a
        WHERE value_type = 'int' AND extract_arg(arg_set_id, key) IS NULL";
    assert_eq!(numbers(of_sets), [0]);
    let of_others = "SELECT count(*) FROM __intrinsic_args AS a WHERE id != arg_set_id
        AND (extract_arg(id, key) IS NOT NULL OR __intrinsic_arg_set_to_json(id) IS NOT NULL)";
    assert_eq!(numbers(of_others), [0]);
}
