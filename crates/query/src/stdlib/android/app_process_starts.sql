-- Why processes of apps began.

INCLUDE PERFETTO MODULE slices.with_context;

-- The system begins a process.
CREATE PERFETTO VIEW _process_start AS
SELECT ts, dur, trim(substr(name, length('Start proc:') + 1)) AS process_name
FROM thread_slice
WHERE name GLOB 'Start proc:*' AND process_name = 'system_server';

-- What apps do first: they bind, and then begin an activity or a service, or get a broadcast.
CREATE PERFETTO TABLE _app_first_step AS
SELECT
  *,
  CASE
    WHEN name GLOB 'performCreate:*' THEN 'activity'
    WHEN name GLOB 'serviceCreate:*' THEN 'service'
    WHEN name GLOB 'broadcastReceiveComp:*' THEN 'broadcast'
  END AS reason,
  CASE
    WHEN name GLOB 'performCreate:*' THEN str_split(name, 'performCreate:', 1)
    WHEN name GLOB 'serviceCreate:*' THEN str_split(str_split(name, '=', 2), ' ', 0)
    WHEN name GLOB 'broadcastReceiveComp:*' THEN str_split(name, 'broadcastReceiveComp:', 1)
  END AS intent,
  lag(name) OVER steps AS before_name,
  lag(id) OVER steps AS before_id,
  lag(ts) OVER steps AS before_ts,
  lag(dur) OVER steps AS before_dur
FROM thread_slice
WHERE
  name = 'bindApplication'
  OR name GLOB 'performCreate:*'
  OR name GLOB 'serviceCreate:*'
  OR name GLOB 'broadcastReceiveComp:*'
WINDOW steps AS (PARTITION BY track_id ORDER BY ts);

-- Processes that began, with what they did first. One without an activity, service or broadcast provides data.
CREATE PERFETTO TABLE _app_first_intent AS
SELECT
  before_id AS start_id, id, track_id, process_name, pid, upid, intent, reason, before_ts AS bind_app_ts,
  before_dur AS bind_app_dur, ts AS intent_ts, dur AS intent_dur, ts AS last_ts, dur AS last_dur
FROM _app_first_step
WHERE before_name = 'bindApplication'
UNION ALL
SELECT id, NULL, NULL, process_name, pid, upid, NULL, 'provider', ts, dur, NULL, NULL, ts, dur
FROM _app_first_step
WHERE
  name = 'bindApplication'
  AND id NOT IN (SELECT before_id FROM _app_first_step WHERE before_name = 'bindApplication');

-- Starts of processes and their reasons.
CREATE PERFETTO TABLE android_app_process_starts(
  -- The slice bindApplication.
  start_id LONG,
  -- The slice of what the process began for.
  id LONG,
  -- Its track.
  track_id JOINID(track.id),
  -- The name of the process.
  process_name STRING,
  -- Its number.
  pid LONG,
  -- The process.
  upid JOINID(process.id),
  -- The activity, service or broadcast.
  intent STRING,
  -- activity, service, broadcast, or provider.
  reason STRING,
  -- When the system began the process.
  proc_start_ts TIMESTAMP,
  -- How long that took.
  proc_start_dur DURATION,
  -- When the app was bound.
  bind_app_ts TIMESTAMP,
  -- How long that took.
  bind_app_dur DURATION,
  -- When the activity, service or broadcast was begun.
  intent_ts TIMESTAMP,
  -- How long that took.
  intent_dur DURATION,
  -- From the system's beginning to the end of that.
  total_dur LONG
)
AS
SELECT
  start_id,
  app.id,
  track_id,
  process_name,
  pid,
  upid,
  intent,
  reason,
  max(start.ts) AS proc_start_ts,
  start.dur AS proc_start_dur,
  bind_app_ts,
  bind_app_dur,
  intent_ts,
  intent_dur,
  last_ts - max(start.ts) + last_dur AS total_dur
FROM _app_first_intent AS app
JOIN _process_start AS start USING (process_name)
WHERE start.ts < last_ts
GROUP BY upid, reason = 'provider'
ORDER BY reason = 'provider', upid;
