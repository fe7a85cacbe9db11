//! Flame graphs, compared with plain SQL and with graphs worked out by hand.

mod made;

use made::{Numbers, ask, session};
use traceloom_query::{Session, Value};

/// Frames that often have the same names as their siblings. Children may come before their parents.
fn frames(session: &mut Session, count: usize) {
    let mut numbers = Numbers(77);
    let row = |id: usize| {
        let parent = match numbers.below(id + 1) {
            0 => "NULL".to_owned(),
            parent => (parent - 1).to_string(),
        };
        let (name, value) = (numbers.below(3), numbers.below(5));
        format!("({id}, {parent}, 'f{name}', {value}, {})", numbers.below(9))
    };
    let rows: Vec<String> = (0..count).map(row).collect();
    let sql = format!(
        "CREATE PERFETTO TABLE frame AS WITH it(id, parent_id, name, value, bytes) AS (VALUES {})
         SELECT * FROM it ORDER BY (id * 7) % 11;
         CREATE VIRTUAL TABLE fg USING __intrinsic_flamegraph((SELECT * FROM frame))",
        rows.join(", ")
    );
    ask(session, &sql).unwrap();
}

fn rows(session: &mut Session, sql: &str) -> Vec<Vec<Value>> {
    let rows = ask(session, sql);
    rows.unwrap_or_else(|error| panic!("{sql}: {error}")).rows
}

/// The nodes of a flame graph, with the names on the path to each.
fn nodes(config: &str) -> String {
    format!(
        "WITH RECURSIVE node AS MATERIALIZED (SELECT * FROM fg(__intrinsic_flamegraph_config({config}))),
           way(id, path, own, total) AS (
             SELECT _tree_id, name, self_value, cumulative_value FROM node WHERE _tree_parent_id IS NULL
             UNION ALL
             SELECT _tree_id, path || '/' || name, self_value, cumulative_value
             FROM way JOIN node ON _tree_parent_id = way.id)
         SELECT path, own, total FROM way ORDER BY path"
    )
}

/// The stack of each frame, from the root (`path`) and from the frame (`back`), and the frames on it.
const STACKS: &str = "RECURSIVE stack(id, path, back, value) AS (
       SELECT id, name, name, value FROM frame WHERE parent_id IS NULL
       UNION ALL
       SELECT f.id, path || '/' || f.name, f.name || '/' || back, f.value FROM stack JOIN frame f ON f.parent_id = stack.id)";

#[test]
fn top_down_is_the_values_by_stack() {
    let mut session = session();
    frames(&mut session, 300);
    let expected = format!(
        "WITH {STACKS}, path AS (SELECT DISTINCT path FROM stack)
         SELECT path, (SELECT ifnull(sum(value), 0) FROM stack s WHERE s.path = path.path),
           (SELECT sum(value) FROM stack s WHERE s.path || '/' GLOB path.path || '/*') AS total
         FROM path WHERE total > 0 ORDER BY path"
    );
    let found = rows(&mut session, &nodes("'value', 'value', 'view', 'TOP_DOWN'"));
    assert!(found.len() > 50);
    assert_eq!(found, rows(&mut session, &expected));
}

#[test]
fn bottom_up_is_the_values_by_the_stack_from_its_end() {
    let mut session = session();
    frames(&mut session, 300);
    // Every prefix of a stack that is read from its end. A name with its slash has 3 letters.
    let expected = format!(
        "WITH {STACKS},
           n(frames) AS (SELECT 1 UNION ALL SELECT frames + 1 FROM n LIMIT 40),
           part AS (
             SELECT value, frames, rtrim(substr(back, 1, frames * 3), '/') AS path
             FROM stack, n WHERE frames * 3 <= length(back) + 1)
         SELECT path, sum(iif(frames = 1, value, 0)), sum(value) AS total
         FROM part GROUP BY path HAVING total > 0 ORDER BY path"
    );
    let found = rows(
        &mut session,
        &nodes("'value', 'value', 'view', 'BOTTOM_UP'"),
    );
    assert!(found.len() > 50);
    assert_eq!(found, rows(&mut session, &expected));
}

#[test]
fn nodes_lie_within_their_parents_side_by_side() {
    let mut session = session();
    frames(&mut session, 300);
    let sql = "WITH node AS MATERIALIZED (
             SELECT * FROM fg(__intrinsic_flamegraph_config('value', 'value', 'value', 'bytes')))
         SELECT count(*) > 50, sum(node.x_end - node.x_start != node.cumulative_value),
           sum(node.x_start < parent.x_start OR node.x_end > parent.x_end), sum(node.depth != parent.depth + 1),
           sum(node.parent_cumulative_value != parent.cumulative_value),
           (SELECT count(*) FROM node a JOIN node b ON a.depth = b.depth AND a._tree_id < b._tree_id
            WHERE a.x_start < b.x_end AND b.x_start < a.x_end)
         FROM node LEFT JOIN node AS parent ON parent._tree_id = node._tree_parent_id";
    let found = rows(&mut session, sql);
    assert_eq!(found, [[1, 0, 0, 0, 0, 0].map(Value::Integer)]);
    let sums = "SELECT sum(self_bytes), sum(iif(depth = 1, cumulative_bytes, 0)), (SELECT sum(bytes) FROM frame)
         FROM fg(__intrinsic_flamegraph_config('value', 'bytes'))";
    let found = rows(&mut session, sums);
    assert_eq!(found[0][0], found[0][1]);
    assert_eq!(found[0][0], found[0][2]);
}

#[test]
fn a_flame_graph_is_a_table_that_can_be_dropped() {
    let mut session = session();
    let create = "CREATE VIRTUAL TABLE fg USING __intrinsic_flamegraph((
        SELECT 1 AS id, NULL AS parent_id, 'main' AS name, 2.5 AS value));";
    let query = "SELECT name, x_end FROM fg(__intrinsic_flamegraph_config('value', 'value'));";
    let main = [[Value::Text("main".to_owned()), Value::Real(2.5)]];
    assert_eq!(rows(&mut session, &format!("{create}{query}")), main);
    let error = ask(&mut session, create).unwrap_err().to_string();
    assert!(error.contains("there is already a table fg"), "{error}");
    let again = format!("DROP TABLE fg; {create}{query}");
    assert_eq!(rows(&mut session, &again), main);
    let dropped = format!("DROP TABLE IF EXISTS fg; {query}");
    let error = ask(&mut session, &dropped).unwrap_err().to_string();
    assert!(error.contains("no such table: fg"), "{error}");
    let slice = create.replace("fg", "slice");
    let error = ask(&mut session, &slice).unwrap_err().to_string();
    assert!(error.contains("there is already a table slice"), "{error}");
}

#[test]
fn wrong_frames_and_configurations_are_refused() {
    let frames = |rows: &str| {
        format!(
            "CREATE VIRTUAL TABLE fg USING __intrinsic_flamegraph((
               WITH it(id, parent_id, name, value) AS (VALUES {rows}) SELECT * FROM it));"
        )
    };
    let ask_with =
        |config: &str| format!("SELECT * FROM fg(__intrinsic_flamegraph_config({config}))");
    let one = "(1, NULL, 'a', 1)";
    for (rows, config, reason) in [
        (
            "(1, 2, 'a', 1), (2, 1, 'b', 1)",
            "'value', 'value'",
            "form a cycle",
        ),
        ("(1, 1, 'a', 1)", "'value', 'value'", "form a cycle"),
        ("(1, 7, 'a', 1)", "'value', 'value'", "no row has the id 7"),
        (
            "(1, NULL, 'a', 1), (1, NULL, 'b', 1)",
            "'value', 'value'",
            "two rows have the id 1",
        ),
        (
            "(1, NULL, 'a', 'b')",
            "'value', 'value'",
            "the column value must have numbers",
        ),
        (
            "(1, NULL, 'a', 1), (2, NULL, 3, 1)",
            "'value', 'value'",
            "the column name has values of different types",
        ),
        ("(1, NULL, 'a', -1)", "'value', 'value'", "is negative"),
        (
            "(1, NULL, 'a', 9223372036854775807), (2, 1, 'b', 1)",
            "'value', 'value'",
            "is too large",
        ),
        (one, "'view', 'TOP_DOWN'", "at least one value column"),
        (one, "'value', 'none'", "there is no column none"),
        (
            one,
            "'value', 'value', 'view', 'PIVOT'",
            "need a view_pattern",
        ),
        (
            one,
            "'value', 'value', 'filter', 'HIDE_FRAME', '(', ''",
            "the regular expression is wrong",
        ),
        (one, "'value', 'value', 'view'", "view needs more values"),
        (
            one,
            "'value', 'value', 'colour', 'red'",
            "the tag \"colour\" is unknown",
        ),
        (one, "'value', 1", "must be a text"),
    ] {
        let sql = frames(rows) + &ask_with(config);
        let error = ask(&mut session(), &sql).expect_err(&sql).to_string();
        assert!(error.contains(reason), "{sql}: {error}");
    }
    let sql = frames(one) + "SELECT * FROM fg(x'00')";
    let error = ask(&mut session(), &sql).unwrap_err().to_string();
    assert!(
        error.contains("must be __intrinsic_flamegraph_config"),
        "{error}"
    );
}

#[test]
fn a_deep_stack_needs_no_deep_recursion() {
    let mut session = session();
    let sql = "CREATE VIRTUAL TABLE fg USING __intrinsic_flamegraph((
          WITH RECURSIVE n(id) AS (SELECT 0 UNION ALL SELECT id + 1 FROM n LIMIT 200000)
          SELECT id, iif(id > 0, id - 1, NULL) AS parent_id, 'f' AS name, 1 AS value FROM n ORDER BY -id));
        SELECT count(*), max(cumulative_value), max(depth)
        FROM fg(__intrinsic_flamegraph_config('value', 'value', 'filter', 'HIDE_STACK', 'x', ''))";
    let found = rows(&mut session, sql);
    assert_eq!(found, [[200_000, 200_000, 200_000].map(Value::Integer)]);
}

/// Frames of an app with two libraries, and their values.
///
/// ```text
/// main 1 app
/// ├─ load 2 app ─── parse 4 json ─── load 8 json
/// └─ Draw 16 gpu ─── parse 32 json
/// ```
const PROGRAM: &str = "CREATE VIRTUAL TABLE fg USING __intrinsic_flamegraph((
    WITH it(id, parent_id, name, value, library, place) AS (VALUES
      (1, NULL, 'main', 1, 'app', 10), (2, 1, 'load', 2, 'app', NULL), (3, 2, 'parse', 4, 'json', 30),
      (4, 3, 'load', 8, 'json', 40), (5, 1, 'Draw', 16, 'gpu', 50), (6, 5, 'parse', 32, 'json', 30))
    SELECT * FROM it));";

/// The nodes as lines: depth, name, own and cumulative value.
fn lines(config: &str) -> Vec<String> {
    let sql = format!(
        "{PROGRAM} SELECT printf('%d %s %d %d', depth, name, self_value, cumulative_value)
         FROM fg(__intrinsic_flamegraph_config('value', 'value', {config}))"
    );
    let line = |row: Vec<Value>| match &row[..] {
        [Value::Text(line)] => line.clone(),
        other => panic!("{other:?}"),
    };
    rows(&mut session(), &sql).into_iter().map(line).collect()
}

#[test]
fn filters_choose_stacks_and_frames() {
    let shown = lines("'filter', 'SHOW_STACK', 'parse', '', 'filter', 'SHOW_STACK', 'draw', 'i'");
    assert_eq!(shown, ["1 main 0 32", "2 Draw 0 32", "3 parse 32 32"]);
    let hidden = lines("'filter', 'HIDE_STACK', '^Draw$', ''");
    let expected = ["1 main 1 15", "2 load 2 14", "3 parse 4 12", "4 load 8 8"];
    assert_eq!(hidden, expected);
    // The values of hidden frames go to the frames above.
    let merged = lines("'filter', 'HIDE_FRAME', 'parse|main', ''");
    assert_eq!(merged, ["1 Draw 48 48", "1 load 6 14", "2 load 8 8"]);
    let with_library = "'grouping', 'library', 'filter', 'SHOW_STACK', 'gpu', ''";
    assert_eq!(
        lines(with_library),
        ["1 main 0 48", "2 Draw 16 48", "3 parse 32 32"]
    );
}

#[test]
fn views_start_from_frames_that_match() {
    let from = lines("'view', 'FROM_FRAME', 'view_pattern', '^parse$', ''");
    assert_eq!(from, ["1 parse 36 44", "2 load 8 8"]);
    // Above parse: Draw and main, load and main. The two nested loads start two trees.
    let around = lines("'view', 'PIVOT', 'view_pattern', '^parse$', ''");
    let expected = [
        "1 parse 36 44",
        "-1 parse 44 44",
        "2 load 8 8",
        "-2 Draw 0 32",
        "-2 load 0 12",
        "-3 main 0 32",
        "-3 main 0 12",
    ];
    assert_eq!(around, expected);
    let nested = lines("'view', 'FROM_FRAME', 'view_pattern', '^load$', ''");
    assert_eq!(nested, ["1 load 10 14", "2 parse 4 4"]);
}

#[test]
fn columns_are_combined_where_frames_are_merged() {
    let sql = format!(
        "{PROGRAM} SELECT name, place, library FROM fg(__intrinsic_flamegraph_config(
           'value', 'value', 'view', 'FROM_FRAME', 'view_pattern', '^(load|Draw)$', '',
           'aggregate', 'SUM', 'place', 'place', 'aggregate', 'CONCAT_WITH_COMMA', 'library', 'library'))"
    );
    let row = |name: &str, place: i64, library: &str| {
        let text = |text: &str| Value::Text(text.to_owned());
        [text(name), Value::Integer(place), text(library)]
    };
    let expected = [
        row("Draw", 50, "gpu"),
        row("load", 40, "app,json"),
        row("parse", 30, "json"),
        row("parse", 30, "json"),
    ];
    assert_eq!(rows(&mut session(), &sql), expected);
    let sql = format!(
        "{PROGRAM} SELECT library FROM fg(__intrinsic_flamegraph_config('value', 'value', 'view', 'BOTTOM_UP',
           'filter', 'SHOW_STACK', 'main', '', 'aggregate', 'ONE_OR_SUMMARY', 'library', 'library'))
         WHERE name = 'load' AND depth = -1"
    );
    let expected = Value::Text("app and 2 others".to_owned());
    assert_eq!(rows(&mut session(), &sql), [[expected]]);
}

#[test]
fn the_super_root_has_the_whole_value() {
    let find = "__intrinsic_flamegraph_find(_tree_id, 'SUPER_ROOT')";
    let of_all = "FROM fg(__intrinsic_flamegraph_config('value', 'value'))";
    let sql =
        format!("{PROGRAM} SELECT _tree_id, depth, name, cumulative_value {of_all} WHERE {find}");
    let expected = [
        Value::Integer(0),
        Value::Integer(0),
        Value::Null,
        Value::Real(63.0),
    ];
    assert_eq!(rows(&mut session(), &sql), [expected]);
    for (sql, reason) in [
        (
            format!("SELECT * {of_all} WHERE {find} OR depth = 1"),
            "must be a condition of its own",
        ),
        (
            format!("SELECT * {of_all} WHERE {}", find.replace("SUPER", "NO")),
            "has no row \"NO_ROOT\"",
        ),
        (
            format!("SELECT 1 WHERE {}", find.replace("_tree_id", "1")),
            "must be a condition of a flame graph",
        ),
    ] {
        let error = ask(&mut session(), &format!("{PROGRAM} {sql}"));
        let error = error.expect_err(&sql).to_string();
        assert!(error.contains(reason), "{sql}: {error}");
    }
}
