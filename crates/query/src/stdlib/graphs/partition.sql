-- Trees cut into parts.

-- Cuts a tree so that each part has nodes of one group: id, parent_id, group_key. The parent of a node is now its nearest
-- ancestor of the same group; NULL without one.
CREATE PERFETTO MACRO tree_structural_partition_by_group(
  -- The tree: id, parent_id, group_key.
  tree_table TableOrSubquery
)
RETURNS TableOrSubquery
AS (
  SELECT id, parent_id, group_key
  FROM __intrinsic_structural_tree_partition(
    (SELECT __intrinsic_rows(_tp_node.id, _tp_node.parent_id, _tp_node.group_key) FROM $tree_table AS _tp_node)
  )
);
