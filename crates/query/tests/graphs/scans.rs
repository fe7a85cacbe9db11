//! Scans of graphs, compared with plain SQL, with brute force, and with results worked out by hand.

use crate::made::{Numbers, ask, session};
use crate::{INCLUDE, numbers};

/// Edges that lead only to higher numbers.
fn edges_upwards(seed: u64) -> Vec<(i64, i64)> {
    let mut numbers = Numbers(seed);
    let mut edge = || {
        let from = numbers.below(11) as i64;
        (from, from + 1 + numbers.below(4) as i64)
    };
    (0..18).map(|_| edge()).collect()
}

fn table(columns: &str, rows: &[(i64, i64)]) -> String {
    let rows: Vec<String> = rows.iter().map(|(a, b)| format!("({a}, {b})")).collect();
    format!(
        "(WITH it({columns}) AS (VALUES {}) SELECT * FROM it)",
        rows.join(", ")
    )
}

#[test]
fn scans_follow_every_way() {
    let mut session = session();
    let mut found = 0;
    for seed in 1..10 {
        let edges = table("source_node_id, dest_node_id", &edges_upwards(seed));
        let starts = table("id, total", &[(0, 5), (2, 7), (40, 1)]);
        let scan = format!(
            "{INCLUDE} SELECT id, total FROM _graph_scan!({edges}, {starts}, (total),
               (SELECT t.id, t.total * 2 + t.id AS total FROM $table AS t)) ORDER BY 1, 2"
        );
        let expected = format!(
            "WITH RECURSIVE way(id, total) AS (SELECT * FROM {starts} UNION ALL
               SELECT dest_node_id, total * 2 + dest_node_id FROM way JOIN {edges} ON source_node_id = id)
             SELECT * FROM way ORDER BY 1, 2"
        );
        let expected = numbers(&mut session, &expected);
        found += expected.len();
        assert_eq!(numbers(&mut session, &scan), expected, "seed {seed}");
    }
    assert!(found > 100, "{found}");
}

/// For each node that can be reached from the starts: the sum of all values that arrive there, plus the number of the
/// node.
fn sums(edges: &[(i64, i64)], starts: &[(i64, i64)]) -> Vec<Vec<Option<i64>>> {
    let mut rows: Vec<(i64, i64)> = starts.to_vec();
    for node in 0..20 {
        let arrives =
            |(from, to): &&(i64, i64)| *to == node && rows.iter().any(|(id, _)| id == from);
        let before: Vec<i64> = edges
            .iter()
            .filter(arrives)
            .map(|(from, _)| *from)
            .collect();
        if !before.is_empty() {
            let of = |from: &i64| {
                rows.iter()
                    .filter(|(id, _)| id == from)
                    .map(|(_, sum)| sum)
                    .sum::<i64>()
            };
            let sum = before.iter().map(of).sum::<i64>() + node;
            rows.push((node, sum));
        }
    }
    rows.sort_unstable();
    rows.into_iter()
        .map(|(node, sum)| vec![Some(node), Some(sum)])
        .collect()
}

#[test]
fn aggregating_scans_wait_for_all_values() {
    let mut session = session();
    for seed in 1..10 {
        let (edges, starts) = (edges_upwards(seed), [(0, 5), (2, 7), (40, 1)]);
        let scan = format!(
            "{INCLUDE} SELECT id, total FROM _graph_aggregating_scan!({}, {}, (total),
               (SELECT t.id, sum(t.total) + t.id AS total FROM $table AS t GROUP BY t.id)) ORDER BY 1, 2",
            table("source_node_id, dest_node_id", &edges),
            table("id, total", &starts)
        );
        assert_eq!(
            numbers(&mut session, &scan),
            sums(&edges, &starts),
            "seed {seed}"
        );
    }
}

#[test]
fn wrong_scans_are_refused() {
    let mut session = session();
    let circle = table("source_node_id, dest_node_id", &[(1, 2), (2, 3), (3, 1)]);
    let starts = table("id, n", &[(1, 0)]);
    for kind in ["_graph_scan", "_graph_aggregating_scan"] {
        let round = format!(
            "{INCLUDE} SELECT * FROM {kind}!({circle}, {starts}, (n), (SELECT id, n FROM $table))"
        );
        let error = ask(&mut session, &round).expect_err(&round).to_string();
        assert!(error.contains("has a circle"), "{error}");
        let line = table("source_node_id, dest_node_id", &[(1, 2)]);
        for (columns, query, reason) in [
            (
                "(n)",
                "(SELECT n, id FROM $table)",
                "must have the columns id, n, but has n, id",
            ),
            (
                "(n)",
                "(SELECT id, missing AS n FROM $table)",
                "no such column: missing",
            ),
            (
                "(n, n)",
                "(SELECT id, n FROM $table)",
                "must have the columns",
            ),
        ] {
            let sql =
                format!("{INCLUDE} SELECT * FROM {kind}!({line}, {starts}, {columns}, {query})");
            let error = ask(&mut session, &sql).expect_err(&sql).to_string();
            assert!(error.contains(reason), "{sql}: {error}");
        }
        let sql = format!(
            "{INCLUDE} SELECT * FROM {kind}!({line}, {starts}, (n), (SELECT 'x' AS id, n FROM $table))"
        );
        let error = ask(&mut session, &sql).expect_err(&sql).to_string();
        assert!(
            error.contains("id of a scan must be a whole number"),
            "{error}"
        );
        let empty = format!(
            "{INCLUDE} SELECT * FROM {kind}!({line}, (SELECT * FROM {starts} WHERE 0), (n), (SELECT id, n FROM $table))"
        );
        assert!(numbers(&mut session, &empty).is_empty());
    }
}
