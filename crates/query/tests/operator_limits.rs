//! Operators end with a clear error when a limit is reached. The memory limit applies to the whole process, so these
//! tests have their own program.

mod made;

use std::time::Duration;

use made::{Rows, trace};
use traceloom_query::{Limits, QueryError, Session};

const INCLUDE: &str =
    "INCLUDE PERFETTO MODULE intervals.intersect; INCLUDE PERFETTO MODULE intervals.overlap;";

/// This many intervals, all of which overlap.
fn intervals(count: u32) -> String {
    format!(
        "(WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n LIMIT {count})
          SELECT id, id AS ts, 1000000 AS dur FROM n)"
    )
}

/// Queries that need more memory and time than any limit allows.
fn hungry() -> Vec<(&'static str, String)> {
    let many = intervals(20_000);
    vec![
        ("intersect", format!("{INCLUDE} SELECT count(*) FROM _interval_intersect!(({many}, {many}), ())")),
        ("overlap", format!("{INCLUDE} SELECT count(*) FROM interval_self_intersect!({many})")),
        (
            "span join",
            format!(
                "CREATE PERFETTO TABLE a AS SELECT ts, dur, id AS a FROM {many};
                 CREATE PERFETTO TABLE b AS SELECT ts, dur, id AS b FROM {many};
                 CREATE VIRTUAL TABLE both USING SPAN_JOIN(a, b); SELECT count(*) FROM both"
            ),
        ),
        (
            "flame graph",
            "CREATE VIRTUAL TABLE fg USING __intrinsic_flamegraph((
               WITH RECURSIVE n(id) AS (SELECT 0 UNION ALL SELECT id + 1 FROM n LIMIT 20000)
               SELECT id, iif(id > 0, id - 1, NULL) AS parent_id, 'f' || id AS name, 1 AS value FROM n));
             SELECT count(*) FROM fg(__intrinsic_flamegraph_config('value', 'value', 'view', 'BOTTOM_UP'))"
                .to_owned(),
        ),
        (
            "searches from many roots",
            "INCLUDE PERFETTO MODULE graphs.search;
             CREATE PERFETTO TABLE edge AS
             WITH RECURSIVE n(id) AS (SELECT 0 UNION ALL SELECT id + 1 FROM n LIMIT 20000)
             SELECT id AS source_node_id, id + 1 AS dest_node_id, 0 AS edge_weight FROM n;
             SELECT count(*) FROM graph_reachable_weight_bounded_dfs!(
               edge, (SELECT source_node_id AS root_node_id, 0 AS root_target_weight FROM edge), 0)"
                .to_owned(),
        ),
        (
            "table as a value",
            format!(
                "SELECT count(c0) FROM __intrinsic_table_ptr(__intrinsic_interval_intersect(
                   (SELECT __intrinsic_interval_tree_intervals_agg(id, ts, dur) FROM {many}),
                   (SELECT __intrinsic_interval_tree_intervals_agg(id, ts, dur) FROM {many}), '()'))
                 WHERE __intrinsic_table_ptr_bind(c0, 'ts')"
            ),
        ),
        // There are two paths from each node to the next.
        (
            "scan",
            "INCLUDE PERFETTO MODULE graphs.scan;
             SELECT count(*) FROM _graph_scan!(
               (WITH RECURSIVE n(id) AS (SELECT 0 UNION ALL SELECT id + 1 FROM n LIMIT 100)
                SELECT id AS source_node_id, id + 1 AS dest_node_id FROM n, (SELECT 1 UNION ALL SELECT 2)),
               (SELECT 0 AS id, 1 AS n), (n), (SELECT id, n FROM $table))"
                .to_owned(),
        ),
        // Each span waits for the previous one, and therefore for all earlier ones.
        (
            "critical path",
            "CREATE PERFETTO TABLE span AS
             WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n LIMIT 20000)
             SELECT id, id AS utid, 2 * id AS ts, 1 AS dur, 1000000 AS idle_dur, id - 1 AS waker_id FROM n;
             SELECT count(c0) FROM __intrinsic_table_ptr(__intrinsic_critical_path_walk(
               (SELECT __intrinsic_wakeup_graph_agg(id, utid, ts, dur, idle_dur, waker_id, NULL) FROM span),
               (SELECT __intrinsic_array_agg(id) FROM span))) WHERE __intrinsic_table_ptr_bind(c0, 'ts')"
                .to_owned(),
        ),
        (
            "percentile",
            "SELECT median(id) FROM (WITH RECURSIVE n(id) AS (SELECT 0 UNION ALL SELECT id + 1 FROM n LIMIT 10000000) SELECT id FROM n)"
                .to_owned(),
        ),
        (
            "profile",
            "SELECT length(experimental_profile(cat_stacks('f' || id))) FROM (
               WITH RECURSIVE n(id) AS (SELECT 0 UNION ALL SELECT id + 1 FROM n LIMIT 10000000) SELECT id FROM n)"
                .to_owned(),
        ),
    ]
}

fn fails(limits: Limits, sql: &str) -> QueryError {
    let mut session = Session::open(trace(), limits).unwrap();
    let done = session.run("test", sql, &[], &mut Rows::default());
    done.expect_err(sql)
}

#[test]
fn operators_respect_the_memory_limit() {
    let memory = Some(30_000_000);
    let timeout = Some(Duration::from_secs(60));
    for (name, sql) in hungry() {
        let error = fails(Limits { memory, timeout }, &sql);
        let is_memory = matches!(error, QueryError::Memory { limit: 30_000_000 });
        assert!(is_memory, "{name}: {error}");
    }
}

#[test]
fn operators_respect_the_timeout() {
    let timeout = Some(Duration::from_millis(200));
    for (name, sql) in hungry() {
        let error = fails(
            Limits {
                timeout,
                ..Limits::default()
            },
            &sql,
        );
        assert!(
            matches!(error, QueryError::Timeout { .. }),
            "{name}: {error}"
        );
    }
}
