-- Which nodes of a graph can be reached. Nodes are whole numbers. Edges from or to NULL are left out.

-- The nodes that can be reached, depth first: node_id, and parent_node_id, the node it was reached from (NULL for a start).
CREATE PERFETTO MACRO graph_reachable_dfs(
  -- The edges: source_node_id, dest_node_id.
  graph_table TableOrSubquery,
  -- Where to start: node_id.
  start_nodes TableOrSubquery
)
RETURNS TableOrSubquery
AS (
  SELECT node_id, parent_node_id
  FROM __intrinsic_dfs(
    (SELECT __intrinsic_rows(_gs_edge.source_node_id, _gs_edge.dest_node_id) FROM $graph_table AS _gs_edge),
    (SELECT __intrinsic_rows(_gs_start.node_id) FROM $start_nodes AS _gs_start)
  )
);

-- As graph_reachable_dfs, breadth first: every node is reached by as few edges as possible.
CREATE PERFETTO MACRO graph_reachable_bfs(
  -- The edges: source_node_id, dest_node_id.
  graph_table TableOrSubquery,
  -- Where to start: node_id.
  start_nodes TableOrSubquery
)
RETURNS TableOrSubquery
AS (
  SELECT node_id, parent_node_id
  FROM __intrinsic_bfs(
    (SELECT __intrinsic_rows(_gs_edge.source_node_id, _gs_edge.dest_node_id) FROM $graph_table AS _gs_edge),
    (SELECT __intrinsic_rows(_gs_start.node_id) FROM $start_nodes AS _gs_start)
  )
);

-- The next node below the same parent: node_id, next_node_id (NULL for the last one).
CREATE PERFETTO MACRO graph_next_sibling(
  -- The nodes: node_id, node_parent_id, and sort_key, which differs between siblings.
  graph_table TableOrSubquery
)
RETURNS TableOrSubquery
AS (
  SELECT node_id, lead(node_id) OVER (PARTITION BY node_parent_id ORDER BY sort_key) AS next_node_id
  FROM $graph_table
);

-- As graph_reachable_dfs, from each root by itself: root_node_id, node_id, parent_node_id. The weights of the edges to the nodes
-- are added up in the order of the search, which ends when the sum is above the weight of the root.
CREATE PERFETTO MACRO graph_reachable_weight_bounded_dfs(
  -- The edges: source_node_id, dest_node_id, edge_weight.
  graph_table TableOrSubquery,
  -- The roots: root_node_id, root_target_weight.
  root_table TableOrSubquery,
  -- 1: the node whose edge exceeds the weight belongs to the result; 0: it does not.
  is_target_weight_floor Expr
)
RETURNS TableOrSubquery
AS (
  SELECT root_node_id, node_id, parent_node_id
  FROM __intrinsic_dfs_weight_bounded(
    (
      SELECT __intrinsic_rows(_gs_edge.source_node_id, _gs_edge.dest_node_id, _gs_edge.edge_weight)
      FROM $graph_table AS _gs_edge
    ),
    (SELECT __intrinsic_rows(_gs_root.root_node_id, _gs_root.root_target_weight) FROM $root_table AS _gs_root),
    $is_target_weight_floor
  )
);
