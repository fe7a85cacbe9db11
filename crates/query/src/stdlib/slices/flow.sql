-- Slices that flows lead to.

INCLUDE PERFETTO MODULE graphs.search;

-- The slices that flows lead to from each start, directly and from slice to slice: root_node_id, node_id, parent_node_id. A start
-- without flows has no rows.
CREATE PERFETTO MACRO _slice_following_flow(
  -- The starts: id.
  source_table TableOrSubquery
)
RETURNS TableOrSubquery
AS (
  SELECT root_node_id, node_id, parent_node_id
  FROM graph_reachable_weight_bounded_dfs!(
    (SELECT slice_out AS source_node_id, slice_in AS dest_node_id, 0 AS edge_weight FROM flow),
    (
      SELECT id AS root_node_id, 1 AS root_target_weight
      FROM (SELECT id FROM $source_table)
      WHERE id IN (SELECT slice_out FROM flow)
    ),
    1
  )
);
