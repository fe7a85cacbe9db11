-- Which node is on every path to a node.

-- The dominator of each node that the root reaches: node_id, dominator_node_id. It is the last node, besides the node itself,
-- that is on every path from the root; NULL for the root.
CREATE PERFETTO MACRO graph_dominator_tree(
  -- The edges: source_node_id, dest_node_id.
  graph_table TableOrSubquery,
  -- The root.
  root_node_id Expr
)
RETURNS TableOrSubquery
AS (
  SELECT node_id, dominator_node_id
  FROM __intrinsic_dominator_tree(
    (SELECT __intrinsic_rows(_dt_edge.source_node_id, _dt_edge.dest_node_id) FROM $graph_table AS _dt_edge),
    (SELECT __intrinsic_rows($root_node_id))
  )
);
