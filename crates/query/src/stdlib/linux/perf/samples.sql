-- The call tree of the samples of perf.

INCLUDE PERFETTO MODULE callstacks.stack_profile;

-- The functions of the samples, and how often each was the innermost.
CREATE PERFETTO TABLE _linux_perf_raw_callstacks AS
SELECT *
FROM _callstacks_for_callsites!((SELECT callsite_id FROM perf_sample))
ORDER BY id;

-- The call tree of the samples.
CREATE PERFETTO TABLE linux_perf_samples_summary_tree(
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
  -- In how many samples it is the innermost function.
  self_count LONG,
  -- In how many samples it is anywhere.
  cumulative_count LONG
)
AS
SELECT * FROM _callstacks_summary_tree!(_linux_perf_raw_callstacks);
