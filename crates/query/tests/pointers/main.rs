//! Tables as values, and the functions of Perfetto's standard library that take and return them. They are compared with
//! plain SQL, with the operators of the same name, and with results worked out by hand.

#[path = "../made/mod.rs"]
mod made;
mod trees;

use made::{Numbers, ask, session};
use traceloom_query::{Session, Value};

fn rows(session: &mut Session, sql: &str) -> Vec<Vec<Value>> {
    let rows = ask(session, sql);
    rows.unwrap_or_else(|error| panic!("{sql}: {error}")).rows
}

/// The rows as text.
fn shown(session: &mut Session, sql: &str) -> Vec<String> {
    let value = |value: Value| match value {
        Value::Null => "NULL".to_owned(),
        Value::Integer(number) => number.to_string(),
        Value::Real(number) => format!("{number:?}"),
        Value::Text(text) => text,
        Value::Blob(bytes) => format!("{bytes:?}"),
    };
    let row = |row: Vec<Value>| row.into_iter().map(value).collect::<Vec<_>>().join(" ");
    rows(session, sql).into_iter().map(row).collect()
}

/// A query for these columns of a table that is stored in a value.
fn read(table: &str, columns: &[&str]) -> String {
    let named = columns.iter().enumerate();
    let shown: Vec<String> = named
        .clone()
        .map(|(at, name)| format!("c{at} AS {name}"))
        .collect();
    let bound = named.map(|(at, name)| format!("__intrinsic_table_ptr_bind(c{at}, '{name}')"));
    let bound: Vec<String> = bound.collect();
    format!(
        "SELECT {} FROM __intrinsic_table_ptr({table}) WHERE {}",
        shown.join(", "),
        bound.join(" AND ")
    )
}

/// A table of these rows.
fn values(columns: &str, rows: &str) -> String {
    format!("(WITH it({columns}) AS (VALUES {rows}) SELECT * FROM it)")
}

#[test]
fn columns_are_bound_in_any_order() {
    let mut session = session();
    let edges = values("a, b", "(1, 2), (2, 3)");
    let found = format!(
        "__intrinsic_dfs((SELECT __intrinsic_graph_agg(a, b) FROM {edges}), (SELECT __intrinsic_array_agg(1)))"
    );
    let sql = read(&found, &["parent_node_id", "node_id"]);
    assert_eq!(shown(&mut session, &sql), ["NULL 1", "1 2", "2 3"]);
    let joined =
        format!("SELECT sum(it.node_id) FROM ({sql}) AS it JOIN slice ON slice.id = it.node_id");
    assert_eq!(shown(&mut session, &joined), ["6"]);
    let nothing = read("NULL", &["whatever"]);
    assert!(shown(&mut session, &nothing).is_empty());
}

#[test]
fn wrong_tables_are_refused() {
    let mut session = session();
    let table = "(SELECT __intrinsic_dominator_tree(1, 2, 1))";
    for (sql, reason) in [
        (read(table, &["missing"]), "the table has no column missing"),
        (read("7", &["id"]), "not a table"),
        (read("x'0102ff'", &["id"]), "not a table"),
        (read("x'000301ffffffffffffffff'", &["id"]), "not a table"),
        (
            format!("SELECT c0 FROM __intrinsic_table_ptr({table})"),
            "not bound",
        ),
        (
            "SELECT * FROM __intrinsic_table_ptr".to_owned(),
            "needs a table",
        ),
        (
            "SELECT __intrinsic_table_ptr_bind(1, 'a')".to_owned(),
            "must be a condition",
        ),
        (
            "SELECT __intrinsic_counter_intervals('lagging', 1, NULL)".to_owned(),
            "leading",
        ),
        (
            "SELECT __intrinsic_interval_intersect('a', 'b')".to_owned(),
            "not a table",
        ),
        (
            "SELECT __intrinsic_interval_intersect(NULL, NULL)".to_owned(),
            "no text",
        ),
    ] {
        let error = ask(&mut session, &sql).expect_err(&sql).to_string();
        assert!(error.contains(reason), "{sql}: {error}");
    }
}

#[test]
fn counters_keep_the_ends_of_runs() {
    // Track 1: 5 5 5 5 2 2 2. The last value of the second run is at the end of the track. Track 2 has one value.
    let counters = values(
        "id, ts, track_id, value",
        "(1, 0, 1, 5), (2, 10, 1, 5), (3, 20, 1, 5), (4, 25, 2, 7.5), (5, 30, 1, 5), (6, 40, 1, 2), (7, 50, 1, 2), (8, 60, 1, 2)",
    );
    let table = format!(
        "__intrinsic_counter_intervals('leading', 100, (
           SELECT __intrinsic_counter_per_track_agg(id, ts, track_id, value) FROM {counters}))"
    );
    let columns = [
        "id",
        "ts",
        "dur",
        "track_id",
        "value",
        "next_value",
        "delta_value",
    ];
    let expected = [
        "1 0 10 1 5.0 5.0 NULL",
        "2 10 20 1 5.0 5.0 0.0",
        "5 30 10 1 5.0 2.0 0.0",
        "6 40 10 1 2.0 2.0 -3.0",
        "7 50 50 1 2.0 NULL 0.0",
        "4 25 75 2 7.5 NULL NULL",
    ];
    assert_eq!(shown(&mut session(), &read(&table, &columns)), expected);
}

#[test]
fn intervals_are_intersected_as_by_the_operator() {
    let mut session = session();
    let mut numbers = Numbers(7);
    for _ in 0..20 {
        let mut table = || {
            let row = |id: usize| {
                let (ts, dur, cpu) = (numbers.below(40), numbers.below(12), numbers.below(3));
                format!("({id}, {ts}, {dur}, {cpu}, 'n{cpu}')")
            };
            let rows: Vec<String> = (0..12).map(row).collect();
            values("id, ts, dur, cpu, name", &rows.join(", "))
        };
        let tables = [table(), table(), table()];
        let collected: Vec<String> = tables
            .iter()
            .map(|table| {
                format!(
                    "(SELECT __intrinsic_interval_tree_intervals_agg(id, ts, dur, 'cpu', cpu, 'name', name) FROM {table})"
                )
            })
            .collect();
        let function = format!(
            "__intrinsic_interval_intersect({}, '(cpu, name)')",
            collected.join(", ")
        );
        let sql = read(
            &function,
            &["ts", "dur", "id_0", "id_1", "id_2", "id_14", "cpu", "name"],
        );
        let expected = format!(
            "INCLUDE PERFETTO MODULE intervals.intersect;
             SELECT ts, dur, id_0, id_1, id_2, NULL, cpu, name FROM _interval_intersect!(({}), (cpu, name))
             ORDER BY 1, 2, 3, 4, 5",
            tables.join(", ")
        );
        let found = shown(&mut session, &format!("{sql} ORDER BY 1, 2, 3, 4, 5"));
        assert!(!found.is_empty());
        assert_eq!(found, shown(&mut session, &expected));
    }
}

#[test]
fn intervals_are_created_as_by_the_macro() {
    let mut session = session();
    let starts = values("ts", "(5), (1), (9), (7), (7)");
    let ends = values("ts", "(7), (5), (8), (0)");
    let collect = |table: &str| format!("(SELECT __intrinsic_timestamp_set_agg(ts) FROM {table})");
    let function = format!(
        "__intrinsic_interval_create({}, {})",
        collect(&starts),
        collect(&ends)
    );
    let found = shown(&mut session, &read(&function, &["ts", "dur"]));
    let expected = format!(
        "INCLUDE PERFETTO MODULE intervals.create_intervals; SELECT * FROM _interval_create!({starts}, {ends})"
    );
    assert_eq!(found, ["1 4", "5 2", "7 1", "7 1"]);
    assert_eq!(found, shown(&mut session, &expected));
}

#[test]
fn graphs_are_searched_as_by_the_operators() {
    let mut session = session();
    let edges = values(
        "a, b, w",
        "(1, 2, 1), (1, 3, 2), (3, 4, 1), (2, 4, 5), (4, 1, 1), (5, 4, 1)",
    );
    let graph = format!("(SELECT __intrinsic_graph_agg(a, b) FROM {edges})");
    let rows = format!("(SELECT __intrinsic_rows(a, b) FROM {edges})");
    let starts = "(SELECT __intrinsic_array_agg(column1) FROM (VALUES (1), (5)))";
    for name in ["dfs", "bfs"] {
        let function = format!("__intrinsic_{name}({graph}, {starts})");
        let found = shown(
            &mut session,
            &read(&function, &["node_id", "parent_node_id"]),
        );
        let operator = format!("SELECT * FROM __intrinsic_{name}({rows}, {starts})");
        assert_eq!(found, shown(&mut session, &operator));
    }
    let function = format!("(SELECT __intrinsic_dominator_tree(a, b, 1) FROM {edges})");
    let found = shown(
        &mut session,
        &read(&function, &["node_id", "dominator_node_id"]),
    );
    let operator =
        format!("SELECT * FROM __intrinsic_dominator_tree({rows}, (SELECT __intrinsic_rows(1)))");
    assert_eq!(found, shown(&mut session, &operator));
    let column = |name: &str| format!("(SELECT repeatedfield({name}) FROM {edges})");
    let found = format!(
        "SELECT * FROM __intrinsic_dfs_weight_bounded({}, {}, {}, (SELECT repeatedfield(1)), (SELECT repeatedfield(3)), 0)",
        column("a"),
        column("b"),
        column("w")
    );
    let operator = format!(
        "SELECT * FROM __intrinsic_dfs_weight_bounded((SELECT __intrinsic_rows(a, b, w) FROM {edges}),
           (SELECT __intrinsic_rows(1, 3)), 0)"
    );
    let found = shown(&mut session, &found);
    assert_eq!(found.len(), 2);
    assert_eq!(found, shown(&mut session, &operator));
    let tree = values(
        "id, parent_id, group_key",
        "(1, NULL, 9), (2, 1, 8), (3, 2, 9)",
    );
    let function = format!(
        "(SELECT __intrinsic_structural_tree_partition(id, parent_id, group_key) FROM {tree})"
    );
    let sql = read(&function, &["node_id", "parent_node_id", "group_key"]);
    assert_eq!(shown(&mut session, &sql), ["1 NULL 9", "2 NULL 8", "3 1 9"]);
}

#[test]
fn the_critical_path_leads_to_wakers() {
    // A (1): idle 0-10, runs 10-15, woken by B (2): idle 2-4, runs 4-11, woken by C (3): runs 0-5.
    // B's span before (4) ran until 2. D (5) was idle 0-3, and the kernel woke it; its span before is unknown here.
    let spans = values(
        "id, utid, ts, dur, idle_dur, waker_id, prev_id",
        "(1, 11, 10, 5, 10, 2, NULL), (2, 12, 4, 7, 2, 3, 4), (3, 13, 0, 5, NULL, NULL, NULL),
         (4, 12, 1, 1, 1, NULL, NULL), (5, 14, 3, 2, 3, NULL, 6)",
    );
    let walk = format!(
        "__intrinsic_critical_path_walk(
           (SELECT __intrinsic_wakeup_graph_agg(id, utid, ts, dur, idle_dur, waker_id, prev_id) FROM {spans}),
           (SELECT __intrinsic_array_agg(column1) FROM (VALUES (1), (5), (99))))"
    );
    let columns = [
        "root_id",
        "depth",
        "ts",
        "dur",
        "blocker_id",
        "blocker_utid",
        "parent_id",
    ];
    let mut session = session();
    let sql = format!("{} ORDER BY 1, 3", read(&walk, &columns));
    let expected = [
        "1 1 1 1 4 12 1",
        "1 2 2 2 3 13 1",
        "1 1 4 6 2 12 1",
        "1 0 10 5 1 11 1",
        "5 0 0 3 5 14 5",
        "5 0 3 2 5 14 5",
    ];
    assert_eq!(shown(&mut session, &sql), expected);
    // Spans that wake each other mean damaged data. The walk still ends.
    let circle = "(VALUES (1, 1, 5, 5, 5, 2, 2), (2, 2, 5, 5, 5, 1, 1))";
    let walk = format!(
        "__intrinsic_critical_path_walk(
           (SELECT __intrinsic_wakeup_graph_agg(column1, column2, column3, column4, column5, column6, column7) FROM {circle}),
           (SELECT __intrinsic_array_agg(column1) FROM {circle}))"
    );
    let sql = format!("SELECT count(*) FROM ({})", read(&walk, &["ts"]));
    assert_eq!(shown(&mut session, &sql), ["2"]);
}

#[test]
fn the_types_of_columns_are_those_of_their_values() {
    let mut session = session();
    let sql = "CREATE PERFETTO TABLE t AS
               WITH it(a, b, c, d, e, f, g) AS (
                 VALUES (0, -1, 1.5, 'x', NULL, 9, 0), (1, 7, 2, 'a', 5000000000, 3, 0), (2, 2, 3, 'b', 1, 4, 2))
               SELECT * FROM it;
               SELECT * FROM perfetto_table_info('t')";
    let expected = [
        "0 a id 0 0",
        "1 b int32 0 3",
        "2 c double 0 3",
        "3 d string 0 3",
        "4 e int64 1 3",
        "5 f uint32 0 3",
        "6 g uint32 0 1",
        "7 _auto_id id 0 0",
    ];
    assert_eq!(shown(&mut session, sql), expected);
    let sql = "SELECT col_type FROM perfetto_table_info('slice') WHERE name IN ('id', 'name')";
    assert_eq!(shown(&mut session, sql), ["id", "string"]);
    let sql = "SELECT * FROM perfetto_table_info('__intrinsic_counter')";
    let expected = [
        "0 id id 0 0",
        "1 ts int64 0 2",
        "2 track_id uint32 0 3",
        "3 value double 0 3",
        "4 arg_set_id uint32 2 3",
    ];
    assert_eq!(shown(&mut session, sql), expected);
    let error = ask(&mut session, "SELECT * FROM perfetto_table_info('none')").unwrap_err();
    assert!(error.to_string().contains("no such table: none"), "{error}");
}

#[test]
fn rows_of_tables_have_numbers() {
    let sql = "CREATE PERFETTO TABLE t AS SELECT name FROM slice WHERE name IS NOT NULL ORDER BY ts LIMIT 3;
               SELECT group_concat(a._auto_id), count(b._auto_id) FROM t AS a JOIN t AS b ON b._auto_id = a._auto_id";
    assert_eq!(shown(&mut session(), sql), ["1,2,3 3"]);
}

#[test]
fn empty_tables_can_be_joined_and_replaced() {
    let mut session = session();
    let sql = "SELECT count(*), (SELECT count(*) FROM __intrinsic_slice) = (SELECT count(*) FROM slice)
               FROM slice JOIN perf_sample ON perf_sample.ts = slice.ts LEFT JOIN stack_profile_callsite AS it
               ON it.id = callsite_id";
    assert_eq!(shown(&mut session, sql), ["0 1"]);
    let sql = "SELECT type FROM pragma_table_info('heap_graph_class') WHERE name IN ('id', 'name')";
    assert_eq!(shown(&mut session, sql), ["BIGINT", "TEXT"]);
    let sql = "CREATE PERFETTO TABLE machine AS SELECT 5 AS id; SELECT id FROM machine";
    assert_eq!(shown(&mut session, sql), ["5"]);
}

#[test]
fn metadata_is_that_of_the_first_machine() {
    let sql = "SELECT extract_metadata('device'), extract_metadata_for_machine(0, 'device'),
                      extract_metadata_for_trace(1, 'device'), extract_exact_metadata(0, 0, 'device'), extract_metadata(NULL)";
    assert_eq!(shown(&mut session(), sql), ["made made NULL made NULL"]);
}
