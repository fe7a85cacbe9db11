-- References that keep nothing alive.

-- The referents of weak references, phantom references and finalizers: the id of the reference.
CREATE PERFETTO TABLE _excluded_refs AS
SELECT ref.id
FROM heap_graph_reference AS ref
JOIN heap_graph_object AS owner ON owner.id = ref.owner_id
JOIN heap_graph_class AS class ON class.id = owner.type_id
WHERE
  ref.field_name = 'java.lang.ref.Reference.referent'
  AND class.kind IN ('KIND_WEAK_REFERENCE', 'KIND_PHANTOM_REFERENCE', 'KIND_FINALIZER_REFERENCE')
ORDER BY ref.id;
