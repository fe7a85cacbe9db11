-- Allocations by callstack.

INCLUDE PERFETTO MODULE callstacks.stack_profile;

-- The functions on the stacks of allocations, with the sums of those that each made itself: self_size, self_count,
-- self_alloc_size, self_alloc_count.
CREATE PERFETTO MACRO _android_heap_profile_callstacks_for_allocations(
  -- The allocations: callsite_id, size, count, alloc_size, alloc_count.
  allocations TableOrSubquery
)
RETURNS TableOrSubquery
AS (
  WITH _ahc_sums AS MATERIALIZED (
    SELECT
      callsite_id,
      sum(size) AS self_size,
      sum(count) AS self_count,
      sum(alloc_size) AS self_alloc_size,
      sum(alloc_count) AS self_alloc_count
    FROM $allocations
    GROUP BY callsite_id
  )
  SELECT
    c.id,
    c.parent_id,
    c.name,
    c.mapping_name,
    c.source_file,
    c.line_number,
    iif(c.is_leaf_function_in_callsite_frame, coalesce(n.self_size, 0), 0) AS self_size,
    iif(c.is_leaf_function_in_callsite_frame, coalesce(n.self_count, 0), 0) AS self_count,
    iif(c.is_leaf_function_in_callsite_frame, coalesce(n.self_alloc_size, 0), 0) AS self_alloc_size,
    iif(c.is_leaf_function_in_callsite_frame, coalesce(n.self_alloc_count, 0), 0) AS self_alloc_count
  FROM _callstacks_for_stack_profile_samples!(_ahc_sums) AS c
  LEFT JOIN _ahc_sums AS n USING (callsite_id)
);
