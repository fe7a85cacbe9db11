-- What threads did at each time of a slice, with the innermost slice at that time.

INCLUDE PERFETTO MODULE slices.flat_slices;

CREATE VIRTUAL TABLE _slice_flattened_with_state USING SPAN_JOIN(
  _slice_flattened PARTITIONED utid, thread_state PARTITIONED utid
);

-- The innermost slices and the thread's states while a slice lasts.
CREATE PERFETTO FUNCTION _get_flattened_thread_state(
  -- The slice.
  slice_id JOINID(slice.id),
  -- Its thread; NULL for any.
  utid JOINID(thread.id)
)
RETURNS TABLE(
  ts TIMESTAMP,
  dur DURATION,
  utid JOINID(thread.id),
  depth LONG,
  name STRING,
  -- The innermost slice.
  slice_id JOINID(slice.id),
  track_id JOINID(track.id),
  -- The rest is as in thread_state.
  cpu LONG,
  state STRING,
  io_wait LONG,
  blocked_function STRING,
  waker_utid JOINID(thread.id),
  irq_context LONG
)
AS
SELECT
  it.ts, it.dur, it.utid, it.depth, it.name, it.slice_id, it.track_id, it.cpu, it.state, it.io_wait, it.blocked_function,
  it.waker_utid, it.irq_context
FROM slice
JOIN _slice_flattened_with_state AS it
  ON it.track_id = slice.track_id AND it.ts >= slice.ts AND it.ts < slice.ts + slice.dur
WHERE slice.id = $slice_id AND ($utid IS NULL OR it.utid = $utid);

-- The time of a state; NULL if the thread was never in it.
CREATE PERFETTO MACRO _flattened_time_in(wanted Expr)
RETURNS Expr
AS sum(iif(state = $wanted, dur, NULL));

-- How long the thread was in each state during each slice within a slice, without the slices inside.
CREATE PERFETTO FUNCTION _get_flattened_thread_state_aggregated(
  -- The slice.
  slice_id JOINID(slice.id),
  -- Its thread; NULL for any.
  utid JOINID(thread.id)
)
RETURNS TABLE(
  slice_id JOINID(slice.id),
  slice_name STRING,
  -- State D without waiting for the disk.
  uninterruptible_sleep_nonio LONG,
  -- State D while waiting for the disk.
  uninterruptible_sleep_io LONG,
  runnable LONG,
  sleeping LONG,
  stopped LONG,
  traced LONG,
  exit_dead LONG,
  exit_zombie LONG,
  task_dead LONG,
  wake_kill LONG,
  waking LONG,
  parked LONG,
  no_load LONG,
  runnable_preempted LONG,
  running LONG,
  idle LONG,
  -- All states together.
  dur DURATION,
  depth LONG
)
AS
SELECT
  slice_id,
  name AS slice_name,
  sum(iif(state = 'D' AND io_wait = 0, dur, NULL)) AS uninterruptible_sleep_nonio,
  sum(iif(state = 'D' AND io_wait = 1, dur, NULL)) AS uninterruptible_sleep_io,
  _flattened_time_in!('R') AS runnable,
  _flattened_time_in!('S') AS sleeping,
  _flattened_time_in!('T') AS stopped,
  _flattened_time_in!('t') AS traced,
  _flattened_time_in!('X') AS exit_dead,
  _flattened_time_in!('Z') AS exit_zombie,
  _flattened_time_in!('x') AS task_dead,
  _flattened_time_in!('K') AS wake_kill,
  _flattened_time_in!('W') AS waking,
  _flattened_time_in!('P') AS parked,
  _flattened_time_in!('N') AS no_load,
  _flattened_time_in!('R+') AS runnable_preempted,
  _flattened_time_in!('Running') AS running,
  _flattened_time_in!('I') AS idle,
  sum(dur) AS dur,
  depth
FROM _get_flattened_thread_state($slice_id, $utid)
GROUP BY slice_id;
