-- Ancestors in trees.

INCLUDE PERFETTO MODULE graphs.search;

-- Nodes of a tree and all their ancestors: id.
CREATE PERFETTO MACRO _tree_reachable_ancestors_or_self(
  -- The tree: id, parent_id.
  tree TableOrSubquery,
  -- The nodes: id.
  start_nodes TableOrSubquery
)
RETURNS TableOrSubquery
AS (
  SELECT node_id AS id
  FROM graph_reachable_dfs!(
    (SELECT id AS source_node_id, parent_id AS dest_node_id FROM $tree),
    (SELECT id AS node_id FROM $start_nodes)
  )
);
