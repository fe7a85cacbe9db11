-- Broadcasts: messages that the system sends to apps.

INCLUDE PERFETTO MODULE android.freezer;

-- The name of the process in the name of a slice: … PID:NAME/…
CREATE PERFETTO FUNCTION _extract_broadcast_process_name(
  -- The name of the slice.
  name STRING
)
RETURNS STRING
AS
SELECT substr(target, instr(target, ':') + 1)
FROM (SELECT str_split(str_split($name, '/', 0), ' ', 1) AS target);

-- Broadcasts of Android 14 and later. The system notes, on the track of a queue, the process that gets broadcasts, and within
-- that the broadcasts: "QUEUE PID:NAME/… running" and "RECORD ACTION/… scheduled".
CREATE PERFETTO TABLE _android_broadcasts_minsdk_u(
  -- The record.
  record_id STRING,
  -- The action.
  intent_action STRING,
  -- The name of the process that gets it.
  process_name STRING,
  -- Its number.
  pid LONG,
  -- The process.
  upid JOINID(process.id),
  -- The queue of the process.
  process_queue_id STRING,
  -- The queue of the system.
  queue_id LONG,
  -- The slice.
  id JOINID(slice.id),
  -- When it was sent.
  ts TIMESTAMP,
  -- How long that took.
  dur DURATION,
  -- The track.
  track_id JOINID(track.id)
)
AS
SELECT
  str_split(sent.name, ' ', 0) AS record_id,
  str_split(str_split(sent.name, '/', 0), ' ', 1) AS intent_action,
  _extract_broadcast_process_name(running.name) AS process_name,
  running.pid,
  _pid_to_upid(running.pid, sent.ts) AS upid,
  str_split(running.name, ' ', 0) AS process_queue_id,
  running.queue_id,
  sent.id,
  sent.ts,
  sent.dur,
  sent.track_id
FROM slice AS sent
JOIN (
  SELECT
    slice.id,
    slice.name,
    CAST(replace(str_split(track.name, '[', 1), ']', '') AS INT) AS queue_id,
    CAST(str_split(str_split(str_split(slice.name, '/', 0), ' ', 1), ':', 0) AS INT) AS pid
  FROM slice
  JOIN process_track AS track ON track.id = slice.track_id
  JOIN process USING (upid)
  WHERE
    slice.name GLOB '* running' AND track.name GLOB 'BroadcastQueue.mRunning*' AND process.name = 'system_server'
) AS running ON running.id = sent.parent_id
WHERE sent.name GLOB '* scheduled';
