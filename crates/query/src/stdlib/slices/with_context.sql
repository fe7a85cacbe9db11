-- Slices with their thread and process. The views thread_slice and process_slice are always there.

INCLUDE PERFETTO MODULE std.thread.with_context;

-- Slices of threads and of processes. The columns of the thread are NULL for slices of processes.
CREATE PERFETTO VIEW thread_or_process_slice(
  -- The slice.
  id JOINID(slice.id),
  ts TIMESTAMP,
  dur DURATION,
  category STRING,
  name STRING,
  -- The track of the thread or process.
  track_id JOINID(track.id),
  track_name STRING,
  -- The thread.
  thread_name STRING,
  utid JOINID(thread.id),
  tid LONG,
  -- The process.
  process_name STRING,
  upid JOINID(process.id),
  pid LONG,
  depth LONG,
  parent_id JOINID(slice.id),
  arg_set_id ARGSETID
)
AS
SELECT
  id, ts, dur, category, name, track_id, track_name, thread_name, utid, tid,
  process_name, upid, pid, depth, parent_id, arg_set_id
FROM thread_slice
UNION ALL
SELECT
  id, ts, dur, category, name, track_id, track_name, NULL, NULL, NULL,
  process_name, upid, pid, depth, parent_id, arg_set_id
FROM process_slice;
