-- Heap graphs of processes that ran out of memory.

-- The allocation that failed.
CREATE PERFETTO VIEW android_heap_graph_java_oome_details(
  -- The row.
  id ID,
  -- The heap graph.
  heap_graph_id JOINID(heap_graph.id),
  -- How much was asked for, bytes.
  allocation_size_bytes LONG,
  -- How much was free in the heap, bytes.
  total_bytes_free LONG,
  -- By how much the heap could grow, bytes.
  free_bytes_until_oom LONG,
  -- What the error says.
  error_msg STRING
)
AS
SELECT id, heap_graph_id, allocation_size_bytes, total_bytes_free, free_bytes_until_oom, error_msg
FROM __intrinsic_heap_graph_java_oome_details;
