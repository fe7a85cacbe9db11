-- How long threads waited for a CPU.

INCLUDE PERFETTO MODULE sched.runnable;

-- For each time that a thread ran, how long it was ready to run before.
CREATE PERFETTO TABLE sched_latency_for_running_interval(
  -- The state in which it ran.
  thread_state_id JOINID(thread_state.id),
  -- The row of sched with the same time.
  sched_id JOINID(sched.id),
  utid JOINID(thread.id),
  -- The state in which it was ready.
  runnable_latency_id JOINID(thread_state.id),
  -- How long that state took.
  latency_dur LONG
)
AS
SELECT
  running.id AS thread_state_id, sched.id AS sched_id, running.utid, ready.id AS runnable_latency_id,
  ready.dur AS latency_dur
FROM sched_previous_runnable_on_thread AS previous
JOIN thread_state AS running ON running.id = previous.id
JOIN thread_state AS ready ON ready.id = previous.prev_runnable_id
JOIN sched ON sched.utid = running.utid AND sched.ts = running.ts AND sched.dur = running.dur;
