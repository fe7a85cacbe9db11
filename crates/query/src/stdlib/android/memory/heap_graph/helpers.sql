-- Trees of classes: objects of the same class with the same classes above them are one node.

INCLUDE PERFETTO MODULE graphs.scan;

-- A number for the name of each class: equal names have equal numbers.
CREATE PERFETTO TABLE _heap_graph_class_name_hash AS
SELECT id, hash(coalesce(deobfuscated_name, name, '')) AS name_hash
FROM heap_graph_class
ORDER BY id;

-- The node of each object of a tree of objects: id, path_hash, parent_path_hash. An object of the same class as the one above
-- it belongs to the same node.
CREATE PERFETTO MACRO _heap_graph_type_path_hash(
  -- The objects: id, parent_id.
  tab TableOrSubquery
)
RETURNS TableOrSubquery
AS (
  SELECT id, path_hash, parent_path_hash
  FROM _graph_scan!(
    (SELECT parent_id AS source_node_id, id AS dest_node_id FROM $tab WHERE parent_id IS NOT NULL),
    (
      SELECT
        root.id,
        class.name_hash AS class_hash,
        hash(
          object.upid, object.graph_sample_ts, class.name_hash, coalesce(object.root_type, ''), coalesce(object.heap_type, '')
        ) AS path_hash,
        0 AS parent_path_hash
      FROM $tab AS root
      JOIN heap_graph_object AS object USING (id)
      JOIN _heap_graph_class_name_hash AS class ON class.id = object.type_id
      WHERE root.parent_id IS NULL
    ),
    (class_hash, path_hash, parent_path_hash),
    (
      SELECT
        above.id,
        class.name_hash AS class_hash,
        iif(
          class.name_hash = above.class_hash,
          above.path_hash,
          hash(above.path_hash, class.name_hash, coalesce(object.heap_type, ''))
        ) AS path_hash,
        iif(class.name_hash = above.class_hash, above.parent_path_hash, above.path_hash) AS parent_path_hash
      FROM $table AS above
      JOIN heap_graph_object AS object USING (id)
      JOIN _heap_graph_class_name_hash AS class ON class.id = object.type_id
    )
  )
  ORDER BY id
);

-- The nodes of a tree of classes. Native memory that belongs to objects is a node below them.
CREATE PERFETTO MACRO _heap_graph_path_hash_aggregate(
  -- What _heap_graph_type_path_hash returns.
  tab TableOrSubquery
)
RETURNS TableOrSubquery
AS (
  WITH nodes AS (
    SELECT
      object.graph_sample_ts,
      object.upid,
      path_hash,
      parent_path_hash,
      coalesce(class.deobfuscated_name, class.name, '') AS name,
      object.root_type,
      object.heap_type,
      count() AS self_count,
      -- A size of -1 is unknown.
      sum(max(object.self_size, 0)) AS self_size,
      sum(object.native_size > 0) AS native_count,
      sum(object.native_size) AS native_size
    FROM $tab
    JOIN heap_graph_object AS object USING (id)
    JOIN heap_graph_class AS class ON class.id = object.type_id
    GROUP BY path_hash
  )
  SELECT graph_sample_ts, upid, path_hash, parent_path_hash, name, root_type, heap_type, self_count, self_size
  FROM nodes
  UNION ALL
  SELECT
    graph_sample_ts,
    upid,
    hash(path_hash, 'native', '') AS path_hash,
    path_hash AS parent_path_hash,
    '[native] ' || name AS name,
    root_type,
    'HEAP_TYPE_NATIVE' AS heap_type,
    native_count AS self_count,
    native_size AS self_size
  FROM nodes
  WHERE native_size > 0
  ORDER BY path_hash
);

-- The nodes of a tree of classes with numbers: id, parent_id and what belongs to the node.
CREATE PERFETTO MACRO _heap_graph_path_hashes_to_class_tree(
  -- What _heap_graph_path_hash_aggregate returns, as a table.
  tab TableOrSubquery
)
RETURNS TableOrSubquery
AS (
  SELECT
    node.graph_sample_ts,
    node.upid,
    node._auto_id AS id,
    above._auto_id AS parent_id,
    node.name,
    node.root_type,
    node.heap_type,
    node.self_count,
    node.self_size,
    node.path_hash AS path_hash_stable
  FROM $tab AS node
  LEFT JOIN $tab AS above ON above.path_hash = node.parent_path_hash
  ORDER BY id
);
