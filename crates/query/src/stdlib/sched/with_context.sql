-- Scheduling with threads and processes.

INCLUDE PERFETTO MODULE std.thread.with_context;

-- When each thread ran, on which CPU, with its thread and process.
CREATE PERFETTO VIEW sched_with_thread_process(
  -- The row of sched.
  id ID(sched.id),
  ts TIMESTAMP,
  dur DURATION,
  -- The thread.
  utid JOINID(thread.id),
  -- Its process, or NULL.
  upid JOINID(process.id),
  thread_name STRING,
  process_name STRING,
  cpu LONG,
  -- The state of the thread when it stopped to run.
  end_state STRING,
  priority LONG
)
AS
SELECT
  sched.id, sched.ts, sched.dur, utid, upid, thread.name AS thread_name, process.name AS process_name,
  sched.cpu, sched.end_state, sched.priority
FROM sched
JOIN thread USING (utid)
LEFT JOIN process USING (upid);
