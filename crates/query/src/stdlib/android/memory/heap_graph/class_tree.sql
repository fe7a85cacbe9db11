-- The classes on the shortest way to each object.

INCLUDE PERFETTO MODULE android.memory.heap_graph.excluded_refs;

INCLUDE PERFETTO MODULE android.memory.heap_graph.helpers;

INCLUDE PERFETTO MODULE graphs.search;

-- The object before each object on the shortest way to it from a root: id, parent_id.
CREATE PERFETTO TABLE _heap_graph_object_min_depth_tree AS
SELECT node_id AS id, parent_node_id AS parent_id
FROM graph_reachable_bfs!(
  (
    SELECT owner_id AS source_node_id, owned_id AS dest_node_id
    FROM heap_graph_reference
    WHERE owned_id IS NOT NULL AND id NOT IN (SELECT id FROM _excluded_refs)
    ORDER BY owned_id
  ),
  (
    SELECT object.id AS node_id
    FROM heap_graph_object AS object
    JOIN heap_graph_class AS class ON class.id = object.type_id
    WHERE object.root_type IS NOT NULL
    ORDER BY class.name, object.id
  )
)
ORDER BY id;

-- The node of each object.
CREATE PERFETTO TABLE _heap_graph_path_hashes AS
SELECT * FROM _heap_graph_type_path_hash!(_heap_graph_object_min_depth_tree);

-- The nodes.
CREATE PERFETTO TABLE _heap_graph_path_hashes_aggregated AS
SELECT * FROM _heap_graph_path_hash_aggregate!(_heap_graph_path_hashes);

-- The tree of classes.
CREATE PERFETTO TABLE _heap_graph_class_tree AS
SELECT * FROM _heap_graph_path_hashes_to_class_tree!(_heap_graph_path_hashes_aggregated);
