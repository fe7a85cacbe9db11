-- Samples of stacks that tell what CPUs were doing.

INCLUDE PERFETTO MODULE callstacks.stack_profile;

-- Samples at regular intervals of time, cycles or instructions. Those of other events, such as page faults, are left out.
CREATE PERFETTO TABLE cpu_profiling_samples(
  -- The sample, as in stack_sample.
  id LONG,
  -- When.
  ts TIMESTAMP,
  -- The thread, if it is known.
  utid JOINID(thread.id),
  -- The thread's number.
  tid LONG,
  -- The thread's name.
  thread_name STRING,
  -- The CPU's row, if it is known.
  ucpu LONG,
  -- The CPU.
  cpu LONG,
  -- The callsite.
  callsite_id LONG,
  -- Who recorded it.
  source STRING
)
AS
SELECT
  s.id,
  s.ts,
  task.utid,
  thread.tid,
  thread.name AS thread_name,
  place.ucpu,
  place.ucpu AS cpu,
  s.callsite_id,
  s.source
FROM stack_sample AS s
LEFT JOIN __intrinsic_profiler_task_context AS task ON task.id = s.task_context_id
LEFT JOIN __intrinsic_profiler_execution_context AS place ON place.id = s.execution_context_id
LEFT JOIN __intrinsic_profiler_session AS session ON session.id = s.session_id
LEFT JOIN thread ON thread.utid = task.utid
WHERE coalesce(session.timebase_unit, 'ns') IN ('ns', 'cycles', 'instructions')
ORDER BY s.ts;

-- The functions of the samples, and how often each was the innermost.
CREATE PERFETTO TABLE _cpu_profiling_self_callsites AS
SELECT *
FROM _callstacks_for_callsites!((SELECT callsite_id FROM cpu_profiling_samples))
ORDER BY id;

-- The call tree of the samples.
CREATE PERFETTO TABLE cpu_profiling_summary_tree(
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
SELECT * FROM _callstacks_summary_tree!(_cpu_profiling_self_callsites);
