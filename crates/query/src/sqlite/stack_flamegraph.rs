//! `experimental_flamegraph` for heap profiles (`native`) and samples (`perf`): call stacks, merged by the names of
//! their functions and mappings.

use super::focus::focused;
use super::table_call::TableFunction;

/// The columns of [`FRAMES`].
pub(super) const COLUMNS: &[&str] = &[
    "id",
    "ts",
    "depth",
    "name",
    "map_name",
    "count",
    "all_count",
    "size",
    "all_size",
    "alloc_count",
    "all_alloc_count",
    "alloc_size",
    "all_alloc_size",
    "parent_id",
    "source_file",
    "line_number",
];

/// The function, and another one that it calls.
pub(super) fn functions() -> [TableFunction; 2] {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let paths = TableFunction {
        name: "__intrinsic_callstack_paths".to_owned(),
        arguments: Vec::new(),
        columns: owned(&[
            "node",
            "callsite_id",
            "is_last",
            "path",
            "above",
            "depth",
            "name",
            "map_name",
            "source_file",
            "line_number",
        ]),
        sql: PATHS.to_owned(),
    };
    let frames = TableFunction {
        name: "__intrinsic_callstack_flamegraph".to_owned(),
        arguments: owned(super::heap_flamegraph::ARGUMENTS),
        columns: owned(COLUMNS),
        sql: FRAMES.to_owned(),
    };
    [paths, frames]
}

/// The functions of each callsite, outermost first. A symbolized frame has one function for each inlined function. The
/// number of a function consists of its callsite and its position there, 32 bits each. So callers have lower numbers,
/// and no trace can create a cycle. Equal `path`s are merged.
const PATHS: &str = "WITH RECURSIVE
    functions AS MATERIALIZED (
      SELECT f.id AS frame_id, 0 AS place, 0 AS last, coalesce(f.deobfuscated_name, f.name) AS name, m.name AS map_name,
        NULL AS source_file, NULL AS line_number
      FROM stack_profile_frame AS f JOIN stack_profile_mapping AS m ON m.id = f.mapping WHERE f.symbol_set_id IS NULL
      UNION ALL
      SELECT f.id, row_number() OVER (PARTITION BY f.id ORDER BY s.id DESC) - 1, count() OVER (PARTITION BY f.id) - 1, s.name,
        m.name, s.source_file, s.line_number
      FROM stack_profile_frame AS f JOIN stack_profile_mapping AS m ON m.id = f.mapping
      JOIN stack_profile_symbol AS s ON s.symbol_set_id = f.symbol_set_id),
    lasts AS MATERIALIZED (
      SELECT c.id, c.id * 4294967296 + f.last AS node
      FROM stack_profile_callsite AS c JOIN functions AS f ON f.frame_id = c.frame_id AND f.place = 0),
    nodes AS MATERIALIZED (
      SELECT c.id AS callsite_id, c.id * 4294967296 + f.place AS node, f.place = f.last AS is_last, f.name, f.map_name,
        f.source_file, f.line_number, iif(f.place = 0, lasts.node, c.id * 4294967296 + f.place - 1) AS up
      FROM stack_profile_callsite AS c JOIN functions AS f ON f.frame_id = c.frame_id
      LEFT JOIN lasts ON lasts.id = c.parent_id),
    paths(node, path, above, depth) AS (
      SELECT node, hash(name, map_name), NULL, 0 FROM nodes WHERE up IS NULL
      UNION ALL
      SELECT n.node, hash(p.path, n.name, n.map_name), p.path, p.depth + 1 FROM paths AS p JOIN nodes AS n ON n.up = p.node)
    SELECT node, n.callsite_id, n.is_last, p.path, p.above, p.depth, n.name, n.map_name, n.source_file, n.line_number
    FROM paths AS p JOIN nodes AS n USING (node)";

/// The merged functions of all stacks, including stacks without values, in the order of the stacks.
///
/// `ts_constraint` is a list such as `>=5,<9`. A frame has the time of its last sample, or else the time of the first
/// condition.
const FRAMES: &str = concat!(
    "WITH RECURSIVE
    conditions AS MATERIALIZED (
      SELECT key, rtrim(value, '-0123456789') AS sign, CAST(ltrim(value, '<>=') AS INTEGER) AS number
      FROM json_each(iif($ts_constraint IS NULL, '[]', '[\"' || replace($ts_constraint, ',', '\",\"') || '\"]'))),
    bounds AS MATERIALIZED (
      SELECT max(CASE sign WHEN '>=' THEN number WHEN '>' THEN number + 1 WHEN '=' THEN number END) AS low,
        min(CASE sign WHEN '<=' THEN number WHEN '<' THEN number - 1 WHEN '=' THEN number END) AS high
      FROM conditions),
    samples AS MATERIALIZED (
      SELECT callsite_id, NULL AS ts, size, count, max(size, 0) AS alloc_size, max(count, 0) AS alloc_count
      FROM heap_profile_allocation WHERE $profile_type = 'native' AND ts <= $ts AND upid = $upid
      UNION ALL
      SELECT s.callsite_id, s.ts, 1, 1, 0, 0
      FROM perf_sample AS s JOIN thread AS t USING (utid) JOIN bounds
      WHERE $profile_type = 'perf' AND s.callsite_id IS NOT NULL
        AND s.ts >= coalesce(bounds.low, s.ts) AND s.ts <= coalesce(bounds.high, s.ts)
        AND iif($upid IS NULL, instr(',' || $upid_group || ',', ',' || t.upid || ','), t.upid = $upid)),
    paths AS MATERIALIZED (SELECT * FROM __intrinsic_callstack_paths()),
    own AS MATERIALIZED (
      SELECT p.path, max(s.ts) AS ts, sum(s.size) AS size, sum(s.count) AS count, sum(s.alloc_size) AS alloc_size,
        sum(s.alloc_count) AS alloc_count
      FROM samples AS s JOIN paths AS p ON p.callsite_id = s.callsite_id AND p.is_last GROUP BY p.path),
    merged AS MATERIALIZED (
      SELECT path, min(node) AS place, above, depth, name, map_name, source_file, line_number FROM paths
      WHERE $profile_type = 'perf' OR EXISTS (SELECT 1 FROM samples) GROUP BY path),
",
    focused!(),
    "    frames AS MATERIALIZED (
      SELECT row_number() OVER (ORDER BY m.place) - 1 AS id, m.*, own.ts, coalesce(own.size, 0) AS size,
        coalesce(own.count, 0) AS count, coalesce(own.alloc_size, 0) AS alloc_size, coalesce(own.alloc_count, 0) AS alloc_count
      FROM merged AS m LEFT JOIN own USING (path) WHERE m.path IN (SELECT path FROM focused)),
    parents AS MATERIALIZED (
      SELECT f.id, above.id AS parent_id, f.size, f.count, f.alloc_size, f.alloc_count
      FROM frames AS f LEFT JOIN frames AS above ON above.path = f.above),
    sums AS MATERIALIZED (
      SELECT c0 AS id, c1 AS count, c2 AS size, c3 AS alloc_size FROM __intrinsic_table_ptr((
        SELECT __intrinsic_tree_dominator_summary(__intrinsic_tree_from_table('id', id, 'parent_id', parent_id,
          'self_size', size, 'native_size', alloc_size, 'self_count', count))
        FROM parents))
      WHERE __intrinsic_table_ptr_bind(c0, 'id') AND __intrinsic_table_ptr_bind(c1, 'dominated_obj_count')
        AND __intrinsic_table_ptr_bind(c2, 'dominated_size_bytes')
        AND __intrinsic_table_ptr_bind(c3, 'dominated_native_size_bytes')),
    allocations AS MATERIALIZED (
      SELECT c0 AS id, c1 AS count FROM __intrinsic_table_ptr((
        SELECT __intrinsic_tree_dominator_summary(__intrinsic_tree_from_table('id', id, 'parent_id', parent_id,
          'self_size', 0, 'native_size', 0, 'self_count', alloc_count))
        FROM parents))
      WHERE __intrinsic_table_ptr_bind(c0, 'id') AND __intrinsic_table_ptr_bind(c1, 'dominated_obj_count'))
    SELECT f.id, coalesce(f.ts, $ts,
        (SELECT CASE sign WHEN '>' THEN number + 1 WHEN '<' THEN number - 1 ELSE number END FROM conditions ORDER BY key LIMIT 1),
        0) AS ts,
      f.depth, f.name, f.map_name, f.count, s.count AS all_count, f.size, s.size AS all_size, f.alloc_count,
      a.count AS all_alloc_count, f.alloc_size, s.alloc_size AS all_alloc_size, p.parent_id, f.source_file, f.line_number
    FROM frames AS f JOIN parents AS p USING (id) JOIN sums AS s USING (id) JOIN allocations AS a USING (id) ORDER BY f.id"
);
