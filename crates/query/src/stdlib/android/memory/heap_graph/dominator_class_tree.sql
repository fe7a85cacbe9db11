-- The classes of the objects that keep an object alive.

INCLUDE PERFETTO MODULE android.memory.heap_graph.helpers;

INCLUDE PERFETTO MODULE android.memory.heap_graph.raw_dominator_tree;

-- The node of each object.
CREATE PERFETTO TABLE _heap_graph_dominator_path_hashes AS
SELECT *
FROM _heap_graph_type_path_hash!((SELECT id, idom_id AS parent_id FROM _raw_heap_graph_dominator_tree));

-- The nodes.
CREATE PERFETTO TABLE _heap_graph_dominator_path_hashes_aggregated AS
SELECT * FROM _heap_graph_path_hash_aggregate!(_heap_graph_dominator_path_hashes);

-- The tree of classes.
CREATE PERFETTO TABLE _heap_graph_dominator_class_tree AS
SELECT * FROM _heap_graph_path_hashes_to_class_tree!(_heap_graph_dominator_path_hashes_aggregated);
