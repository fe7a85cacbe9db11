-- What threads did during their slices.

INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE slices.with_context;

-- How long each slice of a thread was in which state. Slices that never ended are left out.
CREATE PERFETTO TABLE thread_slice_time_in_state(
  -- The slice.
  id JOINID(slice.id),
  name STRING,
  -- Its thread.
  utid JOINID(thread.id),
  thread_name STRING,
  upid JOINID(process.id),
  process_name STRING,
  -- The state, as in thread_state.
  state STRING,
  -- Whether the thread waited for the disk; NULL if this is not known.
  io_wait BOOL,
  -- The function of the kernel that it waited in.
  blocked_function STRING,
  -- How long it was in this state, during the slice.
  dur DURATION
)
AS
SELECT
  part.id_0 AS id, slice.name, slice.utid, slice.thread_name, slice.upid, slice.process_name,
  state.state, state.io_wait, state.blocked_function, sum(part.dur) AS dur
FROM _interval_intersect!(
  (
    (SELECT id, ts, dur, utid FROM thread_slice WHERE utid > 0 AND dur > 0),
    (SELECT id, ts, dur, utid FROM thread_state WHERE dur > 0)
  ),
  (utid)
) AS part
JOIN thread_slice AS slice ON slice.id = part.id_0
JOIN thread_state AS state ON state.id = part.id_1
GROUP BY part.id_0, state.state, state.io_wait, state.blocked_function;
