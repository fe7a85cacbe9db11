-- Which classes descend from others.

INCLUDE PERFETTO MODULE graphs.scan;

-- The classes that descend from some classes, and these: id, ancestor_class_id and ancestor_class_name of the one of the
-- input.
CREATE PERFETTO MACRO android_heap_graph_class_find_descendants(
  -- Classes: id.
  ancestor_class_ids TableOrSubquery
)
RETURNS TableOrSubquery
AS (
  SELECT id, ancestor_class_id, ancestor_class_name
  FROM _graph_scan!(
    (
      SELECT superclass_id AS source_node_id, id AS dest_node_id
      FROM heap_graph_class
      WHERE superclass_id IS NOT NULL
    ),
    (
      SELECT class.id, class.id AS ancestor_class_id, class.name AS ancestor_class_name
      FROM $ancestor_class_ids AS chosen
      JOIN heap_graph_class AS class ON class.id = chosen.id
    ),
    (ancestor_class_id, ancestor_class_name),
    (SELECT id, ancestor_class_id, ancestor_class_name FROM $table)
  )
);
