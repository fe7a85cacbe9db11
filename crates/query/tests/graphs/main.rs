//! Graphs and trees, compared with plain SQL, with brute force, and with results worked out by hand.

#[path = "../made/mod.rs"]
mod made;
mod scans;

use made::{Numbers, ask, session};
use traceloom_query::{Session, Value};

const INCLUDE: &str = "INCLUDE PERFETTO MODULE graphs.*;";

fn rows(session: &mut Session, sql: &str) -> Vec<Vec<Value>> {
    let rows = ask(session, sql);
    rows.unwrap_or_else(|error| panic!("{sql}: {error}")).rows
}

fn numbers(session: &mut Session, sql: &str) -> Vec<Vec<Option<i64>>> {
    let number = |value: Value| match value {
        Value::Integer(number) => Some(number),
        Value::Null => None,
        other => panic!("{other:?} is no number"),
    };
    let rows = rows(session, sql).into_iter();
    rows.map(|row| row.into_iter().map(number).collect())
        .collect()
}

/// A graph with cycles and unreachable nodes, and its edges.
fn graph(session: &mut Session, seed: u64) -> Vec<(i64, i64)> {
    let mut numbers = Numbers(seed);
    let mut edge = || (numbers.below(25) as i64 - 5, numbers.below(25) as i64 - 5);
    let edges: Vec<(i64, i64)> = (0..45).map(|_| edge()).collect();
    let rows: Vec<String> = edges
        .iter()
        .map(|(from, to)| format!("({from}, {to})"))
        .collect();
    let sql = format!(
        "{INCLUDE} CREATE OR REPLACE PERFETTO TABLE edge AS
         WITH it(source_node_id, dest_node_id) AS (VALUES {}, (NULL, 3), (3, NULL)) SELECT * FROM it",
        rows.join(", ")
    );
    ask(session, &sql).unwrap();
    edges
}

#[test]
fn searches_reach_the_same_nodes_as_plain_sql() {
    let mut session = session();
    for seed in 1..20 {
        graph(&mut session, seed);
        let reached = "WITH RECURSIVE way(id, steps) AS (SELECT 0, 0 UNION SELECT 1, 0 UNION
              SELECT dest_node_id, steps + 1 FROM way JOIN edge ON source_node_id = id
              WHERE dest_node_id IS NOT NULL AND steps < 45)
            SELECT id, min(steps) FROM way GROUP BY id ORDER BY id";
        let expected = numbers(&mut session, reached);
        // The distance of each node, along the parents that the search found.
        let starts = "(SELECT 0 AS node_id UNION ALL SELECT 1 UNION ALL SELECT 0)";
        let found = format!(
            "WITH RECURSIVE found AS MATERIALIZED (SELECT * FROM graph_reachable_bfs!(edge, {starts})),
               way(id, steps) AS (SELECT node_id, 0 FROM found WHERE parent_node_id IS NULL UNION ALL
                 SELECT node_id, steps + 1 FROM way JOIN found ON parent_node_id = id)
             SELECT id, steps FROM way ORDER BY id"
        );
        assert_eq!(numbers(&mut session, &found), expected, "seed {seed}");
        let found = format!(
            "SELECT node_id FROM graph_reachable_dfs!(edge, {starts}) AS it
             WHERE parent_node_id IS NULL OR EXISTS (
               SELECT 1 FROM edge WHERE source_node_id = parent_node_id AND dest_node_id = node_id) ORDER BY 1"
        );
        let nodes: Vec<_> = expected.iter().map(|row| vec![row[0]]).collect();
        assert_eq!(numbers(&mut session, &found), nodes, "seed {seed}");
    }
}

#[test]
fn depth_comes_before_breadth() {
    let mut session = session();
    let edges = "(WITH it(source_node_id, dest_node_id) AS (VALUES (1, 2), (1, 3), (2, 4), (3, 4)) SELECT * FROM it)";
    let sql = |kind: &str| {
        format!(
            "{INCLUDE} SELECT node_id, parent_node_id FROM graph_reachable_{kind}!({edges}, (SELECT 1 AS node_id))"
        )
    };
    let row = |node, parent| vec![Some(node), parent];
    let depth = [
        row(1, None),
        row(2, Some(1)),
        row(4, Some(2)),
        row(3, Some(1)),
    ];
    assert_eq!(numbers(&mut session, &sql("dfs")), depth);
    let breadth = [
        row(1, None),
        row(2, Some(1)),
        row(3, Some(1)),
        row(4, Some(2)),
    ];
    assert_eq!(numbers(&mut session, &sql("bfs")), breadth);
}

/// The nodes that `start` reaches without `removed`.
fn reached(edges: &[(i64, i64)], start: i64, removed: Option<i64>) -> Vec<i64> {
    let mut known = Vec::new();
    let mut waiting = vec![start];
    while let Some(node) = waiting.pop() {
        if Some(node) != removed && !known.contains(&node) {
            known.push(node);
            let next = edges.iter().filter(|(from, _)| *from == node);
            waiting.extend(next.map(|(_, to)| *to));
        }
    }
    known.sort_unstable();
    known
}

/// The dominator of a node: among the nodes without which it cannot be reached, the one that dominates none of the
/// others.
fn dominator(edges: &[(i64, i64)], root: i64, node: i64) -> Option<i64> {
    let dominates = |one: i64, other: i64| !reached(edges, root, Some(one)).contains(&other);
    let all = reached(edges, root, None).into_iter();
    let all: Vec<i64> = all
        .filter(|it| *it != node && dominates(*it, node))
        .collect();
    let is_last = |it: &&i64| {
        all.iter()
            .all(|other| other == *it || dominates(*other, **it))
    };
    all.iter().find(is_last).copied()
}

#[test]
fn dominators_are_those_of_brute_force() {
    let mut session = session();
    for seed in 1..20 {
        let edges = graph(&mut session, seed);
        let sql =
            "SELECT node_id, dominator_node_id FROM graph_dominator_tree!(edge, 0) ORDER BY 1";
        let row = |node: i64| vec![Some(node), dominator(&edges, 0, node)];
        let expected: Vec<_> = reached(&edges, 0, None).into_iter().map(row).collect();
        assert_eq!(numbers(&mut session, sql), expected, "seed {seed}");
    }
}

#[test]
fn a_tree_is_cut_by_group() {
    // 1a ─┬─ 2b ─── 3a ─── 4b
    //     └─ 5a             7a is another root
    let mut session = session();
    let sql = format!(
        "{INCLUDE} SELECT id, parent_id, group_key FROM tree_structural_partition_by_group!((
           WITH it(id, parent_id, group_key) AS (VALUES (4, 3, 8), (1, NULL, 9), (2, 1, 8), (3, 2, 9), (5, 1, 9), (7, NULL, 9))
           SELECT * FROM it)) ORDER BY id"
    );
    let row = |id, parent, group| vec![Some(id), parent, Some(group)];
    let expected = [
        row(1, None, 9),
        row(2, None, 8),
        row(3, Some(1), 9),
        row(4, Some(2), 8),
        row(5, Some(1), 9),
        row(7, None, 9),
    ];
    assert_eq!(numbers(&mut session, &sql), expected);
}

#[test]
fn searches_end_at_a_weight() {
    // 1 ─5─ 2 ─1─ 4
    // └─1── 3 ─1─ 1
    let edges = "(WITH it(source_node_id, dest_node_id, edge_weight) AS (
        VALUES (1, 3, 1), (1, 2, 5), (3, 1, 1), (2, 4, 1)) SELECT * FROM it)";
    let roots = "(WITH it(root_node_id, root_target_weight) AS (VALUES (1, 1), (1, 9), (3, 3), (7, 0)) SELECT * FROM it)";
    let ask_with = |floor: u8| {
        format!(
            "{INCLUDE} SELECT * FROM graph_reachable_weight_bounded_dfs!({edges}, {roots}, {floor})"
        )
    };
    let row = |root, node, parent| vec![Some(root), Some(node), parent];
    // The sums are 0, 1, 6, 7 from 1, and 0, 1, 6 from 3.
    let below = [
        row(1, 1, None),
        row(1, 3, Some(1)),
        row(1, 1, None),
        row(1, 3, Some(1)),
        row(1, 2, Some(1)),
        row(1, 4, Some(2)),
        row(3, 3, None),
        row(3, 1, Some(3)),
        row(7, 7, None),
    ];
    assert_eq!(numbers(&mut session(), &ask_with(0)), below);
    let mut above = below.to_vec();
    above.insert(8, row(3, 2, Some(1)));
    above.insert(2, row(1, 2, Some(1)));
    assert_eq!(numbers(&mut session(), &ask_with(1)), above);
}

#[test]
fn siblings_and_ancestors() {
    let mut session = session();
    let tree =
        "(WITH it(id, parent_id) AS (VALUES (1, NULL), (2, 1), (3, 1), (4, 3)) SELECT * FROM it)";
    let sql = format!(
        "{INCLUDE} SELECT id FROM _tree_reachable_ancestors_or_self!({tree}, (SELECT 4 AS id UNION SELECT 3)) ORDER BY id"
    );
    assert_eq!(
        numbers(&mut session, &sql),
        [[Some(1)], [Some(3)], [Some(4)]]
    );
    let sql = format!(
        "SELECT node_id, next_node_id FROM graph_next_sibling!((
           SELECT id AS node_id, parent_id AS node_parent_id, -id AS sort_key FROM {tree})) ORDER BY 1"
    );
    let expected = [
        [Some(1), None],
        [Some(2), None],
        [Some(3), Some(2)],
        [Some(4), None],
    ];
    assert_eq!(numbers(&mut session, &sql), expected);
}

#[test]
fn deep_graphs_need_no_deep_recursion() {
    let mut session = session();
    let chain = "CREATE PERFETTO TABLE edge AS
        WITH RECURSIVE n(id) AS (SELECT 0 UNION ALL SELECT id + 1 FROM n LIMIT 200000)
        SELECT id AS source_node_id, id + 1 AS dest_node_id FROM n;";
    ask(&mut session, &format!("{INCLUDE} {chain}")).unwrap();
    for sql in [
        "SELECT count(*) FROM graph_reachable_dfs!(edge, (SELECT 0 AS node_id))",
        "SELECT count(*) FROM graph_reachable_bfs!(edge, (SELECT 0 AS node_id))",
        "SELECT count(*) FROM graph_reachable_weight_bounded_dfs!(
           (SELECT *, 1 AS edge_weight FROM edge), (SELECT 0 AS root_node_id, 1000000 AS root_target_weight), 0)",
        "SELECT count(*) FROM graph_dominator_tree!(edge, 0) WHERE node_id = dominator_node_id + 1 OR node_id = 0",
        "SELECT 1 + count(parent_id) FROM tree_structural_partition_by_group!((
           SELECT dest_node_id AS id, nullif(source_node_id, 0) AS parent_id, dest_node_id % 2 AS group_key FROM edge)) AS it
         WHERE id = parent_id + 2 OR id < 3",
    ] {
        let expected = if sql.contains("structural") { 199_999 } else { 200_001 };
        assert_eq!(numbers(&mut session, sql), [[Some(expected)]], "{sql}");
    }
}

#[test]
fn wrong_graphs_are_refused() {
    for (sql, reason) in [
        ("SELECT * FROM __intrinsic_dfs(5, NULL)", "is not a table"),
        (
            "SELECT * FROM __intrinsic_dfs(NULL)",
            "needs at least 2 arguments",
        ),
        (
            "SELECT * FROM graph_reachable_dfs!((SELECT 'a' AS source_node_id, 1 AS dest_node_id), (SELECT 1 AS node_id))",
            "must be whole numbers",
        ),
        (
            "SELECT * FROM tree_structural_partition_by_group!((
               SELECT 1 AS id, 2 AS parent_id, 1 AS group_key UNION ALL SELECT 2, 1, 1))",
            "is its own ancestor",
        ),
        (
            "SELECT * FROM tree_structural_partition_by_group!((SELECT 1 AS id, 2 AS parent_id, 1 AS group_key))",
            "the tree has no node 2",
        ),
        (
            "SELECT * FROM __intrinsic_no_such(1)",
            "no such table: __intrinsic_no_such",
        ),
        (
            "SELECT __intrinsic_no_such(1)",
            "no such function: __intrinsic_no_such",
        ),
    ] {
        let error = ask(&mut session(), &format!("{INCLUDE} {sql}"));
        let error = error.expect_err(sql).to_string();
        assert!(error.contains(reason), "{sql}: {error}");
    }
}

#[test]
fn a_graph_without_edges_needs_no_root() {
    let mut session = session();
    let of = |edges: &str| {
        format!(
            "{INCLUDE} SELECT count(*) FROM graph_dominator_tree!((SELECT 1 AS source_node_id, 2 AS dest_node_id {edges}), NULL)"
        )
    };
    assert_eq!(numbers(&mut session, &of("WHERE FALSE")), [[Some(0)]]);
    assert!(ask(&mut session, &of("")).is_err());
}
