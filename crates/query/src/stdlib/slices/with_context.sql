-- Slices with their thread and process.

-- Slices of threads, with the track, the thread and its process.
CREATE OR REPLACE PERFETTO VIEW thread_slice(
  -- The slice.
  id ID(slice.id),
  ts TIMESTAMP,
  dur DURATION,
  category STRING,
  name STRING,
  -- The track of the thread.
  track_id JOINID(track.id),
  track_name STRING,
  -- The thread.
  thread_name STRING,
  utid JOINID(thread.id),
  tid LONG,
  is_main_thread BOOL,
  -- The process of the thread, or NULL.
  process_name STRING,
  upid JOINID(process.id),
  pid LONG,
  depth LONG,
  parent_id JOINID(slice.id),
  arg_set_id ARGSETID,
  -- The CPU clock of the thread.
  thread_ts TIMESTAMP,
  thread_dur LONG
)
AS
SELECT
  slice.id, slice.ts, slice.dur, slice.category, slice.name,
  track_id, track.name AS track_name,
  thread.name AS thread_name, utid, thread.tid, thread.is_main_thread,
  process.name AS process_name, upid, process.pid,
  slice.depth, slice.parent_id, slice.arg_set_id, slice.thread_ts, slice.thread_dur
FROM slice
JOIN thread_track AS track ON track.id = slice.track_id
JOIN thread USING (utid)
LEFT JOIN process USING (upid);

-- Slices of processes, with the track and the process.
CREATE OR REPLACE PERFETTO VIEW process_slice(
  -- The slice.
  id ID(slice.id),
  ts TIMESTAMP,
  dur DURATION,
  category STRING,
  name STRING,
  -- The track of the process.
  track_id JOINID(track.id),
  track_name STRING,
  -- The process.
  process_name STRING,
  upid JOINID(process.id),
  pid LONG,
  depth LONG,
  parent_id JOINID(slice.id),
  arg_set_id ARGSETID,
  -- Always NULL for slices of processes.
  thread_ts TIMESTAMP,
  thread_dur LONG
)
AS
SELECT
  slice.id, slice.ts, slice.dur, slice.category, slice.name,
  track_id, track.name AS track_name,
  process.name AS process_name, upid, process.pid,
  slice.depth, slice.parent_id, slice.arg_set_id, slice.thread_ts, slice.thread_dur
FROM slice
JOIN process_track AS track ON track.id = slice.track_id
JOIN process USING (upid);

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
