-- The tree of classes with sums.

INCLUDE PERFETTO MODULE android.memory.heap_graph.class_tree;

INCLUDE PERFETTO MODULE graphs.scan;

-- The sums over each node and the nodes below it.
CREATE PERFETTO TABLE _heap_graph_class_tree_cumulatives AS
SELECT id, self_count AS cumulative_count, self_size AS cumulative_size
FROM _forest_sums!(_heap_graph_class_tree, self_count, self_size)
ORDER BY id;

-- The classes on the shortest way to each object. Objects of the same class with the same classes above them are one node.
CREATE PERFETTO TABLE android_heap_graph_class_summary_tree(
  -- When the graph was made.
  graph_sample_ts TIMESTAMP,
  -- The process.
  upid JOINID(process.id),
  -- The node.
  id LONG,
  -- The node above; NULL for a root.
  parent_id LONG,
  -- The class.
  name STRING,
  -- Which kind of root it is; NULL if it is none.
  root_type STRING,
  -- The number of objects of the node.
  self_count LONG,
  -- Their size, bytes.
  self_size LONG,
  -- The number of objects of the node and the nodes below.
  cumulative_count LONG,
  -- Their size, bytes.
  cumulative_size LONG
)
AS
SELECT
  graph_sample_ts, upid, id, parent_id, name, root_type, self_count, self_size, cumulative_count, cumulative_size
FROM _heap_graph_class_tree
JOIN _heap_graph_class_tree_cumulatives USING (id);
