-- How much memory would be free without an object.

INCLUDE PERFETTO MODULE android.memory.heap_graph.raw_dominator_tree;

-- The objects that live, each below the one that keeps it alive.
CREATE PERFETTO TABLE heap_graph_dominator_tree(
  -- The object.
  id LONG,
  -- The object without which it would be garbage; NULL if there is none.
  idom_id LONG,
  -- How many objects would be garbage without it, with itself.
  dominated_obj_count LONG,
  -- Their size, bytes.
  dominated_size_bytes LONG,
  -- The native memory that belongs to them, bytes.
  dominated_native_size_bytes LONG,
  -- The place in the tree: 1 for an object that nothing but the runtime keeps alive.
  depth LONG
)
AS
SELECT
  c0 AS id,
  c1 AS idom_id,
  c2 AS dominated_obj_count,
  c3 AS dominated_size_bytes,
  c4 AS dominated_native_size_bytes,
  c5 AS depth
FROM __intrinsic_table_ptr((
  SELECT __intrinsic_tree_dominator_summary(
    __intrinsic_tree_from_table(
      'id', tree.id,
      'parent_id', tree.idom_id,
      'self_size', max(object.self_size, 0),
      'native_size', object.native_size,
      'self_count', 1
    )
  )
  FROM _raw_heap_graph_dominator_tree AS tree
  JOIN heap_graph_object AS object USING (id)
))
WHERE
  __intrinsic_table_ptr_bind(c0, 'id')
  AND __intrinsic_table_ptr_bind(c1, 'idom_id')
  AND __intrinsic_table_ptr_bind(c2, 'dominated_obj_count')
  AND __intrinsic_table_ptr_bind(c3, 'dominated_size_bytes')
  AND __intrinsic_table_ptr_bind(c4, 'dominated_native_size_bytes')
  AND __intrinsic_table_ptr_bind(c5, 'depth')
ORDER BY id;
