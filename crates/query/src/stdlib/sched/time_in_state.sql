-- How long threads and CPUs are in which state.

INCLUDE PERFETTO MODULE intervals.intersect;

-- How long each thread was in each state. States that had not ended at the end of the trace last until then.
CREATE PERFETTO TABLE sched_time_in_state_for_thread(
  -- The thread.
  utid JOINID(thread.id),
  -- The time for which its state is known.
  total_runtime LONG,
  -- The state, as in thread_state.
  state STRING,
  -- How long it was in this state.
  time_in_state LONG,
  -- The part of total_runtime, in percent, rounded down.
  percentage_in_state LONG
)
AS
SELECT
  utid,
  total_runtime,
  state,
  time_in_state,
  time_in_state * 100 / total_runtime AS percentage_in_state
FROM (
  SELECT utid, state, sum(time) AS time_in_state, sum(sum(time)) OVER (PARTITION BY utid) AS total_runtime
  FROM (SELECT utid, state, iif(dur < 0, trace_end() - ts, dur) AS time FROM thread_state)
  GROUP BY utid, state
);

-- The percentage of a state; NULL if the thread was never in it.
CREATE PERFETTO MACRO _sched_percentage_in(wanted Expr)
RETURNS Expr
AS max(iif(state = $wanted, percentage_in_state, NULL));

-- How long each thread was in each state, in percent of its time, rounded down. NULL means never.
CREATE PERFETTO TABLE sched_percentage_of_time_in_state(
  -- The thread.
  utid JOINID(thread.id),
  -- It ran.
  running LONG,
  -- It was ready to run.
  runnable LONG,
  -- It was ready to run after another thread took its place.
  runnable_preempted LONG,
  -- It slept.
  sleeping LONG,
  -- It slept and signals could not wake it.
  uninterruptible_sleep LONG,
  -- It was in another state.
  other LONG
)
AS
SELECT
  utid,
  _sched_percentage_in!('Running') AS running,
  _sched_percentage_in!('R') AS runnable,
  _sched_percentage_in!('R+') AS runnable_preempted,
  _sched_percentage_in!('S') AS sleeping,
  _sched_percentage_in!('D') AS uninterruptible_sleep,
  sum(iif(state IN ('T', 't', 'X', 'Z', 'x', 'I', 'K', 'W', 'P', 'N'), time_in_state, NULL)) * 100 / total_runtime AS other
FROM sched_time_in_state_for_thread
GROUP BY utid;

-- The parts of a thread's states within an interval.
CREATE PERFETTO FUNCTION _sched_states_in_interval(
  -- The start of the interval.
  ts TIMESTAMP,
  -- Its length.
  dur DURATION,
  -- The thread.
  utid JOINID(thread.id)
)
RETURNS TABLE(state STRING, io_wait LONG, cpu LONG, blocked_function STRING, dur DURATION)
AS
SELECT state.state, state.io_wait, state.cpu, state.blocked_function, part.dur
FROM _interval_intersect_single!($ts, $dur, (
  SELECT id, ts, dur FROM thread_state WHERE utid = $utid AND dur > 0
)) AS part
JOIN thread_state AS state USING (id);

-- How long a thread was in each state within an interval. Each call reads all states of the thread; for many slices,
-- slices.time_in_state is faster.
CREATE PERFETTO FUNCTION sched_time_in_state_for_thread_in_interval(
  -- The start of the interval.
  ts TIMESTAMP,
  -- Its length.
  dur DURATION,
  -- The thread.
  utid JOINID(thread.id)
)
RETURNS TABLE(
  -- The state, as in thread_state.
  state STRING,
  -- Whether it waited for the disk; NULL if this is not known.
  io_wait BOOL,
  -- The function of the kernel that it waited in.
  blocked_function STRING,
  -- How long.
  dur DURATION
)
AS
SELECT state, io_wait, blocked_function, sum(dur) AS dur
FROM _sched_states_in_interval($ts, $dur, $utid)
GROUP BY state, io_wait, blocked_function
ORDER BY dur DESC;

-- The same for each CPU that the thread ran on.
CREATE PERFETTO FUNCTION sched_time_in_state_and_cpu_for_thread_in_interval(
  -- The start of the interval.
  ts TIMESTAMP,
  -- Its length.
  dur DURATION,
  -- The thread.
  utid JOINID(thread.id)
)
RETURNS TABLE(
  -- The state, as in thread_state.
  state STRING,
  -- Whether it waited for the disk; NULL if this is not known.
  io_wait BOOL,
  -- The CPU; NULL if it did not run.
  cpu LONG,
  -- The function of the kernel that it waited in.
  blocked_function STRING,
  -- How long.
  dur DURATION
)
AS
SELECT state, io_wait, cpu, blocked_function, sum(dur) AS dur
FROM _sched_states_in_interval($ts, $dur, $utid)
GROUP BY state, io_wait, cpu, blocked_function
ORDER BY dur DESC;

-- How long threads ran on a CPU within an interval, by the state that they left it in.
CREATE PERFETTO FUNCTION sched_time_in_state_for_cpu_in_interval(
  -- The CPU.
  cpu LONG,
  -- The start of the interval.
  ts TIMESTAMP,
  -- Its length.
  dur LONG
)
RETURNS TABLE(
  -- The state, as in sched.
  end_state STRING,
  -- How long.
  dur LONG
)
AS
SELECT run.end_state, sum(part.dur) AS dur
FROM _interval_intersect_single!($ts, $dur, (
  SELECT id, ts, dur FROM sched WHERE cpu = $cpu AND dur >= 0
)) AS part
JOIN sched AS run USING (id)
GROUP BY run.end_state;
