-- How many threads run, wait for a CPU, or wait for something else, over time. Each value holds until the ts of the next row.

INCLUDE PERFETTO MODULE intervals.overlap;

-- How many threads were ready to run.
CREATE PERFETTO TABLE sched_runnable_thread_count(
  -- When the number changed.
  ts TIMESTAMP,
  runnable_thread_count LONG
)
AS
SELECT ts, value AS runnable_thread_count
FROM intervals_overlap_count!((SELECT ts, dur FROM thread_state WHERE state = 'R'), ts, dur)
ORDER BY ts;

-- How many threads slept and could not be interrupted.
CREATE PERFETTO TABLE sched_uninterruptible_sleep_thread_count(
  -- When the number changed.
  ts TIMESTAMP,
  uninterruptible_sleep_thread_count LONG
)
AS
SELECT ts, value AS uninterruptible_sleep_thread_count
FROM intervals_overlap_count!((SELECT ts, dur FROM thread_state WHERE state = 'D'), ts, dur)
ORDER BY ts;

-- How many CPUs ran a thread that is not the idle thread.
CREATE PERFETTO TABLE sched_active_cpu_count(
  -- When the number changed.
  ts TIMESTAMP,
  active_cpu_count LONG
)
AS
SELECT ts, value AS active_cpu_count
FROM intervals_overlap_count!((SELECT ts, dur FROM sched WHERE utid NOT IN (SELECT utid FROM thread WHERE is_idle)), ts, dur)
ORDER BY ts;
