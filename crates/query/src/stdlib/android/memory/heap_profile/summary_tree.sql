-- The call tree of native allocations.

INCLUDE PERFETTO MODULE android.memory.heap_profile.callstacks;

INCLUDE PERFETTO MODULE graphs.scan;

-- The functions on the stacks of all allocations.
CREATE PERFETTO TABLE _ahs_functions AS
SELECT *
FROM _android_heap_profile_callstacks_for_allocations!((
  SELECT callsite_id, size, count, max(size, 0) AS alloc_size, max(count, 0) AS alloc_count
  FROM heap_profile_allocation
));

-- The sums over each function and what it called.
CREATE PERFETTO TABLE _ahs_sums AS
SELECT id, self_size AS cumulative_size, self_alloc_size AS cumulative_alloc_size
FROM _forest_sums!(_ahs_functions, self_size, self_alloc_size);

-- The functions that allocated memory, each below its caller.
CREATE PERFETTO TABLE android_heap_profile_summary_tree(
  -- The function with its callers.
  id LONG,
  -- Its caller; NULL for the outermost function.
  parent_id LONG,
  -- The function's name.
  name STRING,
  -- The file in memory that it belongs to.
  mapping_name STRING,
  -- The file of its source.
  source_file STRING,
  -- The line there.
  line_number LONG,
  -- What it allocated itself and did not free, bytes.
  self_size LONG,
  -- What it and the functions that it called allocated and did not free, bytes.
  cumulative_size LONG,
  -- What it allocated itself, bytes.
  self_alloc_size LONG,
  -- What it and the functions that it called allocated, bytes.
  cumulative_alloc_size LONG
)
AS
SELECT
  id,
  parent_id,
  name,
  mapping_name,
  source_file,
  line_number,
  self_size,
  cumulative_size,
  self_alloc_size,
  cumulative_alloc_size
FROM _ahs_functions
JOIN _ahs_sums USING (id);
