-- Which object keeps another one alive.

INCLUDE PERFETTO MODULE android.memory.heap_graph.excluded_refs;

INCLUDE PERFETTO MODULE graphs.dominator_tree;

-- Stands for the runtime, which refers to all roots: a number above those of the objects.
CREATE PERFETTO FUNCTION _heap_graph_super_root_fn()
RETURNS LONG
AS
SELECT coalesce(max(id), -1) + 1 FROM heap_graph_object;

-- The object without which an object would be garbage: id, idom_id, which is NULL if there is no such object.
CREATE PERFETTO TABLE _raw_heap_graph_dominator_tree AS
SELECT node_id AS id, nullif(dominator_node_id, _heap_graph_super_root_fn()) AS idom_id
FROM graph_dominator_tree!(
  (
    SELECT ref.owner_id AS source_node_id, ref.owned_id AS dest_node_id
    FROM heap_graph_reference AS ref
    JOIN heap_graph_object AS owner ON owner.id = ref.owner_id
    WHERE owner.reachable AND ref.owned_id IS NOT NULL AND ref.id NOT IN (SELECT id FROM _excluded_refs)
    UNION ALL
    SELECT (SELECT _heap_graph_super_root_fn()) AS source_node_id, id AS dest_node_id
    FROM heap_graph_object
    WHERE root_type IS NOT NULL
  ),
  (SELECT _heap_graph_super_root_fn())
)
WHERE dominator_node_id IS NOT NULL
ORDER BY id;
