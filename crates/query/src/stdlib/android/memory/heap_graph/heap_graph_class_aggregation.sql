-- The objects of each class, and what they keep alive.

INCLUDE PERFETTO MODULE android.memory.heap_graph.dominator_tree;

INCLUDE PERFETTO MODULE graphs.partition;

-- Whether a class is part of the language: then its objects belong to those that use them.
CREATE PERFETTO FUNCTION _is_libcore_or_array(
  -- The name of the class.
  obj_name STRING
)
RETURNS BOOL
AS
SELECT
  ($obj_name GLOB 'java.*' AND $obj_name NOT GLOB 'java.lang.Class<*>')
  OR $obj_name GLOB 'j$.*'
  OR str_split($obj_name, '[', 0) IN ('boolean', 'byte', 'char', 'short', 'int', 'long', 'float', 'double')
  AND instr($obj_name, '[') > 0
  OR $obj_name GLOB 'android.util.*Array*'
  OR $obj_name GLOB 'kotlinx.coroutines.*'
  OR $obj_name GLOB 'kotlinx.atomicfu.*';

-- The objects that no object of the same class keeps alive. The sums of a class add up what these keep alive, so that
-- nothing counts twice.
CREATE PERFETTO TABLE _heap_graph_topmost_of_class AS
WITH
  _hg_top(id) AS (SELECT max(id) + 1 FROM heap_graph_object),
  _hg_tree AS (
    SELECT tree.id, ifnull(tree.idom_id, (SELECT id FROM _hg_top)) AS parent_id, object.type_id AS group_key
    FROM heap_graph_dominator_tree AS tree
    JOIN heap_graph_object AS object USING (id)
    UNION ALL
    -- The runtime, of a class of its own, keeps the others alive.
    SELECT id, NULL, (SELECT max(id) + 1 FROM heap_graph_class) FROM _hg_top WHERE id IS NOT NULL
  )
SELECT id
FROM tree_structural_partition_by_group!(_hg_tree)
WHERE parent_id IS NULL
ORDER BY id;

-- The objects of each class in each dump.
CREATE PERFETTO TABLE android_heap_graph_class_aggregation(
  -- The process.
  upid JOINID(process.id),
  -- When the dump was made.
  graph_sample_ts TIMESTAMP,
  -- The class.
  type_id LONG,
  -- Its name, as before R8 if that is known.
  type_name STRING,
  -- Whether it is part of the language, or an array.
  is_libcore_or_array BOOL,
  -- How many objects it has.
  obj_count LONG,
  -- Their size, bytes.
  size_bytes LONG,
  -- The native memory that belongs to them, bytes.
  native_size_bytes LONG,
  -- How many of them live.
  reachable_obj_count LONG,
  -- The size of these, bytes.
  reachable_size_bytes LONG,
  -- The native memory that belongs to these, bytes.
  reachable_native_size_bytes LONG,
  -- How many objects would be garbage without them. They are included.
  dominated_obj_count LONG,
  -- The size of these, bytes.
  dominated_size_bytes LONG,
  -- The native memory that belongs to these, bytes.
  dominated_native_size_bytes LONG
)
AS
WITH
  -- The names of classes are looked up once for each class.
  total AS (
    SELECT
      object.upid,
      object.graph_sample_ts,
      object.type_id,
      count(*) AS obj_count,
      sum(self_size) AS size_bytes,
      sum(native_size) AS native_size_bytes,
      sum(iif(reachable, 1, 0)) AS reachable_obj_count,
      sum(iif(reachable, self_size, 0)) AS reachable_size_bytes,
      sum(iif(reachable, native_size, 0)) AS reachable_native_size_bytes,
      sum(iif(topmost.id IS NULL, 0, dominated_obj_count)) AS dominated_obj_count,
      sum(iif(topmost.id IS NULL, 0, dominated_size_bytes)) AS dominated_size_bytes,
      sum(iif(topmost.id IS NULL, 0, dominated_native_size_bytes)) AS dominated_native_size_bytes
    FROM heap_graph_object AS object
    LEFT JOIN _heap_graph_topmost_of_class AS topmost USING (id)
    LEFT JOIN heap_graph_dominator_tree AS tree USING (id)
    GROUP BY object.upid, object.graph_sample_ts, object.type_id
  )
SELECT
  upid,
  graph_sample_ts,
  type_id,
  ifnull(class.deobfuscated_name, class.name) AS type_name,
  _is_libcore_or_array(ifnull(class.deobfuscated_name, class.name)) AS is_libcore_or_array,
  obj_count,
  size_bytes,
  native_size_bytes,
  reachable_obj_count,
  reachable_size_bytes,
  reachable_native_size_bytes,
  dominated_obj_count,
  dominated_size_bytes,
  dominated_native_size_bytes
FROM total
JOIN heap_graph_class AS class ON class.id = total.type_id
ORDER BY upid, graph_sample_ts, type_id;
