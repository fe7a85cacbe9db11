-- Callsites as a forest of functions: an inlined function is a node of its own below the function that it is inlined into.

INCLUDE PERFETTO MODULE graphs.hierarchy;

INCLUDE PERFETTO MODULE graphs.scan;

-- The functions of each callsite, the outermost first: step is 0 for the first one.
CREATE PERFETTO TABLE _csp_functions AS
SELECT
  c.id AS callsite_id,
  c.parent_id AS parent_callsite_id,
  f.mapping AS mapping_id,
  coalesce(
    demangle(coalesce(s.name, f.deobfuscated_name, f.name)), s.name, f.deobfuscated_name, f.name, 'unknown'
  ) AS name,
  s.source_file,
  s.line_number,
  s.inlined,
  row_number() OVER (PARTITION BY c.id ORDER BY s.id DESC) - 1 AS step,
  count() OVER (PARTITION BY c.id) AS steps
FROM stack_profile_callsite AS c
JOIN stack_profile_frame AS f ON f.id = c.frame_id
LEFT JOIN stack_profile_symbol AS s ON s.symbol_set_id = f.symbol_set_id
ORDER BY callsite_id, step;

-- The number of the last function of each callsite.
CREATE PERFETTO TABLE _csp_last AS
SELECT callsite_id, max(_auto_id) AS id
FROM _csp_functions
GROUP BY callsite_id
ORDER BY callsite_id;

-- Every function of every callsite, with the function that called it.
CREATE PERFETTO TABLE _callstack_spc_forest AS
SELECT
  f._auto_id AS id,
  iif(f.step > 0, f._auto_id - 1, p.id) AS parent_id,
  f.name,
  f.mapping_id,
  f.source_file,
  f.line_number,
  0 AS column_number,
  f.inlined,
  f.callsite_id,
  f.step + 1 = f.steps AS is_leaf_function_in_callsite_frame
FROM _csp_functions AS f
LEFT JOIN _csp_last AS p ON p.callsite_id = f.parent_callsite_id
ORDER BY f._auto_id;

CREATE PERFETTO INDEX _csp_of_callsite ON _callstack_spc_forest(callsite_id);

-- The functions on the stacks of callsites.
CREATE PERFETTO MACRO _callstacks_for_stack_profile_samples(
  -- The callsites: callsite_id.
  spc_samples TableOrSubquery
)
RETURNS TableOrSubquery
AS (
  SELECT
    f.id,
    f.parent_id,
    f.callsite_id,
    f.name,
    m.name AS mapping_name,
    f.source_file,
    f.line_number,
    f.inlined,
    f.is_leaf_function_in_callsite_frame
  FROM _tree_reachable_ancestors_or_self!(
    _callstack_spc_forest,
    (
      SELECT _csp_start.id
      FROM $spc_samples AS _csp_sample
      JOIN _callstack_spc_forest AS _csp_start USING (callsite_id)
      WHERE _csp_start.is_leaf_function_in_callsite_frame
    )
  ) AS _csp_found
  JOIN _callstack_spc_forest AS f USING (id)
  JOIN stack_profile_mapping AS m ON m.id = f.mapping_id
);

-- The functions on the stacks of callsites, and how often each is the innermost: self_count.
CREATE PERFETTO MACRO _callstacks_for_callsites(
  -- A row for each sample: callsite_id.
  samples TableOrSubquery
)
RETURNS TableOrSubquery
AS (
  WITH _csp_counts AS MATERIALIZED (
    SELECT callsite_id, count() AS self_count FROM $samples GROUP BY callsite_id
  )
  SELECT
    c.id,
    c.parent_id,
    c.name,
    c.mapping_name,
    c.source_file,
    c.line_number,
    iif(c.is_leaf_function_in_callsite_frame, coalesce(n.self_count, 0), 0) AS self_count
  FROM _callstacks_for_stack_profile_samples!(_csp_counts) AS c
  LEFT JOIN _csp_counts AS n USING (callsite_id)
);

-- As _callstacks_for_callsites, with the sums of values: self_value.
CREATE PERFETTO MACRO _callstacks_for_callsites_weighted(
  -- A row for each sample: callsite_id, value.
  samples TableOrSubquery
)
RETURNS TableOrSubquery
AS (
  WITH _csp_sums AS MATERIALIZED (
    SELECT callsite_id, sum(value) AS self_value FROM $samples GROUP BY callsite_id
  )
  SELECT
    c.id,
    c.parent_id,
    c.name,
    c.mapping_name,
    c.source_file,
    c.line_number,
    iif(c.is_leaf_function_in_callsite_frame, coalesce(n.self_value, 0), 0) AS self_value
  FROM _callstacks_for_stack_profile_samples!(_csp_sums) AS c
  LEFT JOIN _csp_sums AS n USING (callsite_id)
);

-- The sums over a function and everything that it called: id, cumulative_count.
CREATE PERFETTO MACRO _callstacks_self_to_cumulative(
  -- The functions: id, parent_id, self_count.
  callstacks TableOrSubquery
)
RETURNS TableOrSubquery
AS (
  SELECT id, self_count AS cumulative_count
  FROM _forest_sums!((SELECT id, parent_id, self_count, 0 AS unused FROM $callstacks), self_count, unused)
);

-- The functions with these sums: id, parent_id, name, mapping_name, source_file, line_number, self_count, cumulative_count.
CREATE PERFETTO MACRO _callstacks_summary_tree(
  -- What _callstacks_for_callsites returns, as a table.
  callstacks TableOrSubquery
)
RETURNS TableOrSubquery
AS (
  SELECT id, parent_id, name, mapping_name, source_file, line_number, self_count, cumulative_count
  FROM $callstacks
  JOIN _callstacks_self_to_cumulative!($callstacks) USING (id)
  ORDER BY id
);
